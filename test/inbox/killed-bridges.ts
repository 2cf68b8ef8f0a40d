/** Bridges that share an inbox and are killed at any point: every question ends once, and says how. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { expect } from 'vitest';
import { eventually } from '../fixtures/grown.ts';
import { bridge, key, manualClock } from './stage.ts';

const script = fileURLToPath(new URL('./bridge-child.mjs', import.meta.url));

/**
 * Runs two bridges at a time, and kills each at a random line of its output, until so many were killed and so many questions
 * asked.
 * @param rows - the id and end of each question in the database
 */
export async function killBridges(
  where: string,
  rows: () => Promise<readonly (readonly string[])[]>,
  { kills, questions }: { kills: number; questions: number },
): Promise<void> {
  const asked = new Set<string>();
  const judged = new Set<string>();
  const ended = new Map<string, string>();
  const errors: string[] = [];
  let left = kills;
  const oneAfterTheOther = async (): Promise<void> => {
    while (left > 0 || asked.size < questions) {
      left -= 1;
      const child = spawn(process.execPath, [script, where, key.toString('hex')], {
        stdio: ['pipe', 'pipe', 'inherit'],
      });
      let lines = 5 + Math.floor(Math.random() * 120);
      const output = createInterface({ input: child.stdout });
      output.on('line', line => {
        const [word, id, how] = line.split(' ') as [string, string, string];
        if (word === 'asked') asked.add(id);
        if (word === 'judged') judged.add(id);
        if (word === 'ended') ended.set(id, how);
        if (word === 'error') errors.push(line);
        if (--lines === 0) child.kill('SIGKILL');
      });
      await once(output, 'close');
    }
  };
  await Promise.all([oneAfterTheOther(), oneAfterTheOther()]);

  // All of them are dead, so that time may pass for those who watch.
  const clock = manualClock();
  const watcher = await bridge({ where, clock });
  await eventually(async () => {
    clock.advance(3_000);
    await watcher.store.person('ada').open(0, 1);
    return (await rows()).every(([, how]) => how !== 'null');
  });
  const hows = new Map((await rows()).map(([id, how]) => [id!, how!]));
  expect(await watcher.store.record.verify()).toMatchObject({ ok: true });
  const recorded = new Map<string, string[]>();
  for await (const { question, event, how } of watcher.store.record.search()) {
    recorded.set(question!, [...(recorded.get(question!) ?? []), how ?? event]);
  }
  expect(recorded.size).toBe(hows.size);
  for (const [id, how] of hows) expect(recorded.get(id)).toEqual(['asked', how]);
  for (const id of asked) expect(hows.has(id)).toBe(true);
  for (const [id, how] of ended) expect([id, hows.get(id)]).toEqual([id, how]);
  // An answer that was given to the server is never said not to have been.
  for (const id of judged) expect(['answered', 'declined', 'in-doubt']).toContain(hows.get(id));
  expect(errors).toEqual([]);
  expect(ended.size).toBeGreaterThan(0);
  expect([...hows.values()]).toContain('server-gone');
  await watcher.store.stop();
}
