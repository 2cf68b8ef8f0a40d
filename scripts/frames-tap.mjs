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
import { closeSync, mkdirSync, openSync, writeSync } from 'node:fs';
import http from 'node:http';
import https from 'node:https';
import { syncBuiltinESMExports } from 'node:module';
import { join } from 'node:path';

const mostText = 2_000;
const mostLine = 32 * 2 ** 20;

let file;
let connections = 0;
const newConnection = () => `${process.pid}-${++connections}`;

function record(entry) {
  const test = process.env.MIDCALL_FRAMES_TEST ?? '';
  writeSync(file, `${line({ test, ...entry })}\n`);
}

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

/** Calls `see` with the arguments of each call of an own or inherited method, before it. */
function before(object, name, see) {
  const own = object[name];
  object[name] = function (...args) {
    see.call(this, ...args);
    return own.apply(this, args);
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
  const asked = [];
  before(request, 'push', chunk => {
    if (chunk) asked.push(Buffer.from(chunk));
    else say('client', Buffer.concat(asked).toString());
  });
  let events = false;
  const answered = lines(line => {
    if (!line.startsWith('data:')) return;
    events = true;
    say('server', line.slice('data:'.length));
  });
  const whole = [];
  const see = (chunk, encoding) => {
    if (typeof chunk !== 'string' && !(chunk instanceof Uint8Array)) return;
    answered.push(chunk, typeof encoding === 'string' ? encoding : undefined);
    if (!events) whole.push(Buffer.from(chunk));
  };
  before(response, 'write', see);
  before(response, 'end', (chunk, encoding) => {
    see(chunk, encoding);
    if (!events) say('server', Buffer.concat(whole).toString());
  });
}

function tapHttp() {
  for (const { Server } of [http, https]) {
    before(Server.prototype, 'emit', (name, request, response) => {
      if (name === 'request') tapExchange(request, response);
    });
  }
}

/** In-memory pairs of an SDK; the side that speaks first is the client. */
export function tapMemory({ prototype }) {
  if (file === undefined) return;
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
  mkdirSync(directory, { recursive: true });
  file = openSync(join(directory, `${process.pid}-${Date.now()}.jsonl`), 'a');
  process.on('exit', () => closeSync(file));
  tapChildren();
  tapHttp();
  const preload = `--import ${import.meta.url}`;
  const options = process.env.NODE_OPTIONS ?? '';
  if (!options.includes(preload)) process.env.NODE_OPTIONS = `${options} ${preload}`.trim();
}

if (process.env.MIDCALL_FRAMES_DIR) start(process.env.MIDCALL_FRAMES_DIR);
