/** What is left of files that a process was writing when it was killed. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { draftIn, writeWhole } from '@midcall/core/node';
import { expect, it } from 'vitest';
import { withFileLock } from '../../../packages/host/src/files/file-lock.ts';

/** A folder, and names of drafts in it. */
async function left() {
  const folder = mkdtempSync(join(tmpdir(), 'midcall-drafts-'));
  const own = basename(await draftIn(mkdtempSync(join(tmpdir(), 'midcall-drafts-'))));
  const child = spawn(process.execPath, ['-e', 'process.stdin.resume()']);
  child.kill('SIGKILL');
  await once(child, 'exit');
  const of = (pid: number): string => own.replace(/\.\d+-\d*\./u, `.${pid}-.`);
  const elsewhere = own.replace(/^\.[\w-]+\./u, '.another-machine.');
  const names = { own, dead: of(child.pid!), elsewhere, old: elsewhere.replace(/[0-9a-f]{4}\.tmp$/u, '0000.tmp') };
  for (const name of Object.values(names)) writeFileSync(join(folder, name), '');
  writeFileSync(join(folder, 'mine.tmp'), '');
  utimesSync(join(folder, names.old), 0, 0);
  return { folder, names };
}

it.each<[string, (folder: string) => Promise<unknown>]>([
  ['writes a file', folder => writeWhole(join(folder, 'file'), 'text')],
  ['locks one', folder => withFileLock(join(folder, 'file'), async () => {})],
])('the drafts of killed processes are removed by whoever %s beside them, and no others', async (_, write) => {
  const { folder, names } = await left();
  await write(folder);
  const rest = readdirSync(folder).filter(name => name !== 'file');
  expect(rest.sort()).toEqual([names.own, names.elsewhere, 'mine.tmp'].sort());
});
