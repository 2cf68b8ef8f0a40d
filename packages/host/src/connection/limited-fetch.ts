/**
 * A fetch that stops reading when one message becomes too large: a whole body, or one event of a stream that may be endless.
 * The server chooses what it sends, and the host holds all of it in memory.
 */
import { ReadingGate } from './reading-gate.ts';

/**
 * @param most - the limit for one message, in bytes
 * @param onTooLarge - called once per response; the rest of it is not read
 * @param gate - nothing is read while it is closed
 */
export function limitedFetch(
  real: typeof fetch,
  most: number,
  onTooLarge: () => void,
  gate = new ReadingGate(),
): typeof fetch {
  return async (...request) => {
    const response = await real(...request);
    if (!response.body) return response;
    const inEvents = response.headers.get('content-type')?.startsWith('text/event-stream') === true;
    const size = inEvents ? eventSize() : wholeSize();
    const counted = new TransformStream<Uint8Array, Uint8Array>({
      async transform(chunk, controller) {
        await gate.closed;
        if (size(chunk) <= most) return controller.enqueue(chunk);
        onTooLarge();
        controller.error(new Error(`More than ${most} bytes in one message.`));
      },
    });
    const { status, statusText, headers, url } = response;
    const limited = new Response(response.body.pipeThrough(counted), { status, statusText, headers });
    return Object.defineProperty(limited, 'url', { value: url });
  };
}

/** Bytes so far, chunk by chunk. */
function wholeSize(): (chunk: Uint8Array) => number {
  let size = 0;
  return chunk => {
    size += chunk.length;
    return size;
  };
}

const [lineFeed, carriageReturn] = [10, 13];

/** The size in bytes of the largest event so far, counted chunk by chunk; an empty line ends an event. */
function eventSize(): (chunk: Uint8Array) => number {
  let [size, line, last] = [0, 0, 0];
  return chunk => {
    let largest = 0;
    for (const byte of chunk) {
      size += 1;
      const ends = byte === carriageReturn || (byte === lineFeed && last !== carriageReturn);
      if (ends && line === 0) [largest, size] = [Math.max(largest, size), 0];
      if (ends) line = 0;
      else if (byte !== lineFeed) line += 1;
      last = byte;
    }
    return Math.max(largest, size);
  };
}
