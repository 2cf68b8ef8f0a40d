/** Kills hosts while they make a call that the person was asked about, and judges what the same call made again is told. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { expect } from 'vitest';
import { seeded } from '../../server/call/crash-claims.ts';

const script = fileURLToPath(new URL('./killed-caller.mjs', import.meta.url));

/** More operations on files than a call takes. */
const mostOperations = 60;

/**
 * Kills `kills` hosts, one after the other, the first one as soon as its call is made, and each other one after a drawn number of
 * operations on files. Makes each call again in a host that lives and whose person says no.
 * @returns how many of the calls had ended in each way
 */
export async function killCallers(kills: number, random = seeded(11)): Promise<ReadonlyMap<string, number>> {
  const folder = mkdtempSync(join(tmpdir(), 'midcall-callers-'));
  const log = join(folder, 'log');
  writeFileSync(log, '');
  const run = async (name: string, action: string, dieAt: number | 'once made') => {
    const args = [script, log, join(folder, 'consent.json'), name, action, String(dieAt)];
    const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
    const said: string[] = [];
    const lines = createInterface({ input: child.stdout }).on('line', line => said.push(line));
    await Promise.all([once(child, 'exit'), once(lines, 'close')]);
    return {
      asked: said.find(line => line.startsWith('asked'))?.slice(6),
      ended: said.find(line => line.startsWith('ended'))?.slice(6),
    };
  };
  const ways = new Map<string, number>();
  for (let kill = 0; kill < kills; kill += 1) {
    const name = `call-${kill}`;
    const first = await run(name, 'accept', kill === 0 ? 'once made' : random(mostOperations));
    const again = await run(name, 'decline', 0);
    const executed = readFileSync(log, 'utf8')
      .split('\n')
      .filter(line => line === name).length;
    const way = first.ended ?? again.ended ?? 'nothing was said';
    const about = `${name}: ${JSON.stringify({ first, again, executed })}`;
    expect(['executed', 'not-executed', 'in-doubt'], about).toContain(way);
    expect(executed, about).toBeLessThanOrEqual(1);
    if (way === 'executed') expect(executed, about).toBe(1);
    // The person who is asked about it again is told, if it was made.
    const saysMade = again.asked?.includes('the same call was made') ?? false;
    if (way === 'not-executed') expect(saysMade, about).toBe(executed === 1);
    ways.set(way, (ways.get(way) ?? 0) + 1);
  }
  return ways;
}
