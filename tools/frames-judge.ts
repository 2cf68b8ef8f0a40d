/**
 * Whether the frames of a test run (frames-tap.ts) are what the protocol allows. Pure.
 *
 * Each frame is judged by the revision it was said in: a request says its own (2026-07-28) or has that of its connection,
 * a response has that of its request. What no schema says is judged here: who may say what in which revision, and what
 * a result is marked as.
 */

const modern = '2026-07-28';
const older = '2025-11-25';
const versionKey = 'io.modelcontextprotocol/protocolVersion';
const capabilitiesKey = 'io.modelcontextprotocol/clientCapabilities';
const mayNeedInput = new Set(['tools/call', 'prompts/get', 'resources/read']);
/** Those of the tasks extension, which 2025-11-25 has in another form. */
const taskMethods = new Map([
  ['tasks/get', 'GetTask'],
  ['tasks/update', 'UpdateTask'],
  ['tasks/cancel', 'CancelTask'],
]);
/** Where the schema of that extension is kept, beside those of the revisions. */
const tasksSchema = 'tasks';
const inputMethods = new Set(['elicitation/create', 'sampling/createMessage', 'roots/list']);

export interface Frame {
  readonly test: string;
  readonly connection: string;
  readonly from: 'client' | 'server';
  readonly over: 'memory' | 'stdio' | 'http';
  readonly version?: string;
  readonly frame?: unknown;
  /** What came where a frame belongs, and is none. */
  readonly text?: string;
}

export interface Wrong {
  readonly record: Frame;
  readonly revision: string;
  readonly problems: readonly string[];
}

export interface Allowed {
  readonly test: string;
  readonly from: 'client' | 'server';
  readonly why: string;
  /** True where the inputs of the test are drawn anew in each run, so that a run may do without the entry. */
  readonly drawn?: boolean;
}

/** Lines that say where a value is not what the schema of that name wants. */
export type Validate = (revision: string, name: string, value: unknown) => string[];

/** What a JSON object may hold; every member is looked at before it is used. */
type Members = Readonly<Record<string, unknown>>;

/** What is remembered of a request until its response. */
interface OpenRequest {
  readonly method: unknown;
  readonly revision: string;
  /** True where it asks for a task, as 2025-11-25 has it. */
  readonly wantsTask: boolean;
}

interface Connection {
  readonly requests: Map<string, OpenRequest>;
  revision: string | undefined;
}

const isObject = (value: unknown): value is Members =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const membersOf = (value: unknown): Members => (isObject(value) ? value : {});

/**
 * @param records - in the order they were written, of one process
 * @returns the frames that are wrong, each with its record, revision and lines
 */
export function judgeFrames(records: readonly Frame[], validate: Validate): Wrong[] {
  const connections = new Map<string, Connection>();
  const wrong: Wrong[] = [];
  for (const record of records) {
    const connection: Connection = connections.get(record.connection) ?? { requests: new Map(), revision: undefined };
    connections.set(record.connection, connection);
    const frames: readonly unknown[] = Array.isArray(record.frame) ? record.frame : [record.frame];
    for (const frame of frames) {
      const { revision, problems } =
        frame === undefined
          ? { revision: connection.revision ?? older, problems: ['no JSON-RPC'] }
          : judgeFrame(record, membersOf(frame), connection, validate);
      if (problems.length > 0) wrong.push({ record: { ...record, frame }, revision, problems });
    }
  }
  return wrong;
}

function judgeFrame(record: Frame, frame: Members, connection: Connection, validate: Validate) {
  const { from } = record;
  const revision = revisionOf(record, frame, connection);
  const as = (name: string) => validate(revision, name, frame);
  if ('method' in frame) {
    if (!('id' in frame))
      return { revision, problems: [...as('JSONRPCNotification'), ...as(`method ${frame['method']}`)] };
    connection.requests.set(`${from} ${JSON.stringify(frame['id'])}`, {
      method: frame['method'],
      revision,
      wantsTask: membersOf(frame['params'])['task'] !== undefined,
    });
    if (from === 'client') connection.revision = revision;
    const task = revision === modern ? taskMethods.get(String(frame['method'])) : undefined;
    const own = task === undefined ? as(`method ${frame['method']}`) : validate(tasksSchema, `${task}Request`, frame);
    const problems = [...as('JSONRPCRequest'), ...own];
    if (revision === modern && from === 'server') problems.push('a server sends no requests');
    if (revision === modern && from === 'client') problems.push(...envelope(frame));
    return { revision, problems };
  }
  const other = from === 'client' ? 'server' : 'client';
  const request = connection.requests.get(`${other} ${JSON.stringify(frame['id'])}`);
  const said = request?.revision ?? revision;
  if ('error' in frame)
    return { revision: said, problems: validate(said, 'JSONRPCErrorResponse', withoutNullId(frame)) };
  const problems = as('JSONRPCResultResponse');
  if (said === modern && from === 'client') problems.push('a client sends no responses');
  if (request && isObject(frame['result'])) problems.push(...resultProblems(request, frame['result'], validate));
  return { revision: said, problems };
}

/** JSON-RPC itself (section 5) and the SDK say null where an id could not be read; the protocol's schemas leave it out. */
function withoutNullId({ id, ...frame }: Members): Members {
  return id === null ? frame : { id, ...frame };
}

function revisionOf({ from, version }: Frame, frame: Members, connection: Connection): string {
  const own = metaOf(frame)[versionKey];
  if (from === 'client' && typeof own === 'string')
    return own === modern || frame['method'] === 'server/discover' ? modern : older;
  if (frame['method'] === 'initialize') return older;
  return version === modern ? modern : (connection.revision ?? older);
}

const metaOf = ({ params }: Members): Members => membersOf(membersOf(params)['_meta']);

function envelope(frame: Members): string[] {
  const meta = metaOf(frame);
  return [
    ...(typeof meta[versionKey] === 'string' ? [] : [`params/_meta must have ${versionKey}`]),
    ...(isObject(meta[capabilitiesKey]) ? [] : [`params/_meta must have ${capabilitiesKey}`]),
  ];
}

function resultProblems({ method, revision, wantsTask }: OpenRequest, result: Members, validate: Validate): string[] {
  const { resultType } = result;
  const task = revision === modern ? taskMethods.get(String(method)) : undefined;
  const complete = () =>
    task === undefined
      ? validate(revision, `result ${method}`, result)
      : validate(tasksSchema, `${task}Result`, result);
  if (revision !== modern)
    return wantsTask && method === 'tools/call' && 'task' in result
      ? validate(revision, 'CreateTaskResult', result)
      : complete();
  if (resultType === 'task' && method === 'tools/call') return validate(tasksSchema, 'CreateTaskResult', result);
  if (resultType === 'complete') return complete();
  if (resultType !== 'input_required') return [`result/resultType is ${JSON.stringify(resultType)}`];
  const { inputRequests, requestState } = result;
  const problems = validate(revision, 'InputRequiredResult', result);
  if (!mayNeedInput.has(String(method))) problems.push(`${method} may not need input`);
  if (inputRequests === undefined && requestState === undefined)
    problems.push('result must have inputRequests or requestState');
  if (requestState !== undefined && typeof requestState !== 'string')
    problems.push('result/requestState must be a string');
  if (inputRequests !== undefined && !isObject(inputRequests))
    return [...problems, 'result/inputRequests must be an object'];
  for (const [key, request] of Object.entries(membersOf(inputRequests))) {
    const at = `result/inputRequests/${key}`;
    if (!isObject(request) || !inputMethods.has(String(request['method']))) problems.push(`${at} is no input request`);
    else if ('id' in request || 'jsonrpc' in request) problems.push(`${at} is no bare request`);
    else problems.push(...validate(revision, `method ${request['method']}`, request).map(line => `${at}: ${line}`));
  }
  return problems;
}

/**
 * Sets aside the frames that a test says wrong on purpose.
 * @param allowed - `{ test, from, why }` each; `test` is how the names of tests begin
 * @returns the frames that nobody allowed, and the entries that allow nothing
 */
export function setAside(wrong: readonly Wrong[], allowed: readonly Allowed[]): { left: Wrong[]; stale: Allowed[] } {
  const used = new Set<Allowed>();
  const left = wrong.filter(({ record }) => {
    const entry = allowed.find(({ test, from }) => from === record.from && record.test.startsWith(test));
    if (entry) used.add(entry);
    return entry === undefined;
  });
  return { left, stale: allowed.filter(entry => !entry.drawn && !used.has(entry)) };
}

const mostShown = 60;

/** A frame with its strings cut and everything that could be somebody's own left out. */
export function redacted(value: unknown, key = ''): unknown {
  if (typeof value === 'string') {
    if (['jsonrpc', 'method', 'mode', 'action', 'resultType', 'type', 'role', versionKey].includes(key))
      return value.slice(0, mostShown);
    return `(${value.length} characters)`;
  }
  if (Array.isArray(value)) return value.slice(0, 5).map(each => redacted(each));
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value)
      .slice(0, 20)
      .map(([name, each]) => [name.slice(0, mostShown), redacted(each, name)]),
  );
}
