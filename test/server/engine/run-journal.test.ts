/** What a run remembers of earlier runs, and how it tells one ask from another. */
import { describe, expect, it } from 'vitest';
import { type Entry, Occurrences, shortLabel } from '../../../packages/server/src/engine/journal.ts';
import { pieceOf } from '../../../packages/server/src/engine/open-work.ts';
import { RunJournal } from '../../../packages/server/src/engine/run-journal.ts';

const entry = (id: string, label = id): Entry => ({ id, kind: 'elicit', label, value: label });
const journal = (entries: readonly Entry[], fresh: readonly string[] = []) => new RunJournal(entries, new Set(fresh));

describe('the id of an ask', () => {
  it('the id of an ask is short, and the same for the same kind, words and occurrence alone', () => {
    const what = { message: 'Which?' };
    const ids = new Occurrences();
    const first = ids.next('elicit', what);
    expect(first).toMatch(/^[\w-]{22}\.1$/);
    expect(ids.next('elicit', { message: 'Which?' })).toBe(first.replace('.1', '.2'));
    const others = [
      ids.next('url', what),
      ids.next('elicit', { message: 'When?' }),
      ids.next('step', 'a'),
      ids.next('step', 'b'),
    ];
    expect(new Set([first, ...others]).size).toBe(5);
    for (const id of others) expect(id.endsWith('.1')).toBe(true);
  });

  it('the id of an ask is foreseen without being used', () => {
    const what = { message: 'Which?' };
    const ids = new Occurrences();
    const foreseen = ids.peek('elicit', what);
    expect(ids.peek('elicit', what)).toBe(foreseen);
    expect(ids.next('elicit', what)).toBe(foreseen);
    expect(ids.peek('elicit', what)).toBe(ids.next('elicit', what));
  });
});

describe('a label', () => {
  it('a label is kept whole up to 80 characters, and cut to them above', () => {
    expect(shortLabel('x'.repeat(80))).toBe('x'.repeat(80));
    expect(shortLabel('x'.repeat(81))).toBe(`${'x'.repeat(77)}...`);
    expect(journal([]).entries).toEqual([]);
    const made = journal([]);
    made.add(entry('a', 'x'.repeat(90)));
    expect(made.entries).toEqual([{ ...entry('a', 'x'.repeat(90)), label: `${'x'.repeat(77)}...` }]);
  });

  it('the label of a check names its question', () => {
    expect(pieceOf('check', 'Which?').label).toBe("the check of the answer to 'Which?'");
    expect(pieceOf('step', 'pay').label).toBe("step 'pay'");
  });
});

describe('a journal', () => {
  it('a journal finds what was recorded, and knows what was not used', () => {
    const made = journal([entry('a'), entry('b')], ['b']);
    expect([made.fresh('a'), made.fresh('b')]).toEqual([false, true]);
    expect([made.left, made.missed]).toEqual([true, true]);
    expect(made.find('b')).toEqual(entry('b'));
    expect([made.left, made.missed]).toEqual([true, true]);
    expect(made.use('b')).toEqual(entry('b'));
    expect([made.left, made.missed]).toEqual([true, false]);
    made.use('a');
    expect([made.left, made.missed]).toEqual([false, false]);
    expect(made.use('c')).toBeUndefined();
  });

  it('a journal finds what its run added, also where nothing was recorded before, and no other run of it does', () => {
    const [one, other] = [journal([]), journal([])];
    one.add(entry('a'));
    expect(one.find('a')).toEqual(entry('a'));
    expect(other.find('a')).toBeUndefined();
    expect(one.left).toBe(false);
  });

  it('a journal names what was recorded and not used, and what was asked instead', () => {
    const made = journal([entry('a', 'Which?')]);
    made.made({ id: 'b', kind: 'elicit', identity: 'b', label: 'When?' });
    made.made({ id: 'a', kind: 'elicit', identity: 'a', label: 'Which?' });
    expect(made.diverged().message).toContain("recorded elicit 'Which?', but this run asked elicit 'When?' instead.");
  });

  it('a journal remembers what the client was told once, as an entry that no run has to use', () => {
    const made = journal([entry('a')]);
    expect([
      made.say('abcdefghij.1'),
      made.say('abcdefghij.1'),
      made.say('abcdefghij.2'),
      made.say('zyxwvutsrq.1'),
    ]).toEqual([true, false, true, true]);
    const said = { id: 'said', kind: 'said', label: 'said', value: ['abcdefgh.1', 'abcdefgh.2', 'zyxwvuts.1'] };
    expect(made.entries).toEqual([entry('a'), said]);
    const next = journal(made.entries);
    next.use('a');
    expect(next.left).toBe(false);
    expect([next.say('abcdefghij.2'), next.say('abcdefghij.3')]).toEqual([false, true]);
    expect(next.entries.map(({ id }) => id)).toEqual(['a', 'said']);
  });

  it('a journal remembers no more than 1,000 things that the client was told; beyond, all is told', () => {
    const made = journal([]);
    for (let n = 0; n < 1_001; n += 1) expect(made.say(`abcdefghij.${n}`)).toBe(true);
    expect(made.entries[0]?.value).toHaveLength(1_000);
    expect([made.say('abcdefghij.1000'), made.say('abcdefghij.999')]).toEqual([true, false]);
  });
});
