import type { Writable } from 'node:stream';

/**
 * Collects what is written to a stream until the end of this turn of the event loop, and then writes it at once: each write is a
 * system call that wakes the reader.
 * @param written - called after that
 */
export function writeTogether(stream: Writable, written: () => void = () => {}): void {
  if (stream.writableCorked > 0) return;
  stream.cork();
  // Runs after all promises that settle in this turn.
  process.nextTick(() => {
    stream.uncork();
    written();
  });
}
