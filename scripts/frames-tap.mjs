/**
 * Records every JSON-RPC frame of a test run, so that what was said can be looked at when all of it is over: by the
 * schemas of the protocol (frames.mjs), or by whoever looks for what must never have been said.
 *
 * On where MIDCALL_FRAMES_DIR names a directory: each process appends to a file of its own there, one JSON object a line:
 * `{ test, connection, from: 'client' | 'server', over: 'memory' | 'stdio' | 'http', version?, frame }`, or `text` in
 * place of `frame` where something that is no JSON-RPC came instead. Written at once, as tests kill processes.
 *
 * Looks at the wire itself, not at a library's classes: the pipes of child processes, the requests and responses of HTTP
 * servers, and the SDK's in-memory pair, which has no wire. Child processes take part, through NODE_OPTIONS.
 */
import childProcess from 'node:child_process';
import { syncBuiltinESMExports } from 'node:module';
import { before, currentTest, lineFile, loadIntoChildren, onExchange, whenAnswered, whenAsked } from './tap.mjs';

const mostText = 2_000;
const mostLine = 32 * 2 ** 20;

let write;
let connections = 0;
const newConnection = () => `${process.pid}-${++connections}`;

const record = entry => write(line({ test: currentTest(), ...entry }));

function line({ frame, ...entry }) {
  try {
    return JSON.stringify({ ...entry, frame });
  } catch {
    // Nested deeper than the stack, which only an in-memory pair lets through.
    return JSON.stringify({ ...entry, text: 'a frame that cannot be written down' });
  }
}

const isFrame = value =>
  typeof value === 'object' &&
  value !== null &&
  ('jsonrpc' in value || (Array.isArray(value) && value.length > 0 && value.every(isFrame)));

function parsed(text) {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Cuts what arrives in pieces into lines. */
function lines(take) {
  let kept = [];
  let size = 0;
  return {
    push(chunk, encoding) {
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
function tapChild(child) {
  if (!child.stdin || !child.stdout) return;
  const connection = newConnection();
  let speaks = false;
  const said = from => line => {
    if (line.trim() === '') return;
    const frame = parsed(line);
    if (isFrame(frame)) {
      speaks = true;
      record({ connection, from, over: 'stdio', frame });
    } else if (speaks) record({ connection, from, over: 'stdio', text: line.slice(0, mostText) });
  };
  const input = lines(said('client'));
  const see = (chunk, encoding) => {
    if (typeof chunk === 'string' || chunk instanceof Uint8Array)
      input.push(chunk, typeof encoding === 'string' ? encoding : undefined);
  };
  before(child.stdin, 'write', see);
  // Of `end` the stream writes the last chunk itself.
  before(child.stdin, 'end', see);
  const output = lines(said('server'));
  before(child.stdout, 'push', chunk => {
    if (chunk) output.push(chunk);
  });
}

function tapChildren() {
  const { spawn } = childProcess;
  childProcess.spawn = (...args) => {
    const child = spawn(...args);
    tapChild(child);
    return child;
  };
  syncBuiltinESMExports();
}

/** One exchange of an HTTP server; one that is no JSON-RPC leaves nothing. */
function tapExchange(request, response) {
  const { headers } = request;
  const version = headers['mcp-protocol-version'];
  const session = headers['mcp-session-id'];
  const connection = session === undefined ? newConnection() : `session ${session}`;
  const isMcp = version !== undefined || session !== undefined || request.url?.split('?')[0] === '/mcp';
  const entry = { connection, over: 'http', ...(version === undefined ? {} : { version }) };
  const say = (from, text) => {
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
  const whole = [];
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
export function tapMemory({ prototype }) {
  if (write === undefined) return;
  const sides = new WeakMap();
  before(prototype, 'send', function (frame) {
    if (!sides.has(this)) {
      const connection = newConnection();
      sides.set(this, { connection, from: 'client' });
      if (this._otherTransport) sides.set(this._otherTransport, { connection, from: 'server' });
    }
    record({ ...sides.get(this), over: 'memory', frame });
  });
}

/** Starts recording in this process, and in those it will start. */
function start(directory) {
  write = lineFile(directory);
  tapChildren();
  onExchange(tapExchange);
  loadIntoChildren(import.meta.url);
}

if (process.env.MIDCALL_FRAMES_DIR) start(process.env.MIDCALL_FRAMES_DIR);
