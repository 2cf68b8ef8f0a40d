/** Kills processes while they have the lock of a file, and while they break one. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'vitest';
import { withFileLock } from '../../../packages/host/src/files/file-lock.ts';

const script = fileURLToPath(new URL('./lock-child.mjs', import.meta.url));

/** Locks the file in a process of its own. @returns what it printed, and `killed` if it died on the way */
async function lock(path: string, dieAt: number | 'inside' | 'never'): Promise<string> {
  const child = spawn(process.execPath, [script, path, String(dieAt)], { stdio: ['ignore', 'pipe', 'inherit'] });
  let printed = '';
  child.stdout.setEncoding('utf8').on('data', text => {
    printed += text;
  });
  const [, signal] = (await once(child, 'close')) as [number | null, string | null];
  return signal === 'SIGKILL' ? `${printed}killed\n` : printed;
}

const newPath = (): string => join(mkdtempSync(join(tmpdir(), 'midcall-lock-')), 'file.json');

/**
 * Kills a process that has the lock, then one that breaks it, after each of its operations in turn, and again from the first; after
 * each two, this process gets the lock.
 */
export async function killTwice(count: number): Promise<void> {
  const path = newPath();
  let operations = 0;
  for (let kills = 0, dieAt = 1; kills < count; ) {
    expect(await lock(path, 'inside')).toBe('killed\n');
    const outcome = await lock(path, dieAt);
    if (outcome === 'killed\n') {
      await withFileLock(path, async () => {});
      kills += 1;
      dieAt += 1;
    } else {
      expect(outcome).toBe('done\n');
      operations = dieAt - 1;
      dieAt = 1;
    }
  }
  expect(operations).toBeGreaterThan(8);
}

/** Kills a process that has the lock, then one of two that wait for it, after a drawn operation; the other gets the lock alone. */
export async function killPairs(count: number): Promise<void> {
  const path = newPath();
  for (let pairs = 0, tries = 0; pairs < count; tries += 1) {
    expect(tries).toBeLessThan(count * 10);
    expect(await lock(path, 'inside')).toBe('killed\n');
    const dieAt = 1 + Math.floor(Math.random() * 12);
    const [killed, other] = await Promise.all([lock(path, dieAt), lock(path, 'never')]);
    expect(other, `killed after operation ${dieAt}`).toBe('done\n');
    // One that waits for the other needs fewer operations, and may get through.
    if (killed === 'killed\n') pairs += 1;
    else expect(killed).toBe('done\n');
  }
}
