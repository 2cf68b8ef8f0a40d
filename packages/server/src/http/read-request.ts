/** Reads requests, no more of each than a server takes. */
import { type Body, readBody, readBytes, takeBody, textOf } from './body.ts';
import type { Refusal } from './refusal.ts';

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
