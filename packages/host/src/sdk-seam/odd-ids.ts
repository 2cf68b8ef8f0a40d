/**
 * Requests of a server whose id is no text or integer. Nobody reads them, so each is answered at once; over HTTP the SDK drops them
 * before anybody sees them, and they are answered from the stream that they come in.
 */
import { isRecord } from '@midcall/core/json';
import type { JsonRpcMessage } from '@midcall/core/sdk-seam';

const message = 'Invalid request: its id must be a text or an integer.';

/** The answer to a request with such an id; undefined for any other message. */
export function refusalOfId({ id, method }: JsonRpcMessage): JsonRpcMessage | undefined {
  if (method === undefined || typeof id !== 'number' || Number.isInteger(id)) return undefined;
  return { jsonrpc: '2.0', id, error: { code: -32600, message } };
}

/** Looks like such an id, so that hardly any other line is parsed twice. */
const looksOdd = /"id"\s*:\s*-?\d+[.e]/iu;

/**
 * @param answer - sends an answer to the server
 * @returns a fetch that has the requests in event streams answered whose ids are no text or integer
 */
export function refusingOddIds(real: typeof fetch, answer: (message: JsonRpcMessage) => void): typeof fetch {
  return async (...request) => {
    const response = await real(...request);
    const isStream = /^text\/event-stream\b/iu.test(response.headers.get('content-type') ?? '');
    if (!response.body || !isStream) return response;
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
    const { status, statusText, headers, url } = response;
    const whole = new Response(response.body.pipeThrough(seen), { status, statusText, headers });
    return Object.defineProperty(whole, 'url', { value: url });
  };
}

function refusalIn(line: string): JsonRpcMessage | undefined {
  if (!line.startsWith('data:') || !looksOdd.test(line)) return undefined;
  try {
    const value: unknown = JSON.parse(line.slice('data:'.length));
    return isRecord(value) ? refusalOfId(value) : undefined;
  } catch {
    return undefined;
  }
}
