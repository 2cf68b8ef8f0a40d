/**
 * Records where secrets are and what is said elsewhere, so that when a test run is over it can be looked whether any of
 * them got out (canary.mjs). Beside frames-tap.mjs, which records what clients and servers say to one another.
 *
 * On where MIDCALL_CANARY_DIR names a directory: each process appends to a file of its own there, one JSON object a line:
 * - `{ secret, what }`: something nobody else may see. Nobody has to announce it: what is entered on a `secret` page, what a
 *   token endpoint hands out and is sent, how clients show who they are, and the keys that seal.
 * - `{ key }`: a key that seals, to open what was sealed with.
 * - `{ sink, text, test }`: what was said: addresses, pages, logs, and what tests hand to `watched`.
 *
 * Child processes take part, through NODE_OPTIONS.
 */
import crypto from 'node:crypto';
import { closeSync, mkdirSync, openSync, writeSync } from 'node:fs';
import http from 'node:http';
import https from 'node:https';
import { syncBuiltinESMExports } from 'node:module';
import { join } from 'node:path';

let file;
const known = new Set();

const record = entry =>
  writeSync(file, `${JSON.stringify({ test: process.env.MIDCALL_FRAMES_TEST ?? '', ...entry })}\n`);

/** What was said where; see canary-tap.d.mts. */
export function watched(sink, text) {
  if (file !== undefined) record({ sink, text });
}

function plant(secret, what) {
  if (typeof secret !== 'string' || secret.trim() === '' || known.has(secret)) return;
  known.add(secret);
  record({ secret, what });
}

/** Calls `see` with the arguments of each call of an own or inherited method, before it. */
function before(object, name, see) {
  const own = object[name];
  object[name] = function (...args) {
    see.call(this, ...args);
    return own.apply(this, args);
  };
}

function plantTokens(text) {
  let body;
  try {
    body = JSON.parse(text);
  } catch {
    return;
  }
  for (const name of ['access_token', 'refresh_token', 'id_token']) plant(body?.[name], `${name} of a token endpoint`);
}

function plantSent(url, headers, body) {
  const [scheme, credentials = ''] = (headers.authorization ?? '').split(' ');
  if (scheme === 'Basic') {
    const password = Buffer.from(credentials, 'base64').toString().split(':').slice(1).join(':');
    plant(decodeURIComponent(password), 'client secret');
  }
  if (scheme === 'Bearer') plant(credentials, 'token that a client presents');
  if (!(headers['content-type'] ?? '').startsWith('application/x-www-form-urlencoded')) return;
  const sent = new URLSearchParams(body);
  if (/^\/connect\//u.test(url)) plant(sent.get('secret')?.trim(), 'secret of a page');
  for (const name of ['client_secret', 'code_verifier', 'refresh_token'])
    plant(sent.get(name), `${name} that was sent`);
}

function tapExchange(request, response) {
  const { headers, url = '' } = request;
  watched('address', `${headers.host}${url} ${headers.referer ?? ''}`);
  const asked = [];
  before(request, 'push', chunk => {
    if (chunk) asked.push(Buffer.from(chunk));
    else plantSent(url, headers, Buffer.concat(asked).toString());
  });
  if (request.method === 'GET') plantSent(url, headers, '');
  const answered = [];
  const see = chunk => {
    const type = String(response.getHeader('content-type') ?? '');
    if (/^text\/html|^application\/json/u.test(type) && (typeof chunk === 'string' || chunk instanceof Uint8Array)) {
      answered.push(Buffer.from(chunk));
    }
  };
  before(response, 'write', see);
  before(response, 'end', chunk => {
    see(chunk);
    const text = Buffer.concat(answered).toString();
    const location = response.getHeader('location');
    if (location !== undefined) watched('address', String(location));
    if (/^\/(?:oauth\/)?token\b/u.test(url)) plantTokens(text);
    else if (text !== '' && !text.includes('"jsonrpc"')) watched('page', text);
  });
}

function tapHttp() {
  for (const { Server } of [http, https]) {
    before(Server.prototype, 'emit', (name, request, response) => {
      if (name === 'request') tapExchange(request, response);
    });
  }
  const own = globalThis.fetch;
  globalThis.fetch = async (...args) => {
    const response = await own(...args);
    if (/\/token$/u.test(new URL(response.url || 'http://none').pathname)) plantTokens(await response.clone().text());
    return response;
  };
}

/** The keys of rings, from which every key that seals is derived. */
function tapKeys() {
  before(crypto, 'hkdfSync', (_hash, key, salt) => {
    if (salt !== 'midcall.seal.m1') return;
    const bytes = Buffer.from(typeof key.export === 'function' ? key.export() : key);
    if (known.has(bytes.toString('hex'))) return;
    record({ key: bytes.toString('base64') });
    for (const form of ['hex', 'base64', 'base64url']) plant(bytes.toString(form), 'key that seals');
  });
  syncBuiltinESMExports();
}

function tapLogs() {
  for (const name of ['stderr', 'stdout']) {
    before(process[name], 'write', chunk => {
      const text = typeof chunk === 'string' ? chunk : Buffer.from(chunk).toString();
      if (!text.startsWith('{"jsonrpc"')) watched('log', text);
    });
  }
}

/** Starts recording in this process, and in those it will start. */
function start(directory) {
  mkdirSync(directory, { recursive: true });
  file = openSync(join(directory, `${process.pid}-${Date.now()}.jsonl`), 'a');
  process.on('exit', () => closeSync(file));
  tapHttp();
  tapKeys();
  tapLogs();
  const preload = `--import ${import.meta.url}`;
  const options = process.env.NODE_OPTIONS ?? '';
  if (!options.includes(preload)) process.env.NODE_OPTIONS = `${options} ${preload}`.trim();
}

if (process.env.MIDCALL_CANARY_DIR) start(process.env.MIDCALL_CANARY_DIR);
