import type { Writable } from 'node:stream';

/**
 * Writes to a stream at the end of this turn of the event loop, together with whatever else is said in it: each write is a system
 * call that wakes the reader.
 * @param written - called after that
 */
export function writeTogether(stream: Writable, text: string, written: () => void): void {
  if (stream.writableCorked === 0) corkTurn(stream, written);
  stream.write(text);
}

/** As {@link writeTogether}, but the first text of a turn leaves at once: its reader may wait for nothing else. */
export function writeFirstAtOnce(stream: Writable, text: string): void {
  const isFirst = stream.writableCorked === 0;
  stream.write(text);
  if (isFirst) corkTurn(stream, () => {});
}

function corkTurn(stream: Writable, written: () => void): void {
  stream.cork();
  // Runs after all promises that settle in this turn.
  process.nextTick(() => {
    stream.uncork();
    written();
  });
}
