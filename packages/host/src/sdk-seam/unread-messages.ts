/**
 * Messages of a server that are not read, each of which still has an answer, so that no call is left without an end: requests
 * whose id is no text or integer, and messages that nest too deeply.
 */
import { isEventStream, piped } from '@midcall/core/fetch';
import { fromJson, isRecord, nests, own } from '@midcall/core/json';
import type { JsonRpcMessage } from '@midcall/core/sdk-seam';
import { RELATED_TASK_META_KEY } from '@modelcontextprotocol/client';

const message = 'Invalid request: its id must be a text or an integer.';

/** The answer to a request whose id is no text or integer; undefined for any other message. */
function refusalOfId({ id, method }: JsonRpcMessage): JsonRpcMessage | undefined {
  if (method === undefined || typeof id !== 'number' || Number.isSafeInteger(id)) return undefined;
  return { jsonrpc: '2.0', id, error: { code: -32600, message } };
}

/**
 * True for a response that the SDK reads event by event. Of all others it holds the whole text, even of a stream of events: those to what
 * is no request, acknowledgements, and errors.
 */
export function isInEvents(response: Response, init: RequestInit = {}): boolean {
  if (!response.ok || response.status === 202 || !isEventStream(response)) return false;
  return init.method === 'GET' || isRequest(init);
}

/** True if a JSON-RPC request is sent. */
export function isRequest({ method, body }: RequestInit = {}): boolean {
  if (method !== 'POST' || typeof body !== 'string') return false;
  const message = fromJson(body);
  return own(message, 'method') !== undefined && own(message, 'id') !== undefined;
}

/** Looks like such an id, so that hardly any other line is parsed twice. */
const looksOdd = /"id"\s*:\s*-?\d+[.e]/iu;

/**
 * Answers such requests over HTTP from the stream that they come in: the SDK drops them before anybody sees them.
 * @param answer - sends an answer to the server
 * @returns a fetch that has the requests in event streams answered whose ids are no text or integer
 */
export function refusingOddIds(real: typeof fetch, answer: (message: JsonRpcMessage) => void): typeof fetch {
  return async (...request) => {
    const response = await real(...request);
    if (!response.body || !isEventStream(response)) return response;
    const decoder = new TextDecoder();
    let begun: string[] = [];
    const seen = new TransformStream<Uint8Array, Uint8Array>({
      transform(chunk, controller) {
        const [first = '', ...lines] = decoder.decode(chunk, { stream: true }).split(/\r\n|\r|\n/u);
        begun.push(first);
        for (const next of lines) {
          const refusal = refusalIn(begun.join(''));
          if (refusal) answer(refusal);
          begun = [next];
        }
        controller.enqueue(chunk);
      },
    });
    return piped(response, seen);
  };
}

function refusalIn(line: string): JsonRpcMessage | undefined {
  if (!line.startsWith('data:') || !looksOdd.test(line)) return undefined;
  const value = fromJson(line.slice('data:'.length));
  return isRecord(value) ? refusalOfId(value) : undefined;
}

/** The most levels that a message may nest: code that writes out or walks through a deeper one runs out of stack. */
export const mostLevels = 1_000;
const why = (what: string): string =>
  `The server sent ${what} that nests more than ${mostLevels} levels. It is not read.`;

/** What becomes of a message: it is `read`, or something is read in its place, or the server is answered, or neither. */
export type ReadMessage = { readonly read?: JsonRpcMessage; readonly answer?: JsonRpcMessage };

/**
 * Decides what becomes of a message.
 * @param message - as received
 */
export function withinNesting(message: JsonRpcMessage): ReadMessage {
  const refusal = refusalOfId(message);
  if (refusal) return { answer: refusal };
  if (!nests(message, mostLevels)) return { read: wholeRequest(message) };
  const { id, method } = message;
  if (id === undefined) return {};
  if (method !== undefined)
    return { answer: { jsonrpc: '2.0', id, error: { code: -32600, message: why('a request') } } };
  return { read: { jsonrpc: '2.0', id, error: { code: -32603, message: why('an answer') } } };
}

const members = new Set(['jsonrpc', 'id', 'method', 'params']);

/** A request or notification without what the SDK would drop it for: members that it does not have, and a `_meta` that is none. */
function wholeRequest(message: JsonRpcMessage): JsonRpcMessage {
  const { jsonrpc, id, method, params } = message;
  if (method === undefined) return message;
  const meta = own(params, '_meta');
  const { progressToken: token, [RELATED_TASK_META_KEY]: task, ...others } = isRecord(meta) ? meta : {};
  const hasToken = typeof token === 'string' || Number.isSafeInteger(token);
  const hasTask = typeof own(task, 'taskId') === 'string';
  const isWhole =
    (meta === undefined || isRecord(meta)) && (token === undefined || hasToken) && (task === undefined || hasTask);
  if (isWhole && Object.keys(message).every(name => members.has(name))) return message;
  const whole = {
    ...others,
    ...(hasToken && { progressToken: token }),
    ...(hasTask && { [RELATED_TASK_META_KEY]: task }),
  };
  const { _meta: _, ...rest } = isRecord(params) ? params : {};
  const read = Object.keys(whole).length > 0 ? { ...rest, _meta: whole } : rest;
  return { jsonrpc, ...(id !== undefined && { id }), method, ...(isRecord(params) && { params: read }) };
}
