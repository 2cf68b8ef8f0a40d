/** Decisions that outlast a session. */
import { existsSync, mkdtempSync, readdirSync, readFileSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { Policy, type Rule, rulesFile } from '@midcall/host';
import { describe, expect, it } from 'vitest';

const place = (): string => join(mkdtempSync(join(tmpdir(), 'midcall-rules-')), 'deep', 'rules.json');
const origin = 'node notes.js --token=hunter2';
const refusal = (policy = new Policy()): Rule =>
  policy.add({ server: 'notes', subject: 'sampling', effect: 'refuse', scope: 'always', origin });

describe('rules that are kept', () => {
  it('rules that are kept hold in the next session, in a file of their owner alone that does not spell out the command', async () => {
    const path = place();
    expect(await rulesFile(path).read()).toEqual([]);
    await rulesFile(path).keep(refusal());
    const next = new Policy({ rules: await rulesFile(path).read() });
    expect(next.judge('notes', 'sampling', 0, origin)).toMatchObject({ do: 'refuse' });
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(statSync(dirname(path)).mode & 0o777).toBe(0o700);
    expect(readdirSync(dirname(path))).toEqual(['rules.json']);
    expect(readFileSync(path, 'utf8')).not.toContain('hunter2');
  });

  it('rules-K2: rules that are kept hold for the server under any name, and for no other of that name', () => {
    const policy = new Policy({ rules: [refusal()] });
    expect(policy.judge('notes-2', 'sampling', 0, origin)).toMatchObject({ do: 'refuse' });
    expect(policy.judge('notes', 'sampling', 0, 'node other.js')).toEqual({ do: 'ask' });
    expect(policy.judge('notes', 'form', 0, origin)).toEqual({ do: 'ask' });
    // Nor for one whose command is not known.
    expect(policy.judge('notes', 'sampling', 0)).toEqual({ do: 'ask' });
  });

  it('rules that are kept take the place of one about the same, and are dropped by their id', async () => {
    const kept = rulesFile(place());
    const policy = new Policy();
    await kept.keep(refusal(policy));
    const again = policy.add({ server: 'mine', subject: 'sampling', effect: 'ask', scope: 'always', origin });
    const every = policy.add({ server: '*', subject: 'url', effect: 'refuse', scope: 'always' });
    await kept.keep(again);
    await kept.keep(every);
    expect(await kept.read()).toEqual([again, every]);
    expect(policy.rules()).toEqual([every, again]);
    expect(await kept.drop(again.id)).toBe(true);
    expect(await kept.drop(again.id)).toBe(false);
    expect(await kept.read()).toEqual([every]);
  });

  it('rules-K3: rules that are kept are kept by two sessions at once without losing one', async () => {
    const path = place();
    const [one, other] = [rulesFile(path), rulesFile(path)];
    const policy = new Policy();
    const make = (subject: 'form' | 'url' | 'roots' | 'sampling'): Rule =>
      policy.add({ server: 'notes', subject, effect: 'refuse', scope: 'always', origin });
    await Promise.all([one.keep(make('form')), one.keep(make('url'))]);
    await other.keep(make('roots'));
    await one.keep(make('sampling'));
    expect((await other.read()).map(rule => rule.subject)).toEqual(['form', 'url', 'roots', 'sampling']);
  });

  it('rules-K4: rules that are kept are followed where another session keeps or takes back one, from the next judgement on', async () => {
    const path = place();
    const policy = new Policy({ sharedRules: rulesFile(path).current });
    const elsewhere = rulesFile(path);
    expect(policy.judge('notes', 'sampling', 0, origin)).toEqual({ do: 'ask' });
    const rule = refusal();
    await elsewhere.keep(rule);
    expect(policy.judge('notes', 'sampling', 0, origin)).toMatchObject({ do: 'refuse', rule: rule.id });
    const own = policy.add({ server: 'notes', subject: 'form', effect: 'refuse', scope: 'always', origin });
    await elsewhere.drop(rule.id);
    expect(policy.judge('notes', 'sampling', 0, origin)).toEqual({ do: 'ask' });
    expect(policy.rules()).toEqual([own]);
  });

  it('rules-K4: rules that are kept hold as they were where the file can be understood no more, which is told once', async () => {
    const path = place();
    await rulesFile(path).keep(refusal());
    const told: unknown[] = [];
    const policy = new Policy({ sharedRules: rulesFile(path, { onError: error => told.push(error) }).current });
    writeFileSync(path, '{');
    for (let times = 0; times < 2; times += 1)
      expect(policy.judge('notes', 'sampling', 0, origin)).toMatchObject({ do: 'refuse' });
    expect(told).toMatchObject([{ code: 'cli/usage' }]);
    expect(() => new Policy({ sharedRules: rulesFile(path).current })).toThrow(path);
  });

  it('rules-K4: rules that are kept are read again where their file is written in place, at the same length', async () => {
    const path = place();
    await rulesFile(path).keep({ ...refusal(), id: 'one' });
    utimesSync(path, 1_000, 1_000);
    const { current } = rulesFile(path);
    expect(current().map(rule => rule.id)).toEqual(['one']);
    writeFileSync(path, readFileSync(path, 'utf8').replace('"one"', '"two"'));
    utimesSync(path, 1_001, 1_001);
    expect(current().map(rule => rule.id)).toEqual(['two']);
  });

  it('rules that are kept are none where there is no file, which nothing but a rule makes', async () => {
    const path = place();
    const kept = rulesFile(path);
    expect(kept.current()).toEqual([]);
    expect(await kept.drop('none')).toBe(false);
    expect(existsSync(path)).toBe(false);
  });

  it('rules that are kept are kept beside those about another server', async () => {
    const kept = rulesFile(place());
    const policy = new Policy();
    const about = (origin: string): Rule =>
      policy.add({ server: origin, subject: 'form', effect: 'refuse', scope: 'always', origin });
    const rules = ['node a.js', 'node b.js'].map(about);
    for (const rule of rules) await kept.keep(rule);
    expect(await kept.read()).toEqual(rules);
  });

  it('rules-K1: never allow anything, and never end by themselves', async () => {
    const kept = rulesFile(place());
    const policy = new Policy();
    const allow = policy.add({ server: 'notes', subject: 'sampling', effect: 'allow', scope: 'always', origin });
    const timed = policy.add({ server: 'notes', subject: 'form', effect: 'refuse', scope: 'always', origin, forMs: 5 });
    const session = policy.add({ server: 'notes', subject: 'url', effect: 'refuse' });
    const refused = { code: 'host/refused', message: expect.stringContaining('Only a rule that refuses or asks') };
    for (const rule of [allow, timed, session]) await expect(kept.keep(rule)).rejects.toMatchObject(refused);
    expect(await kept.read()).toEqual([]);
  });

  const good = refusal();
  it.each([
    ['no JSON', '{'],
    ['a list', '[]'],
    ['no rules', '{}'],
    ['one that allows', JSON.stringify({ rules: [{ ...good, effect: 'allow' }] })],
    ['one of another subject', JSON.stringify({ rules: [{ ...good, subject: 'all' }] })],
    ['one that names a server by its id alone', JSON.stringify({ rules: [{ ...good, origin: undefined }] })],
    ['one that ends', JSON.stringify({ rules: [{ ...good, until: 5 }] })],
    ['a prototype', '{"__proto__":{"rules":[]}}'],
    ['null', 'null'],
    ['a text', '"rules"'],
    ['a rule that is null', '{"rules":[null]}'],
    ['a rule that is a text', '{"rules":["refuse"]}'],
    ['one of this session', JSON.stringify({ rules: [{ ...good, scope: 'session' }] })],
    ['an id that is a list', JSON.stringify({ rules: [{ ...good, id: ['x'] }] })],
    ['a digest in a list', JSON.stringify({ rules: [{ ...good, origin: [good.origin] }] })],
    ['an empty id', JSON.stringify({ rules: [{ ...good, id: '' }] })],
    ['an id that is a number', JSON.stringify({ rules: [{ ...good, id: 5 }] })],
    ['an id of 501 characters', JSON.stringify({ rules: [{ ...good, id: 'x'.repeat(501) }] })],
    ['an empty server', JSON.stringify({ rules: [{ ...good, server: '' }] })],
    ['one of every server that names a command', JSON.stringify({ rules: [{ ...good, server: '*' }] })],
    ['a digest with more before it', JSON.stringify({ rules: [{ ...good, origin: `x${good.origin}` }] })],
    ['a digest with more after it', JSON.stringify({ rules: [{ ...good, origin: `${good.origin}0` }] })],
    ['1,001 rules', JSON.stringify({ rules: Array(1_001).fill(good) })],
  ])('a file that holds %s is an error that names it, and is left as it is', async (_, text) => {
    const path = join(mkdtempSync(join(tmpdir(), 'midcall-rules-')), 'rules.json');
    writeFileSync(path, text);
    const kept = rulesFile(path);
    const message = expect.stringContaining(`${path} does not hold a list of rules`);
    await expect(kept.read()).rejects.toMatchObject({ code: 'cli/usage', message });
    await expect(kept.keep(good)).rejects.toMatchObject({ code: 'cli/usage' });
    expect(readFileSync(path, 'utf8')).toBe(text);
  });

  it('rules that are kept are read up to their limits: 1,000 rules, and ids of 500 characters', async () => {
    const path = join(mkdtempSync(join(tmpdir(), 'midcall-rules-')), 'rules.json');
    const rules = Array.from({ length: 1_000 }, () => ({ ...good, id: 'x'.repeat(500) }));
    writeFileSync(path, JSON.stringify({ rules }));
    expect(await rulesFile(path).read()).toHaveLength(1_000);
  });
});
