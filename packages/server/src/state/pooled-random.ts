/** Random bytes, drawn from the system many at a time, since the call costs more than the bytes. */
import { randomFillSync } from 'node:crypto';

/** @returns a source of random bytes; each byte is handed out once, and forgotten here */
export function pooledRandom(): (size: number) => Buffer {
  const pool = Buffer.alloc(4096);
  let used = pool.length;
  return size => {
    if (used + size > pool.length) {
      randomFillSync(pool);
      used = 0;
    }
    const bytes = Buffer.allocUnsafe(size);
    pool.copy(bytes, 0, used, used + size);
    pool.fill(0, used, used + size);
    used += size;
    return bytes;
  };
}
