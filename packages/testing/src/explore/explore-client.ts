/**
 * The client of an exploration, for each way to run a call: it calls the tool once, answers each question as decided, and lets
 * time pass if nobody answers.
 */
import type { JsonObject } from '@midcall/core/json';
import type { virtualClock } from './explore-clock.ts';
import { type ExploredOutcome, type ExploredQuestion, readQuestion } from './explore-outcome.ts';
import type { DeliveredAnswer, OpenTrace, PlayedAs, Trace } from './explore-trace.ts';
import type { Wire, WireMessage } from './explore-wire.ts';

const momentMs = 300;
/** Longer than any question may stay open, and within the life of a state. */
const personGoneMs = 25 * 86_400_000;
/** Timers that are run one by one before time passes in strides. */
const mostTimers = 50;
const tasks = 'io.modelcontextprotocol/tasks';

/** The call, and its client. */
export interface ExploredCall {
  readonly name: string;
  readonly args: Readonly<Record<string, unknown>>;
  readonly capabilities: Readonly<Record<string, unknown>>;
  readonly roots: () => readonly { readonly uri: string; readonly name?: string }[];
}

/** A call, and its connection. */
export interface Path {
  readonly subject: ExploredCall;
  readonly wire: Wire;
  readonly clock: ReturnType<typeof virtualClock>;
  readonly trace: OpenTrace;
}

/** Calls the tool in one way. @returns how the call ended; undefined if it should have been a task and is not */
export function play(playedAs: PlayedAs, path: Path): Promise<Trace['end'] | undefined> {
  if (playedAs === 'task') return asTask(path);
  return playedAs === '2025-11-25' ? pushed(path) : inRounds(path);
}

const clientInfo = { name: 'midcall-explore', version: '1.0.0' };

function ended(message: WireMessage): Trace['end'] {
  if (message.error) return { kind: 'error', code: message.error.code, message: message.error.message };
  return { kind: 'result', result: message.result ?? {} };
}

/** The client goes away, and whatever can still happen happens. */
async function leave({ wire, clock, trace }: Path): Promise<Trace['end']> {
  trace.gone = true;
  await wire.close();
  await wire.drain();
  clock.advance(personGoneMs);
  await wire.drain();
  return { kind: 'gone' };
}

/** 2025-11-25: questions are requests, answered in place. */
async function pushed(path: Path): Promise<Trace['end']> {
  const { subject, wire, clock, trace } = path;
  const params = { protocolVersion: '2025-11-25', capabilities: subject.capabilities, clientInfo };
  wire.send({ id: 1, method: 'initialize', params });
  if (!(await wire.receive())) return { kind: 'hang' };
  wire.send({ method: 'notifications/initialized' });
  wire.send({ id: 2, method: 'tools/call', params: { name: subject.name, arguments: subject.args } });
  for (;;) {
    const first = await wire.receive(() => trace.onPage);
    if (!first) return { kind: 'hang' };
    const round: { message: WireMessage; question: ExploredQuestion; outcome: ExploredOutcome }[] = [];
    for (const message of [first, ...(await wire.drain())]) {
      if (message.method === undefined && message.id === 2) return ended(message);
      if (message.method === 'roots/list') {
        trace.askedRoots = true;
        wire.send({ id: message.id, result: { roots: subject.roots() } });
      } else if (message.method !== undefined && message.id !== undefined) {
        if (trace.exhausted) return { kind: 'endless' };
        const question = readQuestion(message.method, message.params ?? {});
        round.push({ message, question, outcome: trace.decide(question) });
      }
    }
    if (round.length === 0) continue;
    trace.rounds++;
    trace.waiting = true;
    await wire.drain().then(messages => wire.unread(messages));
    if (round.some(({ outcome }) => outcome.kind === 'disconnect')) return leave(path);
    clock.advance(momentMs);
    trace.waiting = false;
    for (const { message, question, outcome } of round) {
      if (outcome.kind === 'timeout') continue;
      await trace.deliver(question, outcome);
      const refused = { error: { code: -1, message: 'User rejected sampling request' } };
      const answer = { id: message.id, ...(outcome.kind === 'refuse' ? refused : { result: outcome.reply }) };
      wire.send(answer);
      if (outcome.kind === 'replayed') wire.send(answer);
    }
    const silent = new Set(round.filter(({ outcome }) => outcome.kind === 'timeout').map(({ message }) => message.id));
    if (silent.size > 0) await letTimePass(path, silent);
  }
}

/**
 * Moves the clock, from timer to timer at first. A server has timers that repeat every few seconds, and a question may be open for
 * days: so then by strides, each a twentieth of the time that has passed.
 * @returns moves it once; false if no more can happen
 */
function passing(clock: Path['clock']): () => boolean {
  const began = clock.now();
  let fired = 0;
  return () => {
    fired += 1;
    if (fired <= mostTimers) return clock.next();
    const passed = clock.now() - began;
    clock.leap(Math.max(1_000, Math.ceil(passed / 20)));
    return passed < personGoneMs;
  };
}

/** Moves the clock until the server has withdrawn every question that nobody answers. */
async function letTimePass({ wire, clock }: Path, silent: Set<number | string | undefined>): Promise<void> {
  const messages: WireMessage[] = [];
  const pass = passing(clock);
  while (silent.size > 0 && pass()) {
    for (const message of await wire.drain()) {
      if (message.method === 'notifications/cancelled') silent.delete(message.params?.['requestId'] as number);
      else messages.push(message);
    }
  }
  wire.unread(messages);
}

interface InputRequired {
  readonly inputRequests: Readonly<Record<string, { method: string; params?: Record<string, unknown> }>>;
  readonly requestState?: string;
}

function inputRequired(message: WireMessage): InputRequired | undefined {
  if (message.result?.['resultType'] !== 'input_required') return undefined;
  return { inputRequests: {}, ...message.result } as InputRequired;
}

/** Requests of 2026-07-28 of a client that declares these capabilities. */
function requester({ wire, trace }: Path, capabilities: JsonObject) {
  let id = 0;
  const send = (method: string, params: JsonObject): void => {
    const _meta = {
      'io.modelcontextprotocol/protocolVersion': '2026-07-28',
      'io.modelcontextprotocol/clientInfo': clientInfo,
      'io.modelcontextprotocol/clientCapabilities': capabilities,
    };
    id += 1;
    wire.send({ id, method, params: { ...params, _meta } });
  };
  return {
    send,
    /** @returns the response; undefined if the server stays silent. Its notifications about a task are received after that */
    async ask(method: string, params: JsonObject): Promise<WireMessage | undefined> {
      send(method, params);
      const requestId = id;
      const beside: WireMessage[] = [];
      for (;;) {
        const message = await wire.receive(() => trace.onPage);
        if (message?.method === news) beside.push(message);
        else if (!message || (message.id === requestId && message.method === undefined)) {
          wire.unread(beside);
          return message;
        }
      }
    },
  };
}

interface Decided {
  readonly responses: Readonly<Record<string, unknown>>;
  readonly delivered: readonly DeliveredAnswer[];
  /** True if the answers are delivered a second time. */
  readonly twice: boolean;
  /** True if the client is gone, or cancels the call. */
  readonly left: boolean;
}

/**
 * Decides the outcomes of questions that arrived together.
 * @param silent - receives the keys of those that nobody answers
 * @returns undefined if the path has no more decisions
 */
function decideAll(
  { subject, trace }: Path,
  requests: readonly (readonly [string, { readonly method: string; readonly params?: JsonObject }])[],
  silent: Set<string>,
): Decided | undefined {
  const responses: Record<string, unknown> = {};
  const delivered: DeliveredAnswer[] = [];
  let [twice, left] = [false, false];
  for (const [key, { method, params = {} }] of requests) {
    if (method === 'roots/list') {
      trace.askedRoots = true;
      responses[key] = { roots: subject.roots() };
      continue;
    }
    if (trace.exhausted) return undefined;
    const question = readQuestion(method, params);
    const outcome = trace.decide(question);
    left ||= outcome.kind === 'disconnect' || outcome.kind === 'refuse';
    twice ||= outcome.kind === 'replayed';
    if (outcome.kind === 'timeout') silent.add(key);
    if (outcome.reply) {
      responses[key] = outcome.reply;
      delivered.push({ question, outcome });
    }
  }
  return { responses, delivered, twice, left };
}

/** 2026-07-28: questions come in the result, and the call is sent again with the answers. */
async function inRounds(path: Path): Promise<Trace['end']> {
  const { subject, wire, clock, trace } = path;
  const { ask } = requester(path, subject.capabilities);
  const call = (more: JsonObject): Promise<WireMessage | undefined> =>
    ask('tools/call', { name: subject.name, arguments: subject.args, ...more });
  /** Unanswered questions, by key: they come again with every round until their time is up. */
  const silent = new Set<string>();
  let reply = await call({});
  for (;;) {
    if (!reply) return { kind: 'hang' };
    const needed = inputRequired(reply);
    if (!needed) return ended(reply);
    const requests = Object.entries(needed.inputRequests).filter(([key]) => !silent.has(key));
    if (requests.length > 0) trace.rounds++;
    const decided = decideAll(path, requests, silent);
    if (!decided) return { kind: 'endless' };
    const { responses, delivered, twice, left } = decided;
    trace.waiting = true;
    await wire.drain();
    trace.raced ||= wire.timing();
    if (left) return leave(path);
    trace.waiting = false;
    const answers = Object.keys(responses).length > 0;
    if (answers || silent.size === 0) clock.advance(momentMs);
    else {
      clock.advance(personGoneMs);
      silent.clear();
    }
    for (const { question, outcome } of delivered) await trace.deliver(question, outcome);
    const retry = { requestState: needed.requestState, inputResponses: responses };
    reply = await call(retry);
    if (twice && reply) {
      const again = await call(retry);
      const same = JSON.stringify([again?.result, again?.error]) === JSON.stringify([reply.result, reply.error]);
      trace.replayDiffers ||= !same;
    }
  }
}

const news = 'notifications/tasks';

/** The extension of 2026-07-28: the call is a task, which the server reports on; its questions are answered separately. */
async function asTask(path: Path): Promise<Trace['end'] | undefined> {
  const { subject, wire, clock, trace } = path;
  const { extensions, ...others } = subject.capabilities as { readonly extensions?: JsonObject };
  const { ask, send } = requester(path, { ...others, extensions: { ...extensions, [tasks]: {} } });
  const created = await ask('tools/call', { name: subject.name, arguments: subject.args });
  if (!created) return { kind: 'hang' };
  if (created.result?.['resultType'] !== 'task') return undefined;
  const { taskId } = created.result as { readonly taskId: string };
  // Its answer comes when the server ends it; until then it reports every change.
  send('subscriptions/listen', { notifications: { taskIds: [taskId] } });
  const askedKeys = new Set<string>();
  /** Questions that nobody answers. */
  const silent = new Set<string>();
  for (;;) {
    const taskState = await newsOf(path);
    if (!taskState) return { kind: 'hang' };
    const { status, result, error, inputRequests = {} } = taskState;
    if (status === 'completed') return { kind: 'result', result: result ?? {} };
    if (status === 'failed') return { kind: 'error', code: error?.code ?? 0, message: error?.message ?? '' };
    const fresh = Object.entries(inputRequests).filter(([key]) => !askedKeys.has(key));
    if (fresh.length === 0) {
      if (Object.keys(inputRequests).some(key => silent.has(key))) await letTaskGoOn(path);
      continue;
    }
    trace.rounds++;
    for (const [key] of fresh) askedKeys.add(key);
    const decided = decideAll(path, fresh, silent);
    if (!decided) return { kind: 'endless' };
    const { responses, delivered, twice, left } = decided;
    trace.waiting = true;
    await wire.drain().then(messages => wire.unread(messages));
    trace.raced ||= wire.timing();
    if (left) {
      // A client that is gone leaves its task alone; one that gives up cancels it.
      await ask('tasks/cancel', { taskId });
      trace.gone = true;
      for (let fired = 0; fired < mostTimers; fired++) {
        await wire.drain();
        if (!clock.next()) break;
      }
      return { kind: 'gone' };
    }
    trace.waiting = false;
    clock.advance(momentMs);
    for (const { question, outcome } of delivered) await trace.deliver(question, outcome);
    const update = { taskId, inputResponses: responses };
    if (Object.keys(responses).length > 0) await ask('tasks/update', update);
    if (twice) await ask('tasks/update', update);
    if (fresh.some(([key]) => silent.has(key))) await letTaskGoOn(path);
  }
}

interface ToldTask {
  readonly status: string;
  readonly result?: JsonObject;
  readonly error?: { readonly code: number; readonly message: string };
  readonly inputRequests?: Readonly<Record<string, { readonly method: string; readonly params?: JsonObject }>>;
}

/** The server's next notification about the task; undefined if it stays silent. */
async function newsOf({ wire, trace }: Path): Promise<ToldTask | undefined> {
  for (;;) {
    const message = await wire.receive(() => trace.onPage);
    if (!message) return undefined;
    if (message.method === news) return message.params as unknown as ToldTask;
  }
}

/** Moves the clock until the server reports something about a task whose questions nobody answers. */
async function letTaskGoOn({ wire, clock }: Path): Promise<void> {
  const pass = passing(clock);
  for (;;) {
    const messages = await wire.drain();
    wire.unread(messages);
    if (messages.some(({ method }) => method === news) || !pass()) return;
  }
}
