/**
 * Records where secrets are and what is said elsewhere, so that when a test run is over it can be looked whether any of
 * them got out (canary.ts). Beside frames-tap.ts, which records what clients and servers say to one another.
 *
 * On where MIDCALL_CANARY_DIR names a directory: each process appends to a file of its own there, one JSON object a line:
 * - `{ secret, what }`: something nobody else may see. Nobody has to announce it: what is entered on a `secret` page, what a
 *   token endpoint hands out and is sent, how clients and sessions show who they are, and the keys that seal.
 * - `{ key }`: a key that seals, to open what was sealed with.
 * - `{ sink, text, test }`: what was said: addresses, pages, logs, errors of ours and of JSON-RPC (also those that somebody
 *   caught), OpenTelemetry spans, and what tests hand to `watched`.
 *
 * Child processes take part.
 */
import crypto from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import { syncBuiltinESMExports } from 'node:module';
import { before, currentTest, lineFile, loadIntoChildren, onExchange, whenAnswered, whenAsked } from './tap.ts';

let write: ((line: string) => void) | undefined;
/** As it is before a test puts another in its place. */
const Parameters = URLSearchParams;
const known = new Set<string>();

const record = (entry: object) => write?.(JSON.stringify({ test: currentTest(), ...entry }));

/** What a test's own ear may hand over. */
type Watched = 'audit' | 'warning' | 'span' | 'error' | 'outcome';

/**
 * Hands over what a test's own ear heard, such as audit events, warnings and spans, where a run is recorded.
 * @param text - as it would be written down
 */
export function watched(sink: Watched, text: string): void {
  said(sink, text);
}

const said = (sink: Watched | 'address' | 'page' | 'log', text: string) => record({ sink, text });

function plant(secret: unknown, what: string): void {
  if (typeof secret !== 'string' || secret.trim() === '' || known.has(secret)) return;
  known.add(secret);
  record({ secret, what });
}

/** As it is before a test watches it. */
const { parse } = JSON;

function plantTokens(text: string): void {
  if (!text.includes('_token')) return;
  let body: Record<string, unknown> | null;
  try {
    body = parse(text);
  } catch {
    return;
  }
  for (const name of ['access_token', 'refresh_token', 'id_token']) plant(body?.[name], `${name} of a token endpoint`);
}

function plantSent(url: string, headers: IncomingHttpHeaders, body: string): void {
  const [scheme, credentials = ''] = (headers.authorization ?? '').split(' ');
  if (scheme === 'Basic') {
    const password = Buffer.from(credentials, 'base64').toString().split(':').slice(1).join(':');
    plant(decodeURIComponent(password), 'client secret');
  }
  if (scheme === 'Bearer') plant(credentials, 'token that a client presents');
  plant(/\bmidcall-session-[\w-]{12}=([\w-]{43})(?![\w-])/u.exec(headers.cookie ?? '')?.[1], 'session of a browser');
  if (!(headers['content-type'] ?? '').startsWith('application/x-www-form-urlencoded')) return;
  const sent = new Parameters(body);
  if (/^\/connect\//u.test(url)) plant(sent.get('secret')?.trim(), 'secret of a page');
  for (const name of ['client_secret', 'code_verifier', 'refresh_token'])
    plant(sent.get(name), `${name} that was sent`);
}

/** Headers as they are set one by one, and as `writeHead` is given them. */
function headersOf(response: ServerResponse): (name: string) => string {
  let given: Record<string, unknown> = {};
  before(response, 'writeHead', (_status: number, ...more: unknown[]) => {
    const last = more.at(-1);
    if (Array.isArray(last))
      given = Object.fromEntries(last.flat().flatMap((each, n, all) => (n % 2 ? [] : [[each, all[n + 1]]])));
    else given = typeof last === 'object' && last !== null ? { ...last } : {};
  });
  return name => {
    const own = Object.keys(given).find(each => each.toLowerCase() === name);
    return String(response.getHeader(name) ?? (own === undefined ? '' : given[own]));
  };
}

function tapExchange(request: IncomingMessage, response: ServerResponse): void {
  const { headers, url = '' } = request;
  said('address', `${headers.host}${url} ${headers.referer ?? ''}`);
  if (request.method === 'GET') plantSent(url, headers, '');
  whenAsked(request, body => plantSent(url, headers, body));
  // A fake service may say the key back that it was shown; that is between these two.
  const fromProgram = headers.authorization !== undefined || headers['x-api-key'] !== undefined;
  const header = headersOf(response);
  const answered: Buffer[] = [];
  whenAnswered(
    response,
    part => {
      if (/^text\/html|^application\/json/u.test(header('content-type'))) answered.push(Buffer.from(part));
    },
    () => {
      const text = Buffer.concat(answered).toString();
      if (header('location') !== '') said('address', header('location'));
      if (/^\/(?:oauth\/)?token\b/u.test(url)) plantTokens(text);
      else if (text !== '' && !fromProgram && !text.includes('"jsonrpc"')) said('page', text);
    },
  );
}

function tapFetch() {
  const own = globalThis.fetch;
  globalThis.fetch = async (...args: Parameters<typeof fetch>) => {
    const response = await own(...args);
    if (/\/token$/u.test(new URL(response.url || 'http://none').pathname)) plantTokens(await response.clone().text());
    return response;
  };
}

/** The keys of rings, from which every key that seals is derived. */
function tapKeys() {
  before(crypto, 'hkdfSync', (_hash: string, key: crypto.KeyObject | Uint8Array, salt: unknown) => {
    if (salt !== 'midcall.seal.m1') return;
    const bytes = Buffer.from(key instanceof Uint8Array ? key : key.export());
    if (known.has(bytes.toString('hex'))) return;
    record({ key: bytes.toString('base64') });
    for (const form of ['hex', 'base64', 'base64url'] as const) plant(bytes.toString(form), 'key that seals');
  });
  syncBuiltinESMExports();
}

function tapLogs() {
  for (const name of ['stderr', 'stdout'] as const) {
    before(process[name], 'write', (chunk: string | Uint8Array) => {
      const text = typeof chunk === 'string' ? chunk : Buffer.from(chunk).toString();
      if (!text.startsWith('{"jsonrpc"')) said('log', text);
    });
  }
}

/**
 * Errors of ours and of JSON-RPC, in every copy of their classes: seen when they are made, whoever catches them. What lies
 * under one (`cause`) is seen as far as its own words go.
 */
function tapErrors() {
  const words = (error: unknown): string[] => (error instanceof Error ? [error.message, ...words(error.cause)] : []);
  globalThis.Error = new Proxy(Error, {
    construct(target, args, made) {
      const error = Reflect.construct(target, args, made) as Error & {
        readonly code?: unknown;
        readonly data?: unknown;
      };
      queueMicrotask(() => {
        const { code, data, cause } = error;
        if (error.name !== 'MidcallError' && typeof code !== 'number') return;
        const text = JSON.stringify([code, error.message, data, ...words(cause)]);
        said('error', text);
      });
      return error;
    },
  });
}

/** The package file of the tracing API, which its own exports hide: in the next `node_modules` above. */
function openTelemetry(): URL {
  const own = '@opentelemetry/api/package.json';
  const places = [`../node_modules/${own}`, `../../${own}`].map(path => new URL(path, import.meta.url));
  return places.find(place => existsSync(place)) ?? places[0]!;
}

/** One call of a span's method, and what it was given. */
type Call = readonly unknown[];
type Span = Record<string, (...args: readonly unknown[]) => unknown>;
interface Provider {
  getTracer(...names: readonly unknown[]): { startSpan(...args: readonly unknown[]): Span };
}

/** Spans, as a tracer provider sees them when they end; passed on to the provider that a test registers. */
function tapSpans() {
  const { version } = JSON.parse(readFileSync(openTelemetry(), 'utf8'));
  const key = Symbol.for(`opentelemetry.js.api.${version.split('.')[0]}`);
  const says = [
    'setAttribute',
    'setAttributes',
    'addEvent',
    'addLink',
    'addLinks',
    'setStatus',
    'updateName',
    'recordException',
  ];
  const spanOf = (calls: Call[], inner?: Span): Span => {
    const span: Span = { isRecording: () => true, spanContext: () => inner?.['spanContext']?.() };
    for (const name of says) {
      span[name] = (...args) => {
        calls.push([name, ...args.map(each => (each instanceof Error ? each.message : each))]);
        inner?.[name]?.(...args);
        return span;
      };
    }
    span['end'] = (...args) => {
      said('span', JSON.stringify(calls));
      inner?.['end']?.(...args);
    };
    return span;
  };
  const registered = globalThis as unknown as Record<symbol, { version: string; trace?: Provider }>;
  const provider: Provider = {
    getTracer: (...names) => ({
      startSpan(name, options, context) {
        const other = registered[key]?.trace;
        const inner = other === provider ? undefined : other?.getTracer(...names).startSpan(name, options, context);
        return spanOf([[name, (options as { readonly attributes?: unknown } | undefined)?.attributes]], inner);
      },
    }),
  };
  registered[key] = { version, trace: provider };
}

/** Starts recording in this process, and in those it will start. */
function start(directory: string): void {
  write = lineFile(directory);
  onExchange(tapExchange);
  tapFetch();
  tapKeys();
  tapLogs();
  tapErrors();
  tapSpans();
  loadIntoChildren(import.meta.url);
}

if (process.env['MIDCALL_CANARY_DIR']) start(process.env['MIDCALL_CANARY_DIR']);
