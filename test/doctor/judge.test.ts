/** What the doctor concludes from an answer, and how a report reads. */

import { MidcallError } from '@midcall/core/errors';
import { type Answer, type By, form } from '@midcall/core/form';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Chart } from '../../packages/midcall/src/doctor/chart.ts';
import { duration, rowNames } from '../../packages/midcall/src/doctor/checks.ts';
import {
  judgeFields,
  judgePage,
  judgeRefusal,
  judgeReply,
  judgeRoots,
  judgeWord,
  unanswered,
} from '../../packages/midcall/src/doctor/judge.ts';
import { draw, fieldsQuestion, fieldsWanted } from '../../packages/midcall/src/doctor/questions.ts';
import { announcesRoots, inWords, reportOf, reportText } from '../../packages/midcall/src/doctor/report.ts';

const by = (elapsedMs = 4_000): By => ({
  channel: 'native',
  assurance: 'in-band',
  elapsedMs,
  ...(elapsedMs < 250 && { suspect: 'too-fast' }),
});
const accept = (content: unknown, ms?: number): Answer<unknown> => ({ action: 'accept', content, by: by(ms) });
const cancel = (reason: 'dismissed' | 'timeout' | 'unavailable' | 'invalid' | 'suspect' | 'error', ms?: number) =>
  ({ action: 'cancel', reason, by: by(ms) }) as const;

describe('the word', () => {
  it.each([
    ['the word', accept({ word: 'maple' }), 'works'],
    ['the word as phones write it', accept({ word: ' Maple ' }), 'works'],
    ['the word, faster than anybody types', accept({ word: 'maple' }, 400), 'answers-by-itself'],
    ['another word', accept({ word: 'river' }), 'wrong'],
    ['no word', accept({}), 'wrong'],
    ['no word, at once', accept(undefined, 3), 'answers-by-itself'],
    ['what is no content', accept(['maple']), 'wrong'],
    ['an inherited word', accept(Object.create({ word: 'maple' })), 'wrong'],
    ['a decline', { action: 'decline', by: by() }, 'refused'],
    ['a decline at once', { action: 'decline', by: by(3) }, 'answers-by-itself'],
    ['a dismissal', cancel('dismissed'), 'refused'],
    ['a dismissal at once', cancel('dismissed', 3), 'answers-by-itself'],
    ['nothing in time', cancel('timeout', 120_000), 'dropped'],
    ['a host without forms', cancel('unavailable'), 'dropped'],
    ['an error', cancel('error'), 'dropped'],
  ] as const)('the doctor comes to its finding from the answer to the word: %s', (_, answer, outcome) => {
    expect(judgeWord('maple', answer as Answer<unknown>).outcome).toBe(outcome);
  });
});

describe('the fields', () => {
  const drawn = draw(() => 0);
  const { form: asked } = fieldsQuestion(drawn);
  const wanted = fieldsWanted(drawn);
  const outcomes = (answer: Answer<unknown>) =>
    [...judgeFields(asked, wanted, answer)].map(([row, { outcome }]) => `${row.slice(7)} ${outcome}`);

  it('the fields have a line each, all of which are in the report', () => {
    expect(outcomes(accept(wanted))).toEqual(asked.fields.map(({ name }) => `${name} works`));
    expect([...judgeFields(asked, wanted, accept({})).keys()]).toEqual(
      rowNames.filter(row => row.startsWith('fields.')),
    );
  });

  it.each([
    ['number', String(wanted['number']), 'wrong'],
    ['number', 1.5, 'wrong'],
    ['number', 98, 'works'],
    ['boolean', 'true', 'wrong'],
    ['boolean', false, 'works'],
    ['choice', 'Red', 'wrong'],
    ['choices', 'cat', 'wrong'],
    ['choices', ['owl', 'dog'], 'works'],
    ['choices', undefined, 'wrong'],
    ['text', '', 'wrong'],
    ['text', undefined, 'wrong'],
  ] as const)('the doctor comes to its finding from the field %s as %j', (name, value, outcome) => {
    expect(outcomes(accept({ ...wanted, [name]: value }))).toContain(`${name} ${outcome}`);
  });

  it('fields that are filled in faster than anybody can are the host’s', () => {
    expect(outcomes(accept(wanted, 800))).toEqual(asked.fields.map(({ name }) => `${name} answers-by-itself`));
  });
});

it.each([
  ['decline', { action: 'decline', by: by() }, 'works'],
  ['decline', cancel('dismissed'), 'wrong'],
  ['decline', accept({}), 'wrong'],
  ['decline', accept({}, 5), 'answers-by-itself'],
  ['decline', cancel('timeout'), 'dropped'],
  ['dismiss', cancel('dismissed'), 'works'],
  ['dismiss', { action: 'decline', by: by() }, 'wrong'],
  ['dismiss', cancel('dismissed', 5), 'answers-by-itself'],
] as const)('the doctor comes to its finding from an answer that was to be %sd: %o', (wanted, answer, outcome) => {
  expect(judgeRefusal(wanted, answer as Answer<unknown>).outcome).toBe(outcome);
});

it('the doctor comes to a finding whatever an answer holds, and works only where it holds what was asked for', () => {
  const drawn = draw(() => 0);
  const question = fieldsQuestion(drawn);
  const wanted = fieldsWanted(drawn);
  const content = fc.oneof(
    fc.anything(),
    fc.record(Object.fromEntries(Object.keys(wanted).map(name => [name, fc.anything()]))),
  );
  fc.assert(
    fc.property(content, given => {
      expect(judgeWord('maple', accept(given)).outcome).toBe('wrong');
      for (const [row, found] of judgeFields(question.form, wanted, accept(given))) {
        expect(rowNames).toContain(row);
        expect(['works', 'wrong']).toContain(found.outcome);
        expect(found.says.length).toBeLessThan(200);
      }
    }),
  );
});

it('the doctor tells apart what may come of a page', () => {
  const page = (assurance: By['assurance']): By => ({ channel: 'page', assurance, elapsedMs: 9_000 });
  const finished = (assurance: By['assurance']) =>
    judgePage({ action: 'accept', content: {}, by: page(assurance) }, 90_000);
  expect(finished('out-of-band')).toMatchObject({ outcome: 'works', says: expect.stringContaining('code') });
  expect(finished('in-band').says).not.toContain('code');
  expect(judgePage({ action: 'cancel', reason: 'unfinished', by: by() }, 90_000).outcome).toBe('wrong');
  expect(judgePage({ action: 'cancel', reason: 'suspect', by: page('in-band') }, 90_000).outcome).toBe('wrong');
  expect(judgePage({ action: 'cancel', reason: 'suspect', by: by(3) }, 90_000).outcome).toBe('answers-by-itself');
  expect(unanswered(cancel('invalid')).outcome).toBe('wrong');
});

it('the doctor judges roots by the rules of this machine, and shows no character that hides', () => {
  const judged = (...uris: string[]) =>
    judgeRoots(
      uris.map(uri => ({ uri })),
      5,
      { announces: true, style: 'posix' },
    );
  expect(judged('file:///a', 'file:///b')).toMatchObject({
    outcome: 'works',
    says: '2 folders. Changes are announced.',
  });
  expect(judged()).toMatchObject({ outcome: 'works', says: expect.stringContaining('no folder is granted') });
  expect(judged('file:///a', 'file:///a/..')).toMatchObject({
    outcome: 'wrong',
    says: expect.stringContaining('1 of 2'),
  });
  expect(judged('x:\u202etxt').says).not.toContain('\u202e');
  expect(judgeRoots(undefined, 5, { announces: false }).outcome).toBe('dropped');
});

it('the doctor judges a reply by its word, and tells why there is none', () => {
  const failed = (code: 'sampling/refused' | 'sampling/suspect' | 'sampling/invalid' | 'sampling/unavailable') =>
    judgeReply('maple', 5, { error: new MidcallError(code, 'x') }).outcome;
  expect(judgeReply('maple', 5, { text: '**Maple**.' }).outcome).toBe('works');
  expect(judgeReply('maple', 5, { text: 'I would rather not.' }).outcome).toBe('wrong');
  expect(failed('sampling/suspect')).toBe('answers-by-itself');
  expect([failed('sampling/refused'), failed('sampling/invalid'), failed('sampling/unavailable')]).toEqual([
    'refused',
    'wrong',
    'dropped',
  ]);
});

it('the doctor says in words what a client declares, whatever it sends', () => {
  expect(inWords({ sampling: { tools: {} }, elicitation: {}, roots: { listChanged: false } })).toEqual([
    'forms',
    'roots',
    'sampling, with tools',
  ]);
  expect(inWords({ elicitation: { url: {} }, 'evil\u202e': true })).toEqual(['pages (URL mode)', 'evil⟦U+202E⟧']);
  expect([inWords(undefined), inWords('x'), inWords({ roots: null })]).toEqual([[], [], ['roots']]);
  expect([announcesRoots({ roots: { listChanged: true } }), announcesRoots({ roots: true })]).toEqual([true, false]);
});

it('the doctor writes times as people say them', () => {
  expect([3, 999, 1_000, 6_240, 99_900, 120_000].map(duration)).toEqual([
    '3 ms',
    '999 ms',
    '1.0 s',
    '6.2 s',
    '99.9 s',
    '120 s',
  ]);
});

describe('a report', () => {
  const can = { form: true, url: false, roots: false, sampling: false, samplingTools: false };
  const chart = () => {
    const made = new Chart({ name: 'Host\u001b[2J', version: '1', revision: '2026-07-28' }, { now: () => 0 });
    made.sees(can, ['forms'], false);
    return made;
  };

  it('a report is short where there is one thing to say of all fields, and gathers what was not tried', () => {
    const made = chart();
    const drawn = draw(() => 0);
    const { form: asked } = fieldsQuestion(drawn);
    made.settle('form', new Map([['form', judgeWord('maple', accept({ word: 'maple' }))]]));
    made.settle('fields', judgeFields(asked, fieldsWanted(drawn), accept(fieldsWanted(drawn))));
    expect(reportText(reportOf(made))).toBe(
      [
        'Host⟦U+001B⟧[2J 1, protocol 2026-07-28',
        'Declares: forms; it asks for no progress.',
        '',
        'Form: works (4.0 s)',
        '  The word came back: whoever answered has read the message.',
        'Kinds of field: works (4.0 s)',
        '  It came back exactly as asked.',
        '',
        'Not declared: Page (URL mode), Roots, Sampling.',
        'Not tried: Decline, Dismiss, Call timeout, Call timeout with progress.',
        '',
        'What a server author should do:',
        "- Page (URL mode): Enable the 'page' channel: the link then appears in a form, in a browser on the same machine, or in the result. See https://github.com/midcall/midcall/blob/main/docs/connect.md#how-the-page-reaches-the-person.",
        '- Roots: Take the directories from the command line: without roots, the ceiling alone is the boundary.',
        '- Sampling: Give midcall({ sampling: { model } }) a model of your own: call.sample uses it here.',
        '',
        'Next: Call doctor again: it continues with decline, dismiss.',
      ].join('\n'),
    );
  });

  it('a report gives a field a line of its own where it differs', () => {
    const made = chart();
    const drawn = draw(() => 0);
    const wanted = fieldsWanted(drawn);
    made.settle('fields', judgeFields(fieldsQuestion(drawn).form, wanted, accept({ ...wanted, number: '12' })));
    const text = reportText(reportOf(made));
    expect(text).toContain("Whole number: wrong (4.0 s)\n  'Number' arrived as text, which does not fit.");
    expect(text).toContain('- Whole number: Expect content that does not fit the form.');
  });

  it('the doctor asks a form for its fields that is a form like any other', () => {
    expect(form(fieldsQuestion(draw(limit => limit - 1)).form).fields).toHaveLength(5);
  });
});
