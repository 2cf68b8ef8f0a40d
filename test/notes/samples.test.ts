/** The sample notes of a person: one place, and a way back to how they were. */
import { access, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { ownSamples } from '../../packages/midcall/src/notes/index.ts';

let top: string;
beforeEach(async () => {
  top = await mkdtemp(join(tmpdir(), 'midcall-samples-'));
  vi.stubEnv('XDG_DATA_HOME', top);
});
afterEach(async () => {
  vi.unstubAllEnvs();
  await rm(top, { recursive: true });
});

it('the sample notes are in one place below XDG_DATA_HOME, and a later start finds them as they were left', async () => {
  const notes = await ownSamples();
  expect(notes).toBe(join(top, 'midcall', 'samples', 'notes'));
  await rm(join(notes, 'home', 'boiler service.md'));
  await writeFile(join(notes, 'mine.md'), '# Mine\n');
  expect(await ownSamples()).toBe(notes);
  expect(await readdir(notes)).toContain('mine.md');
  await expect(access(join(notes, 'home', 'boiler service.md'))).rejects.toThrow('ENOENT');
});

it('a reset puts the sample notes back as they were', async () => {
  const notes = await ownSamples();
  const before = (await readdir(notes, { recursive: true })).sort();
  await rm(join(notes, 'home'), { recursive: true });
  await writeFile(join(notes, 'mine.md'), '# Mine\n');
  expect(await ownSamples({ reset: true })).toBe(notes);
  expect((await readdir(notes, { recursive: true })).sort()).toEqual(before);
});

it('of two desks that make the sample notes at once both get them, whole, and nothing else is left', async () => {
  const [one, two] = await Promise.all([ownSamples(), ownSamples()]);
  expect(one).toBe(two);
  expect(await readdir(dirname(one))).toEqual(['notes']);
});
