/** Decisions that outlast a session. */
import { existsSync, mkdtempSync, readdirSync, readFileSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { type Decision, decisionsFile, Policy } from '@midcall/host';
import { describe, expect, it } from 'vitest';

const place = (): string => join(mkdtempSync(join(tmpdir(), 'midcall-decisions-')), 'deep', 'decisions.json');
const origin = 'node notes.js --token=hunter2';
const refusal = (policy = new Policy()): Decision =>
  policy.add({ server: 'notes', subject: 'sampling', effect: 'refuse', scope: 'always', origin });

describe('decisions that are kept', () => {
  it('decisions that are kept hold in the next session, in a file of their owner alone that does not spell out the command', async () => {
    const path = place();
    expect(await decisionsFile(path).read()).toEqual([]);
    await decisionsFile(path).keep(refusal());
    const next = new Policy({ decisions: await decisionsFile(path).read() });
    expect(next.judge('notes', 'sampling', 0, origin)).toMatchObject({ do: 'refuse' });
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(statSync(dirname(path)).mode & 0o777).toBe(0o700);
    expect(readdirSync(dirname(path))).toEqual(['decisions.json']);
    expect(readFileSync(path, 'utf8')).not.toContain('hunter2');
  });

  it('decisions-K2: decisions that are kept hold for the server under any name, and for no other of that name', () => {
    const policy = new Policy({ decisions: [refusal()] });
    expect(policy.judge('notes-2', 'sampling', 0, origin)).toMatchObject({ do: 'refuse' });
    expect(policy.judge('notes', 'sampling', 0, 'node other.js')).toEqual({ do: 'ask' });
    expect(policy.judge('notes', 'form', 0, origin)).toEqual({ do: 'ask' });
    // Nor for one whose command is not known.
    expect(policy.judge('notes', 'sampling', 0)).toEqual({ do: 'ask' });
  });

  it('decisions that are kept take the place of one about the same, and are dropped by their id', async () => {
    const kept = decisionsFile(place());
    const policy = new Policy();
    await kept.keep(refusal(policy));
    const again = policy.add({ server: 'mine', subject: 'sampling', effect: 'ask', scope: 'always', origin });
    const every = policy.add({ server: '*', subject: 'url', effect: 'refuse', scope: 'always' });
    await kept.keep(again);
    await kept.keep(every);
    expect(await kept.read()).toEqual([again, every]);
    expect(policy.decisions()).toEqual([every, again]);
    expect(await kept.drop(again.id)).toBe(true);
    expect(await kept.drop(again.id)).toBe(false);
    expect(await kept.read()).toEqual([every]);
  });

  it('decisions-K3: two sessions that keep decisions at once lose none', async () => {
    const path = place();
    const [one, other] = [decisionsFile(path), decisionsFile(path)];
    const policy = new Policy();
    const make = (subject: 'form' | 'url' | 'roots' | 'sampling'): Decision =>
      policy.add({ server: 'notes', subject, effect: 'refuse', scope: 'always', origin });
    await Promise.all([one.keep(make('form')), one.keep(make('url'))]);
    await other.keep(make('roots'));
    await one.keep(make('sampling'));
    expect((await other.read()).map(decision => decision.subject)).toEqual(['form', 'url', 'roots', 'sampling']);
  });

  it('decisions-K4: decisions that are kept are followed where another session keeps or takes back one, from the next judgement on', async () => {
    const path = place();
    const policy = new Policy({ sharedDecisions: decisionsFile(path).current });
    const elsewhere = decisionsFile(path);
    expect(policy.judge('notes', 'sampling', 0, origin)).toEqual({ do: 'ask' });
    const decision = refusal();
    await elsewhere.keep(decision);
    expect(policy.judge('notes', 'sampling', 0, origin)).toMatchObject({ do: 'refuse', decision: decision.id });
    const own = policy.add({ server: 'notes', subject: 'form', effect: 'refuse', scope: 'always', origin });
    await elsewhere.drop(decision.id);
    expect(policy.judge('notes', 'sampling', 0, origin)).toEqual({ do: 'ask' });
    expect(policy.decisions()).toEqual([own]);
  });

  it('decisions-K4: decisions that are kept hold as they were where the file can be understood no more, which is told once', async () => {
    const path = place();
    await decisionsFile(path).keep(refusal());
    const told: unknown[] = [];
    const policy = new Policy({ sharedDecisions: decisionsFile(path, { onError: error => told.push(error) }).current });
    writeFileSync(path, '{');
    for (let times = 0; times < 2; times += 1)
      expect(policy.judge('notes', 'sampling', 0, origin)).toMatchObject({ do: 'refuse' });
    expect(told).toMatchObject([{ code: 'cli/usage' }]);
    expect(() => new Policy({ sharedDecisions: decisionsFile(path).current })).toThrow(path);
  });

  it('decisions-K4: decisions that are kept are read again where their file is written in place, at the same length', async () => {
    const path = place();
    await decisionsFile(path).keep({ ...refusal(), id: 'one' });
    utimesSync(path, 1_000, 1_000);
    const { current } = decisionsFile(path);
    expect(current().map(decision => decision.id)).toEqual(['one']);
    writeFileSync(path, readFileSync(path, 'utf8').replace('"one"', '"two"'));
    utimesSync(path, 1_001, 1_001);
    expect(current().map(decision => decision.id)).toEqual(['two']);
  });

  it('no decisions are kept where there is no file, which nothing but a decision makes', async () => {
    const path = place();
    const kept = decisionsFile(path);
    expect(kept.current()).toEqual([]);
    expect(await kept.drop('none')).toBe(false);
    expect(existsSync(path)).toBe(false);
  });

  it('a decision is kept beside those about another server', async () => {
    const kept = decisionsFile(place());
    const policy = new Policy();
    const about = (origin: string): Decision =>
      policy.add({ server: origin, subject: 'form', effect: 'refuse', scope: 'always', origin });
    const decisions = ['node a.js', 'node b.js'].map(about);
    for (const decision of decisions) await kept.keep(decision);
    expect(await kept.read()).toEqual(decisions);
  });

  it('decisions-K1: decisions that are kept never allow anything, and never end by themselves', async () => {
    const kept = decisionsFile(place());
    const policy = new Policy();
    const allow = policy.add({ server: 'notes', subject: 'sampling', effect: 'allow', scope: 'always', origin });
    const timed = policy.add({ server: 'notes', subject: 'form', effect: 'refuse', scope: 'always', origin, forMs: 5 });
    const session = policy.add({ server: 'notes', subject: 'url', effect: 'refuse' });
    const refused = { code: 'host/refused', message: expect.stringContaining('Only a decision that refuses or asks') };
    for (const decision of [allow, timed, session]) await expect(kept.keep(decision)).rejects.toMatchObject(refused);
    expect(await kept.read()).toEqual([]);
  });

  const good = refusal();
  it.each([
    ['no JSON', '{'],
    ['a list', '[]'],
    ['no decisions', '{}'],
    ['one that allows', JSON.stringify({ decisions: [{ ...good, effect: 'allow' }] })],
    ['one of another subject', JSON.stringify({ decisions: [{ ...good, subject: 'all' }] })],
    ['one that names a server by its id alone', JSON.stringify({ decisions: [{ ...good, origin: undefined }] })],
    ['one that ends', JSON.stringify({ decisions: [{ ...good, until: 5 }] })],
    ['a prototype', '{"__proto__":{"decisions":[]}}'],
    ['null', 'null'],
    ['a text', '"decisions"'],
    ['a decision that is null', '{"decisions":[null]}'],
    ['a decision that is a text', '{"decisions":["refuse"]}'],
    ['one of this session', JSON.stringify({ decisions: [{ ...good, scope: 'session' }] })],
    ['an id that is a list', JSON.stringify({ decisions: [{ ...good, id: ['x'] }] })],
    ['a digest in a list', JSON.stringify({ decisions: [{ ...good, origin: [good.origin] }] })],
    ['an empty id', JSON.stringify({ decisions: [{ ...good, id: '' }] })],
    ['an id that is a number', JSON.stringify({ decisions: [{ ...good, id: 5 }] })],
    ['an id of 501 characters', JSON.stringify({ decisions: [{ ...good, id: 'x'.repeat(501) }] })],
    ['an empty server', JSON.stringify({ decisions: [{ ...good, server: '' }] })],
    ['one of every server that names a command', JSON.stringify({ decisions: [{ ...good, server: '*' }] })],
    ['a digest with more before it', JSON.stringify({ decisions: [{ ...good, origin: `x${good.origin}` }] })],
    ['a digest with more after it', JSON.stringify({ decisions: [{ ...good, origin: `${good.origin}0` }] })],
    ['1,001 decisions', JSON.stringify({ decisions: Array(1_001).fill(good) })],
  ])('a file that holds %s is an error that names it, and is left as it is', async (_, text) => {
    const path = join(mkdtempSync(join(tmpdir(), 'midcall-decisions-')), 'decisions.json');
    writeFileSync(path, text);
    const kept = decisionsFile(path);
    const message = expect.stringContaining(`${path} does not hold a list of decisions`);
    await expect(kept.read()).rejects.toMatchObject({ code: 'cli/usage', message });
    await expect(kept.keep(good)).rejects.toMatchObject({ code: 'cli/usage' });
    expect(readFileSync(path, 'utf8')).toBe(text);
  });

  it('decisions that are kept are read up to their limits: 1,000 decisions, and ids of 500 characters', async () => {
    const path = join(mkdtempSync(join(tmpdir(), 'midcall-decisions-')), 'decisions.json');
    const decisions = Array.from({ length: 1_000 }, () => ({ ...good, id: 'x'.repeat(500) }));
    writeFileSync(path, JSON.stringify({ decisions }));
    expect(await decisionsFile(path).read()).toHaveLength(1_000);
  });
});
