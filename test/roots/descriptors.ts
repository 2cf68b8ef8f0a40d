import { readdirSync, readlinkSync } from 'node:fs';

/** How many descriptors of this process lead to a path or below it. */
export function descriptorsBelow(path: string): number {
  let count = 0;
  for (const fd of readdirSync('/proc/self/fd')) {
    try {
      if (readlinkSync(`/proc/self/fd/${fd}`).startsWith(path)) count += 1;
    } catch {
      // Closed in between, as the one that listed the directory was.
    }
  }
  return count;
}
