import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { type Entry, type Equivalent, type Mutant, readRecord, score } from '../../tools/mutants-judge.ts';
import { withRow } from '../../tools/mutants-table.ts';

const file = 'packages/core/src/json/record.ts';
const mutant = (id: string, over: Partial<Mutant> = {}): Mutant => ({
  id,
  file,
  at: 2,
  line: 'if (a > 0 &&',
  code: 'a > 0 &&\n  b',
  instead: 'true',
  ...over,
});
const written = (...entries: readonly Entry[]): string => entries.map(each => `${JSON.stringify(each)}\n`).join('');
const read = (...entries: readonly Entry[]) => readRecord(written({ tried: ['0', '1', '2', '3', '4'] }, ...entries));
const at = { pid: 7, test: 'one', mutant: '3' };
const hits = (...ids: string[]) => Object.fromEntries(ids.map(id => [id, 1]));
const equivalent: Equivalent = { file, code: 'a > 0 && b', instead: 'true', why: 'because' };

describe('a record of mutants', () => {
  it('a record of mutants counts those that tests run through and those that nothing runs, but not those that run once or are not tried', () => {
    const record = read(
      { ran: 'one', ms: 5, hits: hits('0', '1', '2'), once: ['1', '3'] },
      { turn: 10 },
      { killed: '0' },
      { killed: '1' },
      { done: 'one' },
    );
    const result = score(
      ['0', '1', '2', '3', '4', '5'].map(id => mutant(id)),
      record,
      [],
    );
    expect(result).toEqual({
      killed: 2,
      equivalent: 0,
      survived: 2,
      part: 0.5,
      lines: [`${file}:2 «a > 0 && b» -> «true»`, `${file}:2 «a > 0 && b» -> «true» (never run)`],
      stale: [],
    });
  });

  it('a record of mutants does not count what is named as equivalent, and says which names are out of date', () => {
    const record = read({ ran: 'one', ms: 5, hits: hits('0', '1'), once: [] }, { killed: '1' }, { done: 'one' });
    const mutants = [mutant('0'), mutant('1', { instead: 'false' })];
    expect(score(mutants, record, [equivalent])).toMatchObject({ killed: 1, equivalent: 1, part: 1, stale: [] });
    expect(score(mutants, record, [{ ...equivalent, line: 'elsewhere' }])).toMatchObject({
      survived: 1,
      stale: [`names nothing: ${file} «a > 0 && b» -> «true»`],
    });
    expect(score(mutants, record, [{ ...equivalent, instead: 'false' }]).stale).toEqual([
      `killed: ${file}:2 «a > 0 && b» -> «false»`,
    ]);
  });

  it('a record of mutants says which tests judged nothing, since they fail or take too long, and kills nothing where there is nothing', () => {
    const record = read(
      { done: 'one', why: 'fails as it is: no' },
      { turn: 10 },
      { ran: 'two', ms: 11, hits: {}, once: [] },
    );
    expect(score([], record, [])).toMatchObject({
      part: 0,
      lines: ['a test that judged nothing: one: fails as it is: no', 'a test that judged nothing: two: takes 11 ms'],
    });
  });

  it('a record of mutants lets a test try what it ran through, until that is killed or has been tried long enough', () => {
    const ran = { ran: 'one', ms: 9_000, hits: hits('0', '1', '9'), once: [] };
    expect(read(ran, { turn: 500 }).open('one')).toEqual([]);
    expect(read(ran, { turn: 9_000 }).open('one')).toEqual(['0', '1']);
    expect(read(ran, { turn: 9_000 }, { killed: '0' }).open('one')).toEqual(['1']);
    const tried = { at: { pid: 7, test: 'one', mutant: '0' } };
    expect(read(ran, { turn: 9_000 }, tried).open('one')).toEqual(['0', '1']);
    expect(read(ran, { turn: 9_000 }, tried, tried).open('one')).toEqual(['1']);
    expect(read(ran, { turn: 9_000 }, { done: 'one' }).open('one')).toEqual([]);
  });

  it('a record of mutants takes one in which a process got stuck as killed, and a test that gets stuck as done', () => {
    const record = read({ at }, { stuck: at }, { stuck: { pid: 8, test: 'two' } });
    expect([...record.killed]).toEqual(['3']);
    expect([...record.done]).toEqual(['two']);
    expect(record.silent).toEqual(['two: stuck']);
    expect(record.broken).toBe(true);
  });

  it('a record of mutants tells where a process is, whether one has to follow, and passes over half a line', () => {
    expect(readRecord(`${written({ at })}{"noti`)).toMatchObject({ at, broken: false });
    expect(read({ spoilt: '3' }).broken).toBe(true);
    expect(read({ spoilt: '3' }, { turn: 10 }).broken).toBe(false);
  });
});

describe('what is recorded of mutants', () => {
  it('the list of equivalent mutants names only code that is there, once, with a reason', () => {
    const list = JSON.parse(readFileSync('tools/conformance/equivalent-mutants.json', 'utf8')) as readonly Equivalent[];
    const flat = (text: string): string => text.replace(/\s+/g, ' ');
    for (const { file, line, code, why } of list) {
      const source = flat(readFileSync(file, 'utf8'));
      expect(source, file).toContain(code);
      if (line !== undefined) expect(source, file).toContain(line);
      expect(why).toMatch(/^[A-Z].{20,}\.$/);
    }
    const places = list.map(({ why: _, ...place }) => JSON.stringify(place));
    expect(new Set(places).size).toBe(places.length);
  });

  it('the table of mutants has one row for a folder, in its place or after the last, and says where a sample was drawn', () => {
    const row = {
      folder: 'a/b',
      killed: 9,
      equivalent: 1,
      survived: 1,
      part: 0.9,
      mutants: 20,
      sample: 11,
      minutes: 2,
    };
    const day = new Date('2026-11-23T12:00:00Z');
    const once = withRow('# Head\n\n| Folder |\n|---|\n', row, day);
    expect(once).toBe(
      '# Head\n\n| Folder |\n|---|\n| `a/b` | 11 drawn of 20 | 9 | 1 | 1 | 90.0 % | `npm run mutants -- --sample 11 a/b` | 2026-11-23 | 2.0 |\n',
    );
    const twice = withRow(once, { ...row, sample: Number.POSITIVE_INFINITY }, day);
    expect(twice).toContain('| `a/b` | all 20 | 9 | 1 | 1 | 90.0 % | `npm run mutants -- a/b` |');
    expect(twice.split('\n')).toHaveLength(once.split('\n').length);
  });
});
