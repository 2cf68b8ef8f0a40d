/**
 * What the taps of a test run share (frames-tap.ts, canary-tap.ts): a file of each process's own to write to, ways to see
 * what passes through an object, and how they reach the processes that tests start.
 */
import childProcess from 'node:child_process';
import { closeSync, mkdirSync, openSync, writeSync } from 'node:fs';
import http, { type IncomingMessage, type ServerResponse } from 'node:http';
import https from 'node:https';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** What a tap is told by its environment. */
const told = ['NODE_OPTIONS', 'MIDCALL_FRAMES_DIR', 'MIDCALL_CANARY_DIR', 'MIDCALL_FRAMES_TEST'];

/** Where compile-taps.ts puts the taps as JavaScript, from this folder. */
export const compiledTaps = '../node_modules/.cache/midcall-taps/';

/** What NODE_OPTIONS says to load a compiled tap. */
export const preloading = (path: string): string => `--require ${JSON.stringify(path)}`;

/** The test that runs now, as far as this process knows. */
export const currentTest = (): string => process.env['MIDCALL_FRAMES_TEST'] ?? '';

/** A file of this process's own in a directory, to which lines are written at once, as tests kill processes. */
export function lineFile(directory: string): (line: string) => void {
  mkdirSync(directory, { recursive: true });
  const file = openSync(join(directory, `${process.pid}-${Date.now()}.jsonl`), 'a');
  process.on('exit', () => closeSync(file));
  return line => writeSync(file, `${line}\n`);
}

/**
 * Loads a tap into every Node process that this one will start, also into those that are given an environment of their own:
 * what the SDK starts gets a handful of variables only.
 * @param tap - URL of the tap's module: as JavaScript, or as TypeScript in Vitest's own processes
 */
export function loadIntoChildren(tap: string): void {
  const compiled = tap.replace(/[^/]+\.ts$/, name => `${compiledTaps}${name.replace('.ts', '.cjs')}`);
  const preload = preloading(fileURLToPath(new URL(compiled)));
  const options = process.env['NODE_OPTIONS'] ?? '';
  if (!options.includes(preload)) process.env['NODE_OPTIONS'] = `${options} ${preload}`.trim();
  before(childProcess.ChildProcess.prototype, 'spawn', ({ envPairs }: { envPairs: string[] }) => {
    const has = (name: string) => envPairs.some(pair => pair.startsWith(`${name}=`));
    if (told.some(has)) return;
    for (const name of told) if (process.env[name] !== undefined) envPairs.push(`${name}=${process.env[name]}`);
  });
}

/** Calls `see` with the arguments of each call of an own or inherited method, before it. */
export function before<Self extends object, Args extends readonly never[]>(
  object: Self,
  name: string,
  see: (this: Self, ...args: Args) => void,
): void {
  const methods = object as Record<string, (...args: unknown[]) => unknown>;
  const own = methods[name]!;
  methods[name] = function (this: Self, ...args) {
    see.call(this, ...(args as unknown as Args));
    return own.apply(this, args);
  };
}

/** Calls `see` with each request that a server of this process gets, and its response. */
export function onExchange(see: (request: IncomingMessage, response: ServerResponse) => void): void {
  for (const { Server } of [http, https]) {
    before(Server.prototype, 'emit', (name: string, request: IncomingMessage, response: ServerResponse) => {
      if (name === 'request') see(request, response);
    });
  }
}

/** Calls `take` with the body of a request, when it has arrived. */
export function whenAsked(request: IncomingMessage, take: (body: string) => void): void {
  const parts: Buffer[] = [];
  before(request, 'push', (chunk: Uint8Array | null) => {
    if (chunk) parts.push(Buffer.from(chunk));
    else take(Buffer.concat(parts).toString());
  });
}

/** Calls `see` with each part of a response's body, and `end` after the last. */
export function whenAnswered(response: ServerResponse, see: (part: Uint8Array) => void, end: () => void): void {
  const part = (chunk: unknown, encoding: unknown) => {
    if (typeof chunk !== 'string' && !(chunk instanceof Uint8Array)) return;
    const spelling = typeof encoding === 'string' ? (encoding as BufferEncoding) : 'utf8';
    see(typeof chunk === 'string' ? Buffer.from(chunk, spelling) : chunk);
  };
  before(response, 'write', part as (...args: never[]) => void);
  before(response, 'end', (chunk: unknown, encoding: unknown) => {
    part(chunk, encoding);
    end();
  });
}
