import { describe, expect, it } from 'vitest';
import { type Entry, type Mutant, readRecord, report } from '../../scripts/mutants-judge.ts';

const file = '/somewhere/packages/core/src/json/record.ts';
const source = 'const a = 1;\nif (a > 0 &&\n  b) done();\n';
const mutant = (id: string, over: Partial<Mutant> = {}): Mutant => ({
  id,
  file,
  start: { line: 1, column: 4 },
  end: { line: 2, column: 3 },
  replacement: 'true',
  named: false,
  ...over,
});
const written = (...entries: readonly Entry[]): string => entries.map(each => `${JSON.stringify(each)}\n`).join('');
const read = (...entries: readonly Entry[]) => readRecord(written(...entries));
const at = { pid: 7, test: 'one', mutant: '3' };

describe('a record of mutants', () => {
  it('counts those that tests run through, and those that nothing runs, but not those that only run once or are named', () => {
    const record = read(
      { covers: ['0', '1', '2'], once: ['1', '3'] },
      { noticed: '0', by: 'one', how: 'failed' },
      { noticed: '1', by: 'one', how: 'hung' },
      { done: 'one' },
    );
    const mutants = [...['0', '1', '2', '3', '4'].map(id => mutant(id)), mutant('5', { named: true })];
    const { lines, noticed } = report(mutants, record, new Map([[file, source]]));
    expect(noticed).toBe(0.5);
    expect(lines).toEqual([
      '  packages/core/src/json/record.ts:2 «a > 0 && b» -> «true»',
      '  packages/core/src/json/record.ts:2 «a > 0 && b» -> «true» (never run)',
      '  2 of 4 noticed (50.0 %); 1 named as such that nobody can notice',
    ]);
  });

  it('says which tests judged nothing, and notices nothing where there is nothing', () => {
    const record = read({ done: 'one', why: 'fails as it is: no' });
    expect(report([], record, new Map())).toMatchObject({
      noticed: 0,
      lines: ['  a test that judged nothing: one: fails as it is: no', expect.any(String)],
    });
  });

  it('takes a mutant in which a process got stuck as noticed, and a test that gets stuck by itself as done', () => {
    const record = read({ at }, { stuck: at }, { stuck: { pid: 8, test: 'two' } });
    expect([...record.noticed]).toEqual(['3']);
    expect([...record.done]).toEqual(['two']);
    expect(record.silent).toEqual(['two: stuck']);
    expect(record.broken).toBe(true);
  });

  it('tells where a process is, whether one has to follow, and passes over a line that is half written', () => {
    expect(readRecord(`${written({ at })}{"noti`)).toMatchObject({ at, broken: false });
    expect(read({ spoilt: '3' }).broken).toBe(true);
  });
});
