import type { Writable } from 'node:stream';

const nothing = (): void => {};

/**
 * Writes to a stream. The first text of this turn of the event loop leaves at once, since somebody may wait for nothing else; what
 * follows is collected until the end of the turn and then written together: each write is a system call that wakes the reader.
 * @param written - called at the end of the turn
 */
export function writeTogether(stream: Writable, text: string, written: () => void = nothing): void {
  const isFirst = stream.writableCorked === 0;
  stream.write(text);
  if (!isFirst) return;
  stream.cork();
  // Runs after all promises that settle in this turn.
  process.nextTick(() => {
    stream.uncork();
    written();
  });
}
