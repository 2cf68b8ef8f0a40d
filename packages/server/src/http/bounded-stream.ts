/**
 * Event streams whose client may stop reading: what is written for it is kept up to a limit, and then its stream is cut. In a session,
 * the client can resume it, as far as its session keeps events; any other request is cancelled by it.
 */

import type { UnreadLimit } from './direct-sender.ts';

/** A response whose body buffers at most so many bytes. */
export function boundedStream(response: Response, { mostBytes, onCut }: UnreadLimit): Response {
  const { body, status, statusText, headers } = response;
  if (!body || headers.get('content-type')?.startsWith('text/event-stream') !== true) return response;
  const reader = body.getReader();
  const bounded = new ReadableStream<Uint8Array>(
    {
      start(controller) {
        // Read as soon as it is written: whoever writes looks at no limit.
        void pump(reader, controller, onCut);
      },
      cancel: reason => reader.cancel(reason),
    },
    new ByteLengthQueuingStrategy({ highWaterMark: mostBytes }),
  );
  return new Response(bounded, { status, statusText, headers });
}

async function pump(
  reader: ReadableStreamDefaultReader<Uint8Array>,
  controller: ReadableStreamDefaultController<Uint8Array>,
  onCut: () => void,
): Promise<void> {
  try {
    for (let read = await reader.read(); !read.done; read = await reader.read()) {
      if (controller.desiredSize !== null && controller.desiredSize <= 0) {
        onCut();
        const slow = new Error('The client reads too slowly.');
        controller.error(slow);
        await reader.cancel(slow);
        return;
      }
      controller.enqueue(read.value);
    }
    controller.close();
  } catch (error) {
    // Where the client has gone, there is nobody to tell.
    controller.error(error);
  }
}
