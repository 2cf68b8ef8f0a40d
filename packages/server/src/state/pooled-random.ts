/** Random bytes, obtained from the system many at a time, since the call costs more than the bytes. */
import { randomFillSync } from 'node:crypto';

/** @returns a source of random bytes; each byte is handed out once, and forgotten here */
export const pooledRandom = (): ((size: number) => Buffer) =>
  pooled((pool, from, to) => {
    const bytes = Buffer.allocUnsafe(to - from);
    pool.copy(bytes, 0, from, to);
    return bytes;
  });

/**
 * @returns a source of random texts in base64url, of the given number of bytes each; each byte is handed out once, and
 *   forgotten here
 */
export const pooledRandomText = (): ((size: number) => string) =>
  pooled((pool, from, to) => pool.toString('base64url', from, to));

function pooled<T>(take: (pool: Buffer, from: number, to: number) => T): (size: number) => T {
  const pool = Buffer.alloc(4096);
  let used = pool.length;
  return size => {
    if (used + size > pool.length) {
      randomFillSync(pool);
      used = 0;
    }
    const taken = take(pool, used, used + size);
    pool.fill(0, used, used + size);
    used += size;
    return taken;
  };
}
