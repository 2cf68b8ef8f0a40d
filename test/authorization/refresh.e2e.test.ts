/** A sign-in that several processes find ended at the same moment is renewed once. */
import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { expect, it, onTestFinished } from 'vitest';
import { grown } from '../fixtures/grown.ts';
import { folderOfVault, guarded, hostOf } from './stage.ts';

const child = fileURLToPath(new URL('refresh-child.mjs', import.meta.url));

it('authorizer-Z2: the refresh token is presented once, by three processes that race for it', async () => {
  const { url, granted } = await guarded();
  const { folder, vault } = await folderOfVault();
  await hostOf(url, { era: '2026-07-28', vault: vault() }).connection.start();
  const later = String(Date.now() + 7_200_000);
  const racers = [1, 2, 3].map(() => {
    const racer = spawn(process.execPath, [child, folder, url.href, later], { stdio: ['pipe', 'pipe', 'inherit'] });
    const lines: string[] = [];
    createInterface({ input: racer.stdout }).on('line', line => lines.push(line));
    onTestFinished(() => void racer.kill());
    return { racer, lines };
  });
  await Promise.all(racers.map(({ lines }) => grown(lines, list => list.length > 0)));
  for (const { racer } of racers) racer.stdin.write('go\n');
  await Promise.all(racers.map(({ lines }) => grown(lines, list => list.length > 1)));
  expect(racers.map(({ lines }) => lines[1])).toEqual(Array.from(racers, () => 'completed: alice'));
  expect(granted).toEqual(['authorization_code', 'refresh_token']);
});
