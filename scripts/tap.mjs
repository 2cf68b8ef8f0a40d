/**
 * What the taps of a test run share (frames-tap.mjs, canary-tap.mjs): a file of each process's own to write to, ways to see
 * what passes through an object, and how they reach the processes that tests start.
 */
import childProcess from 'node:child_process';
import { closeSync, mkdirSync, openSync, writeSync } from 'node:fs';
import http from 'node:http';
import https from 'node:https';
import { join } from 'node:path';

/** What a tap is told by its environment. */
const told = ['NODE_OPTIONS', 'MIDCALL_FRAMES_DIR', 'MIDCALL_CANARY_DIR', 'MIDCALL_FRAMES_TEST'];

/** The test that runs now, as far as this process knows. */
export const currentTest = () => process.env.MIDCALL_FRAMES_TEST ?? '';

/** A file of this process's own in a directory, to which lines are written at once, as tests kill processes. */
export function lineFile(directory) {
  mkdirSync(directory, { recursive: true });
  const file = openSync(join(directory, `${process.pid}-${Date.now()}.jsonl`), 'a');
  process.on('exit', () => closeSync(file));
  return line => writeSync(file, `${line}\n`);
}

/**
 * Loads a tap into every Node process that this one will start, also into those that are given an environment of their own:
 * what the SDK starts gets a handful of variables only.
 */
export function loadIntoChildren(tap) {
  const preload = `--import ${tap}`;
  const options = process.env.NODE_OPTIONS ?? '';
  if (!options.includes(preload)) process.env.NODE_OPTIONS = `${options} ${preload}`.trim();
  before(childProcess.ChildProcess.prototype, 'spawn', ({ envPairs }) => {
    const has = name => envPairs.some(pair => pair.startsWith(`${name}=`));
    if (told.some(has)) return;
    for (const name of told) if (process.env[name] !== undefined) envPairs.push(`${name}=${process.env[name]}`);
  });
}

/** Calls `see` with the arguments of each call of an own or inherited method, before it. */
export function before(object, name, see) {
  const own = object[name];
  object[name] = function (...args) {
    see.call(this, ...args);
    return own.apply(this, args);
  };
}

/** Calls `see` with each request that a server of this process gets, and its response. */
export function onExchange(see) {
  for (const { Server } of [http, https]) {
    before(Server.prototype, 'emit', (name, request, response) => {
      if (name === 'request') see(request, response);
    });
  }
}

/** Calls `take` with the body of a request, when it has arrived. */
export function whenAsked(request, take) {
  const parts = [];
  before(request, 'push', chunk => {
    if (chunk) parts.push(Buffer.from(chunk));
    else take(Buffer.concat(parts).toString());
  });
}

/** Calls `see` with each part of a response's body, and `end` after the last. */
export function whenAnswered(response, see, end) {
  const part = (chunk, encoding) => {
    if (typeof chunk !== 'string' && !(chunk instanceof Uint8Array)) return;
    see(typeof chunk === 'string' ? Buffer.from(chunk, typeof encoding === 'string' ? encoding : 'utf8') : chunk);
  };
  before(response, 'write', part);
  before(response, 'end', (chunk, encoding) => {
    part(chunk, encoding);
    end();
  });
}
