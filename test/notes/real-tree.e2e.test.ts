/** The notes server on more than 2,000 real Markdown files, in a process of its own. */
import { mkdtemp, readdir, readFile, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { fillWithRealNotes } from '../../tools/bench/real-tree.ts';
import { few } from '../fixtures/soak.ts';
import { type Caller, type FormParams, type Person, ways } from './fixture.ts';

interface Listed {
  readonly total: number;
  readonly unreadable?: number;
  readonly notes: readonly { readonly note_id: string; readonly title: string; readonly path: string }[];
}

let root: string;
let total: number;

beforeAll(async () => {
  root = await realpath(await mkdtemp(join(tmpdir(), 'midcall-real-')));
  total = fillWithRealNotes(root, 2_000);
});
afterAll(() => rm(root, { recursive: true, force: true }));

const files = async (): Promise<string[]> => {
  const found = await readdir(root, { recursive: true, withFileTypes: true });
  return found
    .filter(entry => entry.isFile())
    .map(entry => join(entry.parentPath, entry.name).slice(root.length + 1))
    .sort();
};

describe.each(few(['SDK v2, 2025-11-25, stdio', 'SDK v2, 2026-07-28, stdio'], 'SDK v2, 2026-07-28, stdio'))(
  '%s',
  way => {
    let caller: Caller;
    let person: Person;
    const asked: FormParams[] = [];

    beforeAll(async () => {
      caller = await ways[way].connect(
        { args: [root] },
        {
          person: form => {
            asked.push(form);
            return person(form);
          },
        },
      );
    });
    afterAll(() => caller?.close());

    it('every file is listed, and what is listed can be read by path and by id', async () => {
      const { data, text } = await caller.call('notes_list');
      const listed = data as unknown as Listed;
      expect(total).toBeGreaterThanOrEqual(2_000);
      expect(listed).toMatchObject({
        total: (await files()).filter(path => !path.startsWith('.')).length,
        unreadable: 0,
      });
      expect(listed.notes).toHaveLength(200);
      expect(text).toContain('The first 200 are listed; give a folder to narrow it down.');
      expect(new Set(listed.notes.map(note => note.note_id)).size).toBe(200);
      for (const note of listed.notes.slice(0, 10)) {
        const content = await readFile(join(root, note.path), 'utf8');
        expect((await caller.call('notes_read', { path: note.path })).text).toBe(content);
      }
      const [first] = listed.notes;
      expect((await caller.call('notes_read', { note_id: first!.note_id })).data).toMatchObject({
        note: { path: first!.path },
      });
    });

    it('all texts are searched', async () => {
      const { data } = await caller.call('notes_search', { query: 'permission is hereby granted' });
      const found = data as unknown as Listed;
      expect(found.total).toBeGreaterThan(0);
      for (const { path } of found.notes) {
        const content = (await readFile(join(root, path), 'utf8')).toLowerCase();
        for (const word of ['permission', 'is', 'hereby', 'granted']) expect(content).toContain(word);
      }
    });

    it('a question about many equal titles lists the newest fifty, and the picked one alone is deleted', async () => {
      const before = await files();
      person = form => {
        const last = form.requestedSchema.properties['note_id']!.oneOf!.at(-1)!;
        return { action: 'accept', content: { note_id: last.const, confirm: true } };
      };
      asked.length = 0;
      const result = await caller.call('notes_delete', { title: 'Changelog' });
      const [form] = asked;
      const choices = form!.requestedSchema.properties['note_id']!.oneOf!;
      expect(form!.message).toMatch(
        /^Delete 'Changelog'\? Multiple notes match; pick one\. Only the newest 50 of \d+ notes are listed\.$/,
      );
      expect(choices).toHaveLength(50);
      expect(new Set(choices.map(each => each.const)).size).toBe(50);
      expect(new Set(choices.map(each => each.title)).size).toBe(50);
      const after = await files();
      const { path } = result.data!['note'] as { path: string };
      expect(before.filter(each => !after.includes(each))).toEqual([path]);
      await caller.call('notes_restore', { path });
      expect(await files()).toEqual(before);
    });

    it('a question has fewer choices where a folder narrows it down', async () => {
      person = () => ({ action: 'decline' });
      asked.length = 0;
      await caller.call('notes_delete', { title: 'Changelog', path: 'copy-1' });
      expect(asked[0]!.message).toBe("Delete 'Changelog'? Multiple notes match; pick one.");
    });
  },
);
