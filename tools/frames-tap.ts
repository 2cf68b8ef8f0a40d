/**
 * Records every JSON-RPC frame of a test run, so that what was said can be looked at when all of it is over: by the
 * schemas of the protocol (frames.ts), or by whoever looks for what must never have been said.
 *
 * On where MIDCALL_FRAMES_DIR names a directory: each process appends to a file of its own there, one JSON object a line:
 * `{ test, connection, from: 'client' | 'server', over: 'memory' | 'stdio' | 'http', version?, frame }`, or `text` in
 * place of `frame` where something that is no JSON-RPC came instead. Written at once, as tests kill processes.
 *
 * Looks at the wire itself, not at a library's classes: the pipes of child processes, the requests and responses of HTTP
 * servers, and the SDK's in-memory pair, which has no wire. Child processes take part, through NODE_OPTIONS.
 */
import childProcess from 'node:child_process';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { syncBuiltinESMExports } from 'node:module';
import type { Frame } from './frames-judge.ts';
import { before, currentTest, lineFile, loadIntoChildren, onExchange, whenAnswered, whenAsked } from './tap.ts';

const mostText = 2_000;
const mostLine = 32 * 2 ** 20;
/** Of a letter that a test repeats to make a frame long, this many are written down: nobody learns anything from the others. */
const mostOfOne = 1_000;

let write: ((line: string) => void) | undefined;
let connections = 0;
/** Prototypes that are watched: files of tests that share a process each ask for it. */
const tapped = new WeakSet<object>();
const newConnection = () => `${process.pid}-${++connections}`;

const record = (entry: Omit<Frame, 'test'>) => write?.(line({ test: currentTest(), ...entry }));

function line({ frame, ...entry }: Frame): string {
  try {
    const whole = JSON.stringify({ ...entry, frame });
    return whole.length > 2 * mostOfOne ? withShortRuns(whole) : whole;
  } catch {
    // Nested deeper than the stack, which only an in-memory pair lets through.
    return JSON.stringify({ ...entry, text: 'a frame that cannot be written down' });
  }
}

/** By hand: a pattern that looks for a repeated letter runs out of stack on a text of megabytes. */
function withShortRuns(text: string): string {
  const kept: string[] = [];
  let from = 0;
  for (let start = 0, end = 0; start < text.length; start = end) {
    const letter = text[start]!;
    while (end < text.length && text[end] === letter) end += 1;
    if (end - start <= 2 * mostOfOne || !/[A-Za-z0-9 ]/.test(letter)) continue;
    kept.push(text.slice(from, start + mostOfOne));
    from = end;
  }
  return kept.join('') + text.slice(from);
}

const isFrame = (value: unknown): boolean =>
  typeof value === 'object' &&
  value !== null &&
  ('jsonrpc' in value || (Array.isArray(value) && value.length > 0 && value.every(isFrame)));

/** As it is before a test watches it. */
const { parse } = JSON;

/** What begins as a frame or a batch of frames does; anything else may be made to be costly to read. */
const mayBeFrame = /^\s*\[?\s*\{/;

function parsed(text: string): unknown {
  if (!mayBeFrame.test(text)) return undefined;
  try {
    return parse(text);
  } catch {
    return undefined;
  }
}

/** Cuts what arrives in pieces into lines. */
function lines(take: (line: string) => void) {
  let kept: Buffer[] = [];
  let size = 0;
  return {
    push(chunk: string | Uint8Array, encoding?: BufferEncoding) {
      let rest = typeof chunk === 'string' ? Buffer.from(chunk, encoding) : Buffer.from(chunk);
      for (let end = rest.indexOf(10); end >= 0; end = rest.indexOf(10)) {
        kept.push(rest.subarray(0, end));
        take(Buffer.concat(kept).toString().replace(/\r$/, ''));
        kept = [];
        size = 0;
        rest = rest.subarray(end + 1);
      }
      size += rest.length;
      if (size < mostLine) kept.push(rest);
    },
    rest: () => Buffer.concat(kept).toString(),
  };
}

/** Pipes of a child process; one that never says a frame is no server. */
function tapChild(child: childProcess.ChildProcess): void {
  if (!child.stdin || !child.stdout) return;
  const connection = newConnection();
  let speaks = false;
  const said = (from: Frame['from']) => (line: string) => {
    if (line.trim() === '') return;
    const frame = parsed(line);
    if (isFrame(frame)) {
      speaks = true;
      record({ connection, from, over: 'stdio', frame });
    } else if (speaks) record({ connection, from, over: 'stdio', text: line.slice(0, mostText) });
  };
  const input = lines(said('client'));
  const see = (chunk: unknown, encoding: unknown) => {
    if (typeof chunk === 'string' || chunk instanceof Uint8Array)
      input.push(chunk, typeof encoding === 'string' ? (encoding as BufferEncoding) : undefined);
  };
  before(child.stdin, 'write', see);
  // Of `end` the stream writes the last chunk itself.
  before(child.stdin, 'end', see);
  const output = lines(said('server'));
  before(child.stdout, 'push', (chunk: string | Uint8Array | null) => {
    if (chunk) output.push(chunk);
  });
}

function tapChildren() {
  const { spawn } = childProcess as { spawn: (...args: readonly unknown[]) => childProcess.ChildProcess };
  const tapped = (...args: readonly unknown[]) => {
    const child = spawn(...args);
    tapChild(child);
    return child;
  };
  Object.assign(childProcess, { spawn: tapped });
  syncBuiltinESMExports();
}

/** One exchange of an HTTP server; one that is no JSON-RPC leaves nothing. */
function tapExchange(request: IncomingMessage, response: ServerResponse): void {
  const { headers } = request;
  const version = headers['mcp-protocol-version'] as string | undefined;
  const session = headers['mcp-session-id'];
  const connection = session === undefined ? newConnection() : `session ${session}`;
  const isMcp = version !== undefined || session !== undefined || request.url?.split('?')[0] === '/mcp';
  const entry = { connection, over: 'http' as const, ...(version === undefined ? {} : { version }) };
  const say = (from: Frame['from'], text: string) => {
    const frame = parsed(text);
    if (isFrame(frame)) record({ ...entry, from, frame });
    else if (isMcp && request.method === 'POST' && from === 'client' && text.trim() !== '')
      record({ ...entry, from, text: text.slice(0, mostText) });
  };
  whenAsked(request, text => say('client', text));
  let events = false;
  const answered = lines(line => {
    if (!line.startsWith('data:')) return;
    events = true;
    say('server', line.slice('data:'.length));
  });
  const whole: Buffer[] = [];
  whenAnswered(
    response,
    part => {
      answered.push(part);
      if (!events) whole.push(Buffer.from(part));
    },
    () => {
      if (!events) say('server', Buffer.concat(whole).toString());
    },
  );
}

/** In-memory pairs of an SDK; the side that speaks first is the client. */
export function tapMemory({ prototype }: { readonly prototype: object }): void {
  if (write === undefined || tapped.has(prototype)) return;
  tapped.add(prototype);
  const sides = new WeakMap<object, Pick<Frame, 'connection' | 'from'>>();
  before(prototype as { _otherTransport?: object }, 'send', function (frame: unknown) {
    const side = sides.get(this) ?? { connection: newConnection(), from: 'client' };
    if (!sides.has(this) && this._otherTransport) sides.set(this._otherTransport, { ...side, from: 'server' });
    sides.set(this, side);
    record({ ...side, over: 'memory', frame });
  });
}

/** Starts recording in this process, and in those it will start. */
function start(directory: string): void {
  write = lineFile(directory);
  tapChildren();
  onExchange(tapExchange);
  loadIntoChildren(import.meta.url);
}

if (process.env['MIDCALL_FRAMES_DIR']) start(process.env['MIDCALL_FRAMES_DIR']);
