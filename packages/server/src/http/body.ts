/**
 * The body of a POST: what may be read at all, and which batches may be served. Both are checked before anything traverses the
 * body.
 */
import { nests, textNests, tooDeeply } from '@midcall/core/json';
import { withClientVersion } from '@midcall/core/sdk-seam';
import { hasBatches } from '../base/index.ts';
import type { Refusal } from './refusal.ts';

/** The most messages in a batch; the SDK's own limit, which it applies after it has looked at each. */
const maxBatch = 100;

const tooDeep: Refusal = {
  status: 400,
  code: -32600,
  message: tooDeeply('body'),
};
const cutOff: Refusal = { status: 400, code: -32700, message: 'The request has ended before its body.' };
const tooLarge: Refusal = { status: 413, code: -32000, message: 'The request is too large.' };
const notJson: Refusal = { status: 400, code: -32700, message: 'Parse error: the body is not JSON.' };
const badBatch = (message: string): Refusal => ({ status: 400, code: -32600, message });

/** A body that was read, or why it was not. */
export type Body = { readonly value: unknown } | { readonly refusal: Refusal };

/** The bytes that were read, or why they were not. */
export type BodyBytes = { readonly bytes: Uint8Array<ArrayBuffer> } | { readonly refusal: Refusal };

/**
 * Reads the body of a request.
 * @param maxBytes - the maximum size; a longer one is not read to the end if its length is not declared
 */
async function readBytes(request: Request, maxBytes: number): Promise<BodyBytes> {
  const isRead = request.bodyUsed;
  try {
    return await bytesWithin(request, maxBytes);
  } catch (error) {
    if (isRead) throw error;
    // Its client has left: nothing has failed here, and a line for each could fill a log.
    return { refusal: cutOff };
  }
}

async function bytesWithin(request: Request, maxBytes: number): Promise<BodyBytes> {
  const declared = request.headers.get('content-length') ?? '';
  if (Number(declared) > maxBytes) return { refusal: tooLarge };
  // An HTTP server reads no more than is declared; but a request may have been made by hand.
  if (/^\d+$/.test(declared)) {
    const bytes = new Uint8Array(await request.arrayBuffer());
    return bytes.byteLength > maxBytes ? { refusal: tooLarge } : { bytes };
  }
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of (request.body ?? []) as AsyncIterable<Uint8Array>) {
    length += chunk.byteLength;
    if (length > maxBytes) return { refusal: tooLarge };
    chunks.push(chunk);
  }
  return { bytes: joined(chunks, length) };
}

function joined(chunks: readonly Uint8Array[], length: number): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(length);
  let at = 0;
  for (const chunk of chunks) {
    bytes.set(chunk, at);
    at += chunk.byteLength;
  }
  return bytes;
}

/** The text of a body, as `Request.text` reads it. */
const textOf = (bytes: Uint8Array): string => decoder.decode(bytes);

const decoder = new TextDecoder();

/** Reads the text of a body. */
function readBody(text: string): Body {
  if (textNests(text)) return { refusal: tooDeep };
  try {
    return judged(JSON.parse(text));
  } catch {
    return { refusal: notJson };
  }
}

/** A request for a factory, with a readable body: the factory may want to know what the client declares. */
export const unread = ({ url, method, headers }: Request, body: unknown): Request =>
  new Request(url, { method, headers, ...(method === 'POST' && { body: JSON.stringify(body) }) });

/** Checks a body that somebody else has parsed. */
function takeBody(value: unknown): Body {
  return nests(value) ? { refusal: tooDeep } : judged(value);
}

function judged(value: unknown): Body {
  if (!Array.isArray(value)) return { value: withClientVersion(value) };
  if (value.length === 0) return { refusal: badBatch('The batch is empty. Send one message.') };
  if (value.length > maxBatch) {
    return { refusal: badBatch(`The batch has ${value.length} messages, and may have ${maxBatch}.`) };
  }
  if (value.some(each => (each as { method?: unknown } | null)?.method === 'initialize')) {
    return { refusal: badBatch('initialize must be sent by itself, not in a batch.') };
  }
  return { value };
}

/** Why a session does not serve this body; undefined if it may. */
export function batchRefusal(body: unknown, revision: string | undefined): Refusal | undefined {
  if (!Array.isArray(body) || hasBatches(revision)) return undefined;
  return badBatch(
    `${revision === undefined ? 'This revision' : `Revision ${revision}`} has no batches. Send each message by itself.`,
  );
}

/** The ids of the requests in a body. */
export const requestsIn = (body: unknown): readonly unknown[] =>
  Array.isArray(body) ? body.flatMap(requestIn) : requestIn(body);

function requestIn(message: unknown): readonly unknown[] {
  const { id, method } = (message ?? {}) as { readonly id?: unknown; readonly method?: unknown };
  return id !== undefined && method !== undefined ? [id] : [];
}

/** True for a request to listen, which has no response until it ends. */
export const listens = (body: unknown): boolean =>
  (body as { readonly method?: unknown } | null)?.method === 'subscriptions/listen';

/** Methods of which no `Request` can be made (fetch standard, "Methods"); a Node server may receive them. */
const unmade = ['TRACE', 'TRACK', 'CONNECT'];
const made = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'];

/**
 * The body of a POST; undefined for another method.
 * @param parsed - the body, if a parser in front of the endpoint has read it
 */
export async function readRequest(request: Request, parsed: unknown, maxBytes: number): Promise<Body> {
  if (request.method !== 'POST') return { value: undefined };
  if (parsed !== undefined) return takeBody(parsed);
  const read = await readBytes(request, maxBytes);
  return 'refusal' in read ? read : readBody(textOf(read.bytes));
}

/** A request whose body is within the size limit. */
export async function boundRequest(request: Request, maxBytes: number): Promise<Request | Refusal> {
  if (['GET', 'HEAD'].includes(request.method)) return request;
  if (unmade.includes(request.method)) {
    return { status: 405, code: -32000, message: `${request.method} is not served.`, allow: made };
  }
  const read = await readBytes(request, maxBytes);
  if ('refusal' in read) return read.refusal;
  const { url, method, headers } = request;
  return new Request(url, { method, headers, body: read.bytes });
}
