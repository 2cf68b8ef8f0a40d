/**
 * The tools of the notes server, taken through everything that can become of their questions.
 *
 * @module-tag thorough
 */
import { cp, mkdtemp, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type ExploreOptions, explore } from '@midcall/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { notesServer } from '../../packages/midcall/src/notes/index.ts';
import { few } from '../fixtures/soak.ts';

const samples = fileURLToPath(new URL('../../packages/midcall/samples/notes', import.meta.url));
let top: string;
beforeAll(async () => {
  top = await realpath(await mkdtemp(join(tmpdir(), 'midcall-explore-')));
});
afterAll(() => rm(top, { recursive: true }));

const exploreNotes = (name: string, args: Record<string, unknown>, options: ExploreOptions = {}) =>
  explore(
    { name, server: midcallOptions => notesServer({ ...midcallOptions, directories: [join(top, 'notes')] }).factory },
    args,
    {
      ...options,
      async before() {
        await rm(join(top, 'notes'), { recursive: true, force: true });
        await cp(samples, join(top, 'notes'), { recursive: true });
      },
    },
  );

describe('explored, the notes server has no findings:', { tags: 'thorough' }, () => {
  it('exploring notes_delete finds nothing where three notes have the title', async () => {
    const report = await exploreNotes('notes_delete', { title: 'TPS report' });
    expect(report.text).toContain('Nothing broken');
    expect(report).toMatchObject({ findings: [], outside: [], notCovered: [], asks: 3 });
  });

  it.each(few(['notes_archive']))('exploring %s finds nothing', async () => {
    const report = await exploreNotes('notes_archive', { title: 'TPS report' });
    expect(report).toMatchObject({ findings: [], outside: [], notCovered: [], asks: 3 });
  });

  it('exploring notes_delete finds that nobody is asked where one note has the title, which withoutConsent may allow', async () => {
    const title = 'Focaccia';
    const strict = await exploreNotes('notes_delete', { title });
    expect(strict.findings.map(({ kind }) => kind)).toEqual(['acts-without-consent']);
    const report = await exploreNotes('notes_delete', { title }, { withoutConsent: ['delete'] });
    expect(report).toMatchObject({ findings: [], outside: [], asks: 0 });
  });
});
