/**
 * Several bridges that share one address. An upstream server, its calls and its questions belong to one of them, so each
 * request goes to the bridge that runs the servers of its principal, whichever bridge received it.
 *
 * - pass-on-O1 A request is executed by one bridge. If it is unknown whether it was, it is not sent again, unless its session
 *   recognizes a repeated request.
 * - pass-on-O2 A request is passed on once, so that two bridges never send it back and forth.
 */

import { type ClientRequest, type IncomingMessage, request as unencrypted } from 'node:http';
import { request as secure } from 'node:https';
import { Readable } from 'node:stream';
import { isMidcallError } from '@midcall/core/errors';
import { own } from '@midcall/core/json';
import { type Clock, pause, steadyNow } from '@midcall/core/time';
import type { Owners } from '@midcall/server/fleet';

/** What passing on needs. */
export interface PassOnOptions {
  readonly owners: Pick<Owners, 'ownerOf'>;
  readonly clock: Clock;
  readonly onError: (error: Error) => void;
}

/** Marks requests that were passed on, and the responses of bridges that no longer run the servers. */
const mark = 'midcall-bridge';
/** How many milliseconds a request waits for a bridge that cannot be reached; after that, the bridge is taken to be dead. */
const waitMs = 15_000;
const pauseMs = 250;

/**
 * @param name - names a principal's servers for an entry; the same in every bridge
 * @param body - of the request, as it was read
 * @returns the response of the bridge that runs them; undefined if this one does
 */
export async function passOn(
  name: string,
  request: Request,
  body: unknown,
  { owners, clock, onError }: PassOnOptions,
): Promise<Response | undefined> {
  const until = steadyNow(clock) + waitMs;
  let isTold = false;
  // A client that gives up and makes the same call as another request could have it executed twice.
  let mayBeExecuted = false;
  const notNow = (message: string): Response => refused(503, mayBeExecuted ? endUnknown : message, body);
  for (;;) {
    const owner = await owners.ownerOf(name).catch((error: unknown) => {
      if (isMidcallError(error, 'store/unavailable') || isMidcallError(error, 'store/corrupt')) onError(error);
      else if (!isMidcallError(error, 'call/closed')) throw error;
      return undefined;
    });
    if (owner === 'here') return undefined;
    if (!owner) return notNow(`This bridge cannot serve now. ${notBegun}`);
    if (request.headers.has(mark))
      return refused(503, 'Another bridge runs this server now. Send the request again.', body, { [mark]: 'moved' });
    try {
      const response = await sendOn(request, body, owner, { [mark]: 'passed on' });
      if (response.status !== 503 || response.headers.get(mark) !== 'moved') return response;
      await response.body?.cancel();
    } catch (error) {
      if (!(error instanceof NoResponse)) throw error;
      if (!isTold) onError(error);
      isTold = true;
      mayBeExecuted ||= !error.unread && request.method === 'POST';
      if (mayBeExecuted && !mayRepeat(request)) return refused(502, endUnknown, body);
    }
    if (steadyNow(clock) >= until) return notNow(`The bridge that runs this server cannot be reached. ${notBegun}`);
    await pause(pauseMs, clock);
  }
}

/** A session runs a request once, however often it is sent (pass-on-O1). */
const mayRepeat = ({ method, headers }: Request): boolean => method !== 'POST' || headers.has('mcp-session-id');

function refused(status: number, message: string, body: unknown, headers: Record<string, string> = {}): Response {
  const id = own(body, 'id') ?? null;
  return Response.json(
    { jsonrpc: '2.0', id, error: { code: -32000, message } },
    { status, headers: { ...headers, ...(status === 503 && { 'retry-after': '1' }) } },
  );
}

/** What was sent here may have been sent before, as by a load balancer. */
const notBegun =
  'This bridge has begun nothing. If the request was sent before, find out what took effect; otherwise send it again later.';

/** What a client is told if the bridge that its request was sent to has ended. */
const endUnknown =
  'The bridge that handled this request has ended, and it is not known what took effect. Find out before calling again.';

/** Why there is no response. */
class NoResponse extends Error {
  override readonly name = 'NoResponse';
  /** True if the other bridge cannot have read any of the request. */
  readonly unread: boolean;

  constructor(unread: boolean, cause: unknown) {
    super(unread ? 'The other bridge cannot be reached.' : 'The other bridge ended before it responded.', { cause });
    this.unread = unread;
  }
}

/** Headers of one connection only, or that are set anew for the next. */
const ofConnection = new Set([
  ...['connection', 'keep-alive', 'transfer-encoding', 'upgrade', 'te', 'trailer', 'expect', 'host', 'content-length'],
]);

/**
 * Sends a request on to another bridge unchanged, and streams the response back. If the other bridge ends meanwhile, a stream of
 * events ends too: that of a session can be resumed, and any other ends with an error that says so.
 * @param body - of a POST, as it was read
 * @param to - the address of the other bridge
 * @param more - headers besides those of the request
 * @throws NoResponse if there is none; the reason of the request's signal once its client has disconnected
 */
function sendOn(
  { url, method, headers, signal }: Request,
  body: unknown,
  to: URL,
  more: Readonly<Record<string, string>>,
): Promise<Response> {
  const { pathname, search } = new URL(url);
  const text = method === 'POST' ? JSON.stringify(body) : undefined;
  const sent = Object.fromEntries([...headers].filter(([name]) => !ofConnection.has(name)));
  return new Promise((resolve, reject) => {
    if (signal.aborted) return reject(signal.reason);
    const make = to.protocol === 'https:' ? secure : unencrypted;
    // A new connection: on a reused one, it would be unknown whether the request was still read.
    const outgoing: ClientRequest = make(new URL(`${pathname}${search}`, to), {
      method,
      agent: false,
      headers: { ...sent, ...more, ...(text !== undefined && { 'content-length': Buffer.byteLength(text) }) },
    });
    let isConnected = false;
    const stop = (): void => void outgoing.destroy();
    signal.addEventListener('abort', stop, { once: true });
    outgoing.on('socket', socket =>
      socket.once(to.protocol === 'https:' ? 'secureConnect' : 'connect', () => {
        isConnected = true;
      }),
    );
    outgoing.on('close', () => signal.removeEventListener('abort', stop));
    outgoing.on('error', error => reject(signal.aborted ? signal.reason : new NoResponse(!isConnected, error)));
    const id = method === 'POST' && !headers.has('mcp-session-id') ? own(body, 'id') : undefined;
    const error = { code: -32000, message: endUnknown };
    const lastWords =
      id === undefined ? '' : `\n\nevent: message\ndata: ${JSON.stringify({ jsonrpc: '2.0', id, error })}\n\n`;
    outgoing.on('response', incoming => resolve(responseOf(incoming, lastWords)));
    outgoing.end(text);
  });
}

function responseOf(incoming: IncomingMessage, lastWords: string): Response {
  const headers = new Headers();
  for (const [name, values] of Object.entries(incoming.headersDistinct))
    if (!ofConnection.has(name)) for (const value of values ?? []) headers.append(name, value);
  const status = incoming.statusCode ?? 502;
  const hasBody = status !== 204 && status !== 304;
  if (!hasBody) incoming.resume();
  const isEvents = incoming.headers['content-type']?.startsWith('text/event-stream') === true;
  const source = isEvents ? Readable.from(untilCut(incoming, lastWords), { objectMode: false }) : incoming;
  // Without a strategy that counts bytes, thousands of chunks would wait for a client that does not read.
  const strategy = new ByteLengthQueuingStrategy({ highWaterMark: 65_536 });
  const body = hasBody ? (Readable.toWeb(source, { strategy }) as ReadableStream<Uint8Array>) : null;
  return new Response(body, { status, headers });
}

/** Streams of events end too, when their connection is cut. */
async function* untilCut(incoming: IncomingMessage, lastWords: string): AsyncGenerator<Buffer> {
  try {
    yield* incoming as AsyncIterable<Buffer>;
  } catch {
    if (lastWords !== '') yield Buffer.from(lastWords);
  }
}
