/**
 * Sends a request on to another bridge unchanged, and streams the response back. If the other bridge ends meanwhile, a stream
 * of events ends too: that of a session can be resumed, and any other ends with an error that says so.
 */
import { type ClientRequest, type IncomingMessage, request as unencrypted } from 'node:http';
import { request as secure } from 'node:https';
import { Readable } from 'node:stream';
import { own } from '@midcall/core/json';

/** What a client is told if the bridge that its request was sent to has ended. */
export const endUnknown =
  'The bridge that handled this request has ended, and it is not known what took effect. Find out before calling again.';

/** Why there is no response. */
export class NoResponse extends Error {
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
 * @param body - of a POST, as it was read
 * @param to - the address of the other bridge
 * @param more - headers besides those of the request
 * @throws NoResponse if there is none; the reason of the request's signal once its client has disconnected
 */
export function sendOn(
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
