/** Formatters hold memory that the garbage collector does not see, so their making is counted here. */
import { describe, expect, it } from 'vitest';
import { dateFormat, zoneOffset } from '../../packages/core/src/time/date-format.ts';
import { History } from '../../packages/host/src/web/workspace/history.ts';
import { enter } from './client.ts';
import { everyField, openPage, pickOne, stageOfFile, useModel } from './stage.ts';

const kinds = [
  'DateTimeFormat',
  'NumberFormat',
  'PluralRules',
  'ListFormat',
  'RelativeTimeFormat',
  'Collator',
] as const;

/** How many formatters are made while something is done. */
async function made(work: () => unknown): Promise<number> {
  let count = 0;
  const restore = kinds.map(kind => {
    const real = Intl[kind] as unknown as new (...given: unknown[]) => object;
    const counted = new Proxy(real, {
      construct: (target, given) => {
        count += 1;
        return new target(...given);
      },
      apply: (target, _, given) => {
        count += 1;
        return new target(...given);
      },
    });
    Object.assign(Intl, { [kind]: counted });
    return () => Object.assign(Intl, { [kind]: real });
  });
  try {
    await work();
    return count;
  } finally {
    for (const each of restore) each();
  }
}

describe('the desk', async () => {
  const on = await stageOfFile({ zone: 'Pacific/Chatham' });
  const me = await enter(on.desk);
  const questions = Array.from({ length: 300 }, (_, at) => pickOne(`f-${at}`));
  for (const question of questions) void on.inbox.ask(question);
  for (const question of questions) on.inbox.end(question.id, { how: 'timed-out' });
  const open = everyField('f-open');
  void on.inbox.ask(open);
  void on.inbox.ask(useModel('f-model'));
  const url = openPage();
  void on.inbox.ask(url);
  on.policy.add({ server: '*', subject: 'roots', effect: 'refuse', forMs: 60_000 });
  on.audit.record({ type: 'policy', what: 'something' });

  it('the desk makes one date formatter for a history of any length', async () => {
    expect(await made(() => me.get('/history'))).toBe(1);
  });

  it('the desk makes no formatter for a page it has shown before', async () => {
    const paths = [
      '/',
      '/history',
      '/tasks',
      '/inbox',
      '/roots',
      '/models',
      '/policy',
      '/audit',
      '/add',
      '/calls/f-open',
    ];
    const all = [...paths, '/calls/f-1', '/calls/f-model', `/questions/${url.id}`];
    for (const path of all) expect((await me.get(path)).status).toBe(200);
    const check = { f0: 'Ada', f4: '2026-07-01T09:30', 'f4.zone': 'Europe/Berlin' };
    await me.post(`/questions/${open.id}/check`, check);
    const again = await made(async () => {
      for (const path of all) await me.get(path);
      await me.post(`/questions/${open.id}/check`, check);
    });
    expect(again).toBe(0);
  });
});

it('a zone costs one formatter, however many moments are looked at', async () => {
  const many = await made(() => {
    for (let at = 0; at < 1_000; at += 1) zoneOffset(at * 86_400_000, 'Asia/Kathmandu');
  });
  expect(many).toBe(1);
});

it('spellings of zones do not pile up', () => {
  const first = dateFormat('en-GB', { timeZone: 'Africa/Nairobi' });
  for (const zone of Intl.supportedValuesOf('timeZone')) dateFormat('en-GB', { timeZone: zone });
  expect(dateFormat('en-GB', { timeZone: 'Africa/Nairobi' })).not.toBe(first);
});

describe('the history', () => {
  const long = (id: string) => ({ ...pickOne('c'), id, message: 'x'.repeat(20_000_000) });

  it('the history forgets the oldest questions where all of them together are too large, in their call too', () => {
    const history = new History();
    for (const id of ['a', 'b', 'c', 'd']) {
      history.asked(long(id));
      history.ended({ question: long(id), ending: { how: 'timed-out' }, endedAt: 1 });
    }
    expect(history.questions().map(each => each.question.id)).toEqual(['d', 'c']);
    expect(history.call('c')?.items).toHaveLength(2);
  });

  it('the history keeps every question that is open, whatever it weighs', () => {
    const history = new History();
    for (const id of ['a', 'b', 'c', 'd']) history.asked(long(id));
    expect(history.call('c')?.items).toHaveLength(4);
  });
});
