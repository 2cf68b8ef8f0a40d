/**
 * A fetch that stops reading when one message becomes too large: a whole body, or one event of a stream that may be endless.
 * The server chooses what it sends, and all of it would be held in memory.
 */
import { piped } from './response.ts';

/** How much is read of a response, and when. */
export interface FetchLimit {
  /** The limit for one message, in bytes, once it is decompressed. */
  readonly mostBytes: number;
  /** True for a response that is read event by event, each of which is a message; any other is read whole, and limited as a whole. */
  readonly isInEvents?: (response: Response, init: RequestInit | undefined) => boolean;
  /** Called once per response, the rest of which is not read: it fails with what this throws, or else with an error of its own. */
  readonly onTooLarge?: () => void;
  /** Pauses reading: nothing is read until `closed` has resolved. */
  readonly gate?: { readonly closed: Promise<void> | undefined };
}

/** @returns a fetch that has the body of a response fail once a message in it is over the limit */
export function limitedFetch(
  real: typeof fetch,
  { mostBytes, isInEvents = () => false, onTooLarge, gate }: FetchLimit,
): typeof fetch {
  return async (...request) => {
    const response = await real(...request);
    if (!response.body) return response;
    const size = isInEvents(response, request[1]) ? eventSize() : wholeSize();
    const counted = new TransformStream<Uint8Array, Uint8Array>({
      async transform(chunk, controller) {
        await gate?.closed;
        if (size(chunk) <= mostBytes) return controller.enqueue(chunk);
        onTooLarge?.();
        controller.error(new Error(`More than ${mostBytes} bytes in one message.`));
      },
    });
    return piped(response, counted);
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
