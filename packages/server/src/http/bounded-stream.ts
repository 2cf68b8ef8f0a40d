/**
 * Event streams whose client may stop reading: data for it is buffered up to a limit, and then its stream is cut. In a session,
 * the client can resume it, as far as its session stores events; any other request is cancelled.
 *
 * - bounded-stream-B1 Data buffered before the cut can still be read, so that a client that keeps reading gets further each
 *   time it resumes a stream, however much is replayed to it at once.
 */
import { isEventStream } from './response-end.ts';

/** How much may be buffered for a slow client. */
export interface UnreadLimit {
  /** Bytes that wait to be read; one message may be larger. */
  readonly mostBytes: number;
  /** Called when a stream was cut because of it. */
  readonly onCut: () => void;
}

/** A response whose body buffers at most the given number of bytes. */
export function boundedStream(response: Response, { mostBytes, onCut }: UnreadLimit): Response {
  const { body, status, statusText, headers } = response;
  if (!body || !isEventStream(response)) return response;
  const reader = body.getReader();
  let failed: { readonly error: unknown } | undefined;
  const fail = (error: unknown): void => {
    failed = { error };
  };
  const kept = new ReadableStream<Uint8Array>(
    {
      // Read as soon as it is written, since the writer observes no limit.
      start: controller =>
        void pump(reader, controller, onCut)
          .catch(fail)
          .finally(() => close(controller)),
      cancel: reason => reader.cancel(reason),
    },
    new ByteLengthQueuingStrategy({ highWaterMark: mostBytes }),
  ).getReader();
  const bounded = new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        const { done, value } = await kept.read();
        if (!done) controller.enqueue(value);
        else if (failed) controller.error(failed.error);
        else controller.close();
      },
      cancel: reason => kept.cancel(reason),
    },
    { highWaterMark: 0 },
  );
  return new Response(bounded, { status, statusText, headers });
}

async function pump(
  reader: ReadableStreamDefaultReader<Uint8Array>,
  controller: ReadableStreamDefaultController<Uint8Array>,
  onCut: () => void,
): Promise<void> {
  for (let read = await reader.read(); !read.done; read = await reader.read()) {
    if (controller.desiredSize !== null && controller.desiredSize <= 0) {
      onCut();
      const slow = new Error('The client reads too slowly.');
      void reader.cancel(slow).catch(() => {});
      throw slow;
    }
    controller.enqueue(read.value);
  }
}

/** Lets buffered data be read; does nothing if the client has gone. */
function close(controller: ReadableStreamDefaultController<Uint8Array>): void {
  try {
    controller.close();
  } catch {
    // There is nobody to read it.
  }
}
