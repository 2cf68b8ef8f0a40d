/** Reads lines of a stranger's stream. A line may never end, so only its beginning is held. */
import type { Readable } from 'node:stream';
import { StringDecoder } from 'node:string_decoder';

/** How much of a line is read, in UTF-16 code units; the rest of it is dropped. */
export const widestLine = 2_000;

/**
 * Reads a stream to its end.
 * @param stream - UTF-8, whose errors the caller handles
 * @param onLine - called with each line without its break, at most {@link widestLine} of it; also with a last line that has no break
 */
export function readLines(stream: Readable, onLine: (line: string) => void): void {
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
  stream.on('data', (chunk: Buffer) => take(decoder.write(chunk)));
  stream.once('end', () => {
    take(decoder.end());
    if (begun !== '') onLine(begun);
  });
}
