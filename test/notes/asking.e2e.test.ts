/** What a person is asked, and what comes of each answer, for every kind of client (rows 000-07, 000-08, 000-18, 000-19). */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { few } from '../fixtures/soak.ts';
import { type Caller, everyWay, type FormParams, type Person, reach, type Sandbox, sandbox } from './fixture.ts';

const years = ['2025', '2024', '2023'];
const report = (year: string): string => `work/${year}/tps-report.md`;
const choices = (form: FormParams) => form.requestedSchema.properties['note_id']!.oneOf!;
const choiceOf = (form: FormParams, year: string) =>
  choices(form).find(each => each.title.includes(`work/${year}`))!.const;

describe.each(few(everyWay, 'SDK v2, 2026-07-28, stdio', 'SDK v2, 2025-11-25, HTTP', 'SDK v1, HTTP'))('%s', way => {
  let box: Sandbox;
  let caller: Caller;
  let person: Person;
  const asked: FormParams[] = [];

  beforeAll(async () => {
    box = await sandbox();
    caller = await reach(way, box.root, {
      person: form => {
        asked.push(form);
        return person(form);
      },
    });
  });
  afterAll(async () => {
    await caller?.close();
    await box?.remove();
  });
  beforeEach(async () => {
    await box.reset();
    asked.length = 0;
    person = () => {
      throw new Error('Nobody was expected to be asked.');
    };
  });

  const gone = async (before: readonly string[]) => {
    const after = await box.files();
    return { gone: before.filter(path => !after.includes(path)), new: after.filter(path => !before.includes(path)) };
  };

  describe('notes_delete', () => {
    it('000-07: notes_delete says so where no note has the title', async () => {
      const before = await box.hash();
      const result = await caller.call('notes_delete', { title: 'Nothing like it' });
      expect(result.text).toBe("No note is called 'Nothing like it'. Use notes_search to find it.");
      expect(result.data!['outcome']).toBe('not-found');
      expect(await box.hash()).toEqual(before);
    });

    it('000-07: notes_delete deletes the only match without asking, and it can be restored', async () => {
      const [files, before] = [await box.files(), await box.hash()];
      const result = await caller.call('notes_delete', { title: 'Boiler service' });
      expect(result.text).toContain('Deleted Boiler service · home · 2024-10-03');
      const changed = await gone(files);
      expect(changed.gone).toEqual(['home/boiler service.md']);
      expect(changed.new).toEqual([expect.stringMatching(/^\.trash\/[^/]+\/home\/boiler service\.md$/)]);
      const restored = await caller.call('notes_restore', { title: 'Boiler service' });
      expect(restored.text).toBe("Restored 'Boiler service' to home/boiler service.md.");
      expect(await box.hash()).toEqual(before);
      expect(asked).toEqual([]);
    });

    it('000-07, 000-18, elicit-25: notes_delete asks which of three, and exactly the picked one is gone', async () => {
      const files = await box.files();
      person = form => ({ action: 'accept', content: { note_id: choiceOf(form, '2024'), confirm: true } });
      const result = await caller.call('notes_delete', { title: 'TPS report' });
      expect(asked).toHaveLength(1);
      const [form] = asked;
      expect(form!.message).toBe("Delete 'TPS report'? Multiple notes match; pick one.");
      expect(form!.requestedSchema.required).toEqual(['note_id', 'confirm']);
      expect(form!.requestedSchema.properties['confirm']!.type).toBe('boolean');
      expect(choices(form!).map(each => each.title)).toEqual([
        'TPS report · work/2025 · 2025-06-11',
        'TPS report · work/2024 · 2024-06-12',
        'TPS report · work/2023 · 2023-06-14',
      ]);
      expect((await gone(files)).gone).toEqual([report('2024')]);
      expect((result.data!['note'] as { note_id: string }).note_id).toBe(choiceOf(form!, '2024'));
    });

    it.each([
      [
        'an unconfirmed answer',
        'not-confirmed',
        'answered without confirming',
        (form: FormParams) => ({
          action: 'accept' as const,
          content: { note_id: choiceOf(form, '2024'), confirm: false },
        }),
      ],
      // A script answers faster than anybody reads, so this is the client's no rather than the person's.
      ['a decline', 'declined', 'said no', () => ({ action: 'decline' as const })],
      ['a dismissal', 'dismissed', 'closed the question without answering', () => ({ action: 'cancel' as const })],
    ])(
      '000-08, elicit-26: notes_delete deletes nothing on %s, and says which it was',
      async (_name, outcome, words, answer) => {
        const before = await box.hash();
        person = answer;
        const result = await caller.call('notes_delete', { title: 'TPS report' });
        expect(result.text).toContain('Nothing was deleted');
        expect(result.text).toContain(words);
        expect(result.data!['outcome']).toBe(outcome);
        expect(result.isError).toBe(false);
        expect(await box.hash()).toEqual(before);
      },
    );

    it('000-07: notes_delete asks again for an answer outside the choices, then gives up and deletes nothing', async () => {
      const before = await box.hash();
      person = () => ({ action: 'accept', content: { note_id: 'note-00000000', confirm: true } });
      const result = await caller.call('notes_delete', { title: 'TPS report' });
      expect(result.text).toContain('Nothing was deleted: the answers that came back did not fit the question');
      expect(result.data!['outcome']).toBe('invalid');
      expect(asked).toHaveLength(3);
      expect(asked[1]!.message).toContain('The last answer did not fit. Note must be one of the choices.');
      expect(await box.hash()).toEqual(before);
    });

    it('notes_delete takes a good answer after a bad one', async () => {
      const files = await box.files();
      person = form =>
        asked.length === 1
          ? { action: 'accept', content: { note_id: choiceOf(form, '2023') } }
          : { action: 'accept', content: { note_id: choiceOf(form, '2023'), confirm: true } };
      await caller.call('notes_delete', { title: 'TPS report' });
      expect(asked).toHaveLength(2);
      expect((await gone(files)).gone).toEqual([report('2023')]);
    });

    it('notes_delete says plainly that the picked note vanished while the question was open', async () => {
      person = async form => {
        await writeFile(join(box.root, report('2024')), '# Something else\n');
        return { action: 'accept', content: { note_id: choiceOf(form, '2024'), confirm: true } };
      };
      const result = await caller.call('notes_delete', { title: 'TPS report' });
      expect(result.text).toContain('Nothing was deleted. TPS report · work/2024 · 2024-06-12');
      expect(result.text).toContain('another note by now');
      expect(await box.files()).toContain(report('2024'));
      expect((await box.files()).filter(path => path.startsWith('.trash'))).toEqual([]);
    });

    it('notes_delete needs no question where a path says which one', async () => {
      const files = await box.files();
      await caller.call('notes_delete', { title: 'TPS report', path: report('2023') });
      expect((await gone(files)).gone).toEqual([report('2023')]);
      expect(asked).toEqual([]);
    });
  });

  describe('notes_archive', () => {
    it('000-19, elicit-28: notes_archive asks on every call, and moves the note', async () => {
      for (const title of ['Focaccia', 'Garden beds']) {
        person = () => ({ action: 'accept', content: { confirm: true } });
        const result = await caller.call('notes_archive', { title });
        expect(result.data!['outcome']).toBe('archived');
      }
      expect(asked.map(form => form.message)).toEqual([
        'Archive Focaccia · home/recipes · 2025-01-19?',
        'Archive Garden beds · projects/garden · 2025-03-30?',
      ]);
      const files = await box.files();
      expect(files).toEqual(
        expect.arrayContaining(['archive/home/recipes/focaccia.md', 'archive/projects/garden/beds.md']),
      );
      expect(files).not.toContain('home/recipes/focaccia.md');
    });

    it('000-19: notes_archive asks which of several', async () => {
      person = form => ({ action: 'accept', content: { note_id: choiceOf(form, '2025'), confirm: true } });
      await caller.call('notes_archive', { title: 'TPS report' });
      expect(asked[0]!.message).toBe("Archive 'TPS report'? Multiple notes match; pick one.");
      const files = await box.files();
      expect(years.map(report).filter(path => files.includes(path))).toEqual([report('2024'), report('2023')]);
    });

    it.each([
      ['an unconfirmed answer', 'not-confirmed', { action: 'accept' as const, content: { confirm: false } }],
      ['a decline', 'declined', { action: 'decline' as const }],
      ['a dismissal', 'dismissed', { action: 'cancel' as const }],
    ])('000-19: notes_archive moves nothing on %s', async (_name, outcome, answer) => {
      const before = await box.hash();
      person = () => answer;
      const result = await caller.call('notes_archive', { title: 'Focaccia' });
      expect(result.text).toContain('Nothing was archived');
      expect(result.data!['outcome']).toBe(outcome);
      expect(await box.hash()).toEqual(before);
    });
  });

  describe('notes_restore', () => {
    it('notes_restore lists the trash, asks which of several, and does not replace a note', async () => {
      for (const year of ['2023', '2024'])
        await caller.call('notes_delete', { title: 'TPS report', path: report(year) });
      const listed = await caller.call('notes_restore');
      expect(listed.text).toContain('2 notes in the trash');
      person = form => ({
        action: 'accept',
        content: { note_id: choices(form).find(each => each.title.includes('work/2023'))!.const },
      });
      expect((await caller.call('notes_restore', { title: 'TPS report' })).text).toContain(report('2023'));
      expect(asked[0]!.message).toBe("Restore 'TPS report'? Multiple deleted notes match; pick one.");

      await caller.call('notes_write', { path: report('2024'), text: '# Taken\n' });
      const refused = await caller.call('notes_restore', { path: report('2024') });
      expect(refused.text).toContain('Nothing was restored');
      expect(refused.text).toContain('something else has its place');
      expect((await caller.call('notes_read', { path: report('2024') })).text).toBe('# Taken\n');
    });
  });
});
