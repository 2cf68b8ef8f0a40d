/**
 * Reads lines of a stranger's stream. A line may never end, so only its beginning is held; and the stream may be a flood, so it is
 * read no faster than {@link mostBytesAtOnce} per {@link pauseMs}, and whoever writes it waits.
 */
import type { Readable } from 'node:stream';
import { StringDecoder } from 'node:string_decoder';
import { type Clock, idleClock } from '@midcall/core/time';

/** How much of a line is read, in UTF-16 code units; the rest of it is dropped. */
export const widestLine = 2_000;
/** After how many bytes reading pauses, and for how many milliseconds. */
const mostBytesAtOnce = 128 * 1024;
const pauseMs = 50;

/**
 * Reads a stream to its end.
 * @param stream - UTF-8, whose errors the caller handles
 * @param onLine - called with each line without its break, at most {@link widestLine} of it; also with a last line that has no break
 */
export function readLines(stream: Readable, onLine: (line: string) => void, clock: Clock = idleClock): void {
  const decoder = new StringDecoder('utf8');
  let begun = '';
  let endedInReturn = false;
  const more = (text: string): void => {
    begun += text.slice(0, widestLine - begun.length);
  };
  const take = (text: string): void => {
    if (text === '') return;
    // The second half of a break that two chunks share.
    const rest = endedInReturn && text.startsWith('\n') ? text.slice(1) : text;
    endedInReturn = text.endsWith('\r');
    const [first = '', ...others] = rest.split(/\r\n|[\r\n]/);
    more(first);
    for (const next of others) {
      const line = begun;
      begun = '';
      more(next);
      onLine(line);
    }
  };
  let bytes = 0;
  stream.on('data', (chunk: Buffer) => {
    take(decoder.write(chunk));
    bytes += chunk.length;
    if (bytes < mostBytesAtOnce) return;
    bytes = 0;
    stream.pause();
    clock.after(pauseMs, () => stream.resume());
  });
  stream.once('end', () => {
    take(decoder.end());
    if (begun !== '') onLine(begun);
  });
}
