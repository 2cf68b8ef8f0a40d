/**
 * Responses as JSON in place of a stream, where one message is all there is: whoever compresses responses compresses these, and
 * proxies that buffer streams pass them on.
 */
import { type Clock, onAbort } from '@midcall/core/time';
import { isEventStream } from './response-end.ts';

/**
 * @param response - of the SDK's transport, which writes each event as one chunk
 * @param gone - fires when the client is gone: then the stream is passed on at once, and ends
 * @param waitMs - how many milliseconds the message may take
 * @returns the message as JSON if it came in time and ended the stream; otherwise the same stream
 */
export async function wholeInTime(
  response: Response,
  gone: AbortSignal,
  waitMs: number,
  clock: Pick<Clock, 'after'>,
): Promise<Response> {
  const { status, body, headers } = response;
  if (!body || !isEventStream(response)) return response;
  const reader: ReadableStreamDefaultReader<Uint8Array> = body.getReader();
  let stop = (): void => {};
  const late = new Promise<'late'>(resolve => {
    const isLate = (): void => resolve('late');
    const stopClock = clock.after(waitMs, isLate);
    const unwatch = onAbort(gone, isLate);
    stop = () => {
      stopClock();
      unwatch();
    };
  });
  const chunks: Uint8Array[] = [];
  let message: string | undefined;
  let next = reader.read();
  try {
    for (;;) {
      const read = await Promise.race([next, late]);
      if (read === 'late' || (read.done && message === undefined)) break;
      if (read.done) return new Response(message, { status, headers: jsonHeaders(headers) });
      chunks.push(read.value);
      next = reader.read();
      const data = dataOf(read.value);
      // An event without data only gives the stream its first id.
      if (data === '') continue;
      if (message !== undefined || !isResponse(data)) break;
      message = data;
    }
  } catch {
    // The stream that is passed on fails with the same error.
  } finally {
    stop();
  }
  // Whoever reads on gets its error, if it has one.
  next.catch(() => {});
  /** What was being read when the time was up; nothing is read ahead after it. */
  let first: typeof next | undefined = next;
  const rest = new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        const chunk = chunks.shift();
        if (chunk) return controller.enqueue(chunk);
        const read = await (first ?? reader.read());
        first = undefined;
        if (read.done) return controller.close();
        controller.enqueue(read.value);
      },
      cancel: reason => reader.cancel(reason),
    },
    { highWaterMark: 0 },
  );
  return new Response(rest, { status, headers });
}

const decoder = new TextDecoder();

/** The data of an event; empty if it has none. */
const dataOf = (event: Uint8Array): string => /^data: (.*)$/mu.exec(decoder.decode(event))?.[1] ?? '';

const isResponse = (message: string): boolean => !('method' in (JSON.parse(message) as object));

function jsonHeaders(stream: Headers): Headers {
  const headers = new Headers({ 'content-type': 'application/json' });
  const session = stream.get('mcp-session-id');
  if (session !== null) headers.set('mcp-session-id', session);
  return headers;
}
