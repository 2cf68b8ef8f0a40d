/** Counts what suspended calls keep, in a process of its own; used by the reduced and the full test. */
import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

export interface Kept {
  readonly count: number;
  /** Bytes of heap and buffers, after collection. */
  readonly before: number;
  readonly after: number;
  /** Handlers that were not collected. */
  readonly alive: number;
}

export function suspended(count: number): Kept {
  const script = fileURLToPath(new URL('../../fixtures/suspended-calls.mjs', import.meta.url));
  return JSON.parse(
    execFileSync(process.execPath, ['--expose-gc', script, String(count)], { encoding: 'utf8' }),
  ) as Kept;
}
