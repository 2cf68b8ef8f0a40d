/** Calls that a grant of the person lets pass, against a server that is nothing but its frames, in both eras. */
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  Audit,
  activeGrants,
  type CallQuestion,
  type ConsentStorage,
  consentFile,
  Inbox,
  type Question,
  type Reply,
  type Rule,
  Rules,
  revokeGrant,
  wouldPass,
} from '@midcall/host';
import { describe, expect, it } from 'vitest';
import { consentMemory } from '../../../packages/host/src/rules/consent-storage.ts';
import { handClock } from '../clock.ts';
import { type Tool, wired } from '../wire-server.ts';

const ask: Rule = { server: 'notes', tools: '*', effect: 'ask' };
const done: Tool = async (_, args) => ({ content: [{ type: 'text', text: JSON.stringify(args) }] });
const [minute, hour, day] = [60_000, 3_600_000, 86_400_000];
const dispositionOf = (result: unknown): unknown =>
  (result as { readonly _meta?: Record<string, unknown> })._meta?.['io.github.midcall/disposition'];

type Choice = { readonly scope: string; readonly fields?: readonly string[]; readonly end: string };

describe.each(['2025-11-25', '2026-07-28'] as const)('in %s', era => {
  /** A host with rules. Its person grants once what they are told to, and declines everything else. */
  const host = async (
    choice?: Choice,
    how: {
      readonly rule?: Rule;
      readonly rules?: () => readonly Rule[];
      readonly consent?: ConsentStorage;
      readonly clock?: ReturnType<typeof handClock>;
      readonly tools?: () => readonly object[];
      readonly tool?: Tool;
      readonly principal?: string;
      readonly server?: { readonly id: string; readonly origin: string };
    } = {},
  ) => {
    const { rule = ask, consent = consentMemory(), clock = handClock(), tool = done, rules, ...more } = how;
    let grant = choice;
    const answer = (_: Question): Reply => {
      if (!grant) return { action: 'decline' };
      const content = { grant };
      grant = undefined;
      return { action: 'accept', content };
    };
    const all = new Rules({ rules: rules ?? [rule], consent });
    const on = await wired(era, { tool, rules: all, clock, answer, ...more });
    const run = async (args: object = {}, as?: string) =>
      dispositionOf(
        await on.attachment.run(
          { kind: 'tool', name: 'act', arguments: args as Record<string, unknown> },
          as === undefined ? {} : { principal: as },
        ),
      );
    const questions = on.shown as readonly CallQuestion[];
    return { ...on, consent, clock, run, questions };
  };

  it('granted calls are made without asking, as often as they are made, and their results say so', async () => {
    const on = await host({ scope: 'exact', end: 'hour' });
    for (let n = 0; n < 3; n += 1) expect(await on.run({ id: 7 })).toBe('executed');
    expect([on.shown.length, on.calls().length]).toEqual([1, 3]);
    expect(activeGrants(on.consent, { now: on.clock.now() })).toMatchObject([
      { server: 'notes', tool: 'act', scope: 'exact', shows: '{"id":7}' },
    ]);
  });

  it.each<readonly [string, Choice, object, object, boolean]>([
    ['the same arguments in another order', { scope: 'exact', end: 'day' }, { a: 1, b: 2 }, { b: 2, a: 1 }, true],
    ['one byte more', { scope: 'exact', end: 'day' }, { to: 'ada' }, { to: 'adam' }, false],
    ['a further argument', { scope: 'exact', end: 'day' }, { to: 'ada' }, { to: 'ada', bcc: '' }, false],
    ['an argument less', { scope: 'exact', end: 'day' }, { a: 1, b: 2 }, { a: 1 }, false],
    ['no arguments as before', { scope: 'exact', end: 'day' }, {}, {}, true],
    ['equal fields', { scope: 'fields', fields: ['repo'], end: 'day' }, { repo: 'a', n: 1 }, { repo: 'a', n: 2 }, true],
    [
      'another field',
      { scope: 'fields', fields: ['repo'], end: 'day' },
      { repo: 'a', n: 1 },
      { repo: 'b', n: 1 },
      false,
    ],
    ['no such field', { scope: 'fields', fields: ['repo'], end: 'day' }, { repo: 'a' }, {}, false],
    ['one of two fields', { scope: 'fields', fields: ['a', 'b'], end: 'day' }, { a: 1, b: 1 }, { a: 1, b: 2 }, false],
    ['other arguments of the tool', { scope: 'tool', end: 'day' }, { a: 1 }, { b: 2 }, true],
  ])(
    'a later call passes or is asked about, by what the person has chosen: %s',
    async (_, choice, first, then, passes) => {
      const on = await host(choice);
      expect(await on.run(first)).toBe('executed');
      expect(await on.run(then)).toBe(passes ? 'executed' : 'not-executed');
      expect(on.shown).toHaveLength(passes ? 1 : 2);
    },
  );

  it.each<readonly [string, string, number, number | undefined]>([
    ['an hour', 'hour', hour, undefined],
    ['a day', 'day', day, undefined],
    ['a session, after a day', 'session', day, undefined],
    ['what the rule says, if that is less', 'session', 5 * minute, 5 * minute],
  ])('grants-G2: granted calls are asked about again after %s', async (_, end, ms, grantFor) => {
    const on = await host({ scope: 'tool', end }, { rule: { ...ask, ...(grantFor !== undefined && { grantFor }) } });
    await on.run();
    on.clock.move(ms - 1);
    expect(await on.run()).toBe('executed');
    on.clock.move(1);
    expect(await on.run()).toBe('not-executed');
    expect(activeGrants(on.consent, { now: on.clock.now() })).toEqual([]);
  });

  it('grants-G2: granted calls are asked about if the clock was set to before the grant', async () => {
    const on = await host({ scope: 'tool', end: 'day' });
    await on.run();
    on.clock.move(-1);
    expect(await on.run()).toBe('not-executed');
  });

  it('grants-G2: calls granted for a session are asked about in another process', async () => {
    const on = await host({ scope: 'tool', end: 'session' });
    await on.run();
    expect(await on.run()).toBe('executed');
    await on.consent.change(({ grants, ...rest }) => ({
      ...rest,
      grants: grants.map(each => ({ ...each, session: 'of another process' })),
    }));
    expect(await on.run()).toBe('not-executed');
  });

  it('grants-G1: granted calls are asked about for another caller, and for another server', async () => {
    const on = await host({ scope: 'tool', end: 'day' });
    expect(await on.run({}, 'ada')).toBe('executed');
    expect(await on.run({}, 'eve')).toBe('not-executed');
    expect(await on.run()).toBe('not-executed');
    const { consent, clock } = on;
    const moved = await host(undefined, { consent, clock, server: { id: 'notes', origin: 'node other.js' } });
    expect(await moved.run({}, 'ada')).toBe('not-executed');
    const same = await host(undefined, { consent, clock });
    expect(await same.run({}, 'ada')).toBe('executed');
    const principal = await host(undefined, { consent, clock, principal: 'ada' });
    expect(await principal.run({}, 'ada')).toBe('not-executed');
  });

  it.each([
    ['description', { description: 'Deletes everything.' }],
    ['schema', { inputSchema: { type: 'object', properties: { all: { type: 'boolean' } } } }],
  ])(
    'grants-G1: granted calls are asked about once the %s of the tool has changed and the server says so, or a minute has passed',
    async (_, change) => {
      for (const tells of [true, false]) {
        let tool: object = { name: 'act', inputSchema: { type: 'object' } };
        const on = await host({ scope: 'tool', end: 'day' }, { tools: () => [tool] });
        await on.run();
        expect(await on.run()).toBe('executed');
        tool = { ...tool, ...change };
        if (tells) await on.wire.notify('notifications/tools/list_changed', {});
        else on.clock.move(minute);
        expect(await on.run()).toBe('not-executed');
      }
    },
  );

  it('grants-G1: granted calls are asked about if the rule that asks is another one, and refused if a rule refuses them', async () => {
    let list: readonly Rule[] = [ask];
    const on = await host({ scope: 'tool', end: 'day' }, { rules: () => list });
    await on.run();
    list = [{ ...ask, within: 5 * minute }];
    expect(await on.run()).toBe('not-executed');
    expect(on.shown).toHaveLength(2);
    list = [{ ...ask, effect: 'refuse' }];
    expect(await on.run()).toBe('not-executed');
    expect(on.shown).toHaveLength(2);
    list = [ask];
    expect(await on.run()).toBe('executed');
  });

  it('grants-G3: granted calls are asked about from the first one after the grant was revoked, in another process as well', async () => {
    const path = join(mkdtempSync(join(tmpdir(), 'midcall-grants-')), 'consent.json');
    const on = await host({ scope: 'tool', end: 'day' }, { consent: consentFile(path) });
    await on.run();
    const { clock } = on;
    const other = await host(undefined, { consent: consentFile(path), clock });
    expect(await other.run()).toBe('executed');
    const [grant] = activeGrants(consentFile(path), { now: clock.now() });
    expect(await revokeGrant(consentFile(path), grant!.id)).toBe(true);
    expect(await revokeGrant(consentFile(path), grant!.id)).toBe(false);
    expect([await on.run(), await other.run()]).toEqual(['not-executed', 'not-executed']);
  });

  it('a question says before a grant how many of the last calls would have passed', async () => {
    const on = await host();
    for (let n = 0; n < 22; n += 1) await on.run({ repo: n < 10 ? 'a' : 'b', n: n % 2 });
    await on.run({ repo: 'b', n: 0 });
    const { grants } = on.questions.at(-1)!;
    expect(grants).toMatchObject({ scopes: ['exact', 'fields', 'tool'], fields: ['repo', 'n'] });
    expect(grants?.recent).toHaveLength(20);
    const passed = (choice: object) => wouldPass(grants!, choice as Parameters<typeof wouldPass>[1]);
    expect(passed({ scope: 'exact' })).toBe(6);
    expect(passed({ scope: 'fields', fields: ['repo'] })).toBe(12);
    expect(passed({ scope: 'fields', fields: ['repo', 'n'] })).toBe(6);
    expect(passed({ scope: 'tool' })).toBe(20);
  });

  it.each<readonly [string, Partial<Rule>, object, readonly string[] | undefined, readonly string[]]>([
    ['everything, unless the rule says less', {}, { a: 1 }, ['exact', 'fields', 'tool'], ['session', 'hour', 'day']],
    ['nothing', { grant: 'none' }, { a: 1 }, undefined, []],
    ['these arguments', { grant: 'exact', grantFor: hour }, { a: 1 }, ['exact'], ['session', 'hour']],
    ['some of them', { grant: 'fields', grantFor: minute }, { a: 1 }, ['exact', 'fields'], ['session']],
    ['no field where there is none', {}, {}, ['exact', 'tool'], ['session', 'hour', 'day']],
    ['nothing with a secret in it', {}, { a: 1, password: 'x' }, ['fields', 'tool'], ['session', 'hour', 'day']],
  ])('grants-G4: a question offers to grant %s', async (_, rule, args, scopes, ends) => {
    const on = await host(undefined, { rule: { ...ask, ...rule } });
    await on.run(args);
    const { grants } = on.questions[0]!;
    expect(grants?.scopes).toEqual(scopes);
    expect(grants?.ends ?? []).toEqual(ends);
    expect(grants?.fields ?? []).not.toContain('password');
  });

  it.each<readonly [string, unknown]>([
    ['what is not an object', 'tool'],
    ['a scope that is not offered', { scope: 'tool', end: 'hour' }],
    ['an end that is not offered', { scope: 'exact', end: 'day' }],
    ['no end', { scope: 'exact' }],
    ['an end of its own', { scope: 'exact', end: 999_999_999 }],
    ['no field', { scope: 'fields', fields: [], end: 'hour' }],
    ['a field that is not an argument', { scope: 'fields', fields: ['__proto__'], end: 'hour' }],
  ])('grants-G3: a call stays asked about if a view grants %s', async (_, grant) => {
    const inbox = new Inbox();
    const on = await wired(era, {
      tool: done,
      inbox,
      rules: new Rules({ rules: [{ ...ask, grant: 'fields', grantFor: hour }] }),
    });
    const ended = on.attachment.run({ kind: 'tool', name: 'act', arguments: { a: 1 } });
    while (inbox.list().length === 0) await new Promise(setImmediate);
    const [{ id }] = inbox.list() as [Question];
    const accept = { action: 'accept', content: { grant } } as Reply;
    expect(await inbox.reply(id, accept, 'test')).toMatchObject({ ok: false, problem: 'invalid' });
    await inbox.reply(id, { action: 'decline' }, 'test');
    expect(dispositionOf(await ended)).toBe('not-executed');
    expect(on.calls()).toHaveLength(0);
  });

  it.each<readonly [string, Partial<Rule>, object, 'session' | 'always', string | undefined]>([
    ['for a session', { assurance: 'in-band' }, { id: 7 }, 'session', 'session'],
    ['for as long as the rule allows', { assurance: 'in-band', grantFor: hour }, { id: 7 }, 'always', 'hour'],
    ['for one call, by a rule that does not say in-band', {}, { id: 7 }, 'session', undefined],
    ['for one call, by a rule that asks out of band', { assurance: 'out-of-band' }, { id: 7 }, 'always', undefined],
    ['for one call, by a rule without grants', { assurance: 'in-band', grant: 'none' }, { id: 7 }, 'always', undefined],
    ['for one call with a secret', { assurance: 'in-band' }, { token: 'hunter2-of-a-host' }, 'always', undefined],
  ])('consent-C4: a yes that a host remembers counts %s', async (_, more, args, persist, end) => {
    const [inbox, clock, consent, audit] = [new Inbox(), handClock(), consentMemory(), new Audit()];
    const rules = new Rules({ rules: [{ ...ask, ...more } as Rule], consent });
    const on = await wired(era, { tool: done, inbox, clock, rules, audit });
    const run = () => on.attachment.run({ kind: 'tool', name: 'act', arguments: args as Record<string, unknown> });
    const ended = run();
    while (inbox.list().length === 0) await new Promise(setImmediate);
    const [question] = inbox.list() as readonly [CallQuestion];
    expect(question.hostPersists).toBe(end === undefined ? undefined : true);
    await inbox.reply(question.id, { action: 'accept', content: { persist } }, 'host');
    expect(dispositionOf(await ended)).toBe('executed');
    const granted = consent.current().grants;
    expect(granted.map(({ scope, session, until, madeAt }) => [scope, session !== undefined, until - madeAt])).toEqual(
      end === undefined ? [] : [['exact', end === 'session', end === 'session' ? 24 * hour : hour]],
    );
    const noted = audit.entries({ search: `the host said ${persist} its yes counts for this call alone` });
    expect(noted).toHaveLength(end === undefined ? 1 : 0);
    const again = run();
    if (end === undefined) {
      while (inbox.list().length === 0) await new Promise(setImmediate);
      await inbox.reply(inbox.list()[0]!.id, { action: 'decline' }, 'test');
    }
    expect(dispositionOf(await again)).toBe(end === undefined ? 'not-executed' : 'executed');
  });

  it('a grant for calls answers no question of the server', async () => {
    const form = { mode: 'form', message: 'Really?', requestedSchema: { type: 'object', properties: {} } };
    const on = await host(
      { scope: 'tool', end: 'day' },
      { tool: async wire => ((await wire.ask(form)) as { action?: unknown }).action },
    );
    await on.run();
    const result = await on.attachment.run({ kind: 'tool', name: 'act' });
    expect((result['content'] as { text: string }[])[0]?.text).toBe('"decline"');
    expect(on.shown.map(({ kind }) => kind)).toEqual(['call', 'form', 'form']);
  });

  it('a granted call that was sent and has no result is in doubt', async () => {
    const consent = consentMemory();
    const { clock } = await (async () => {
      const on = await host({ scope: 'tool', end: 'day' }, { consent });
      await on.run();
      return on;
    })();
    const on = await host(undefined, { consent, clock, tool: () => new Promise(() => {}) });
    const ended = on.run();
    while (on.calls().length === 0) await new Promise(setImmediate);
    await on.hangUp();
    expect(await ended).toBe('in-doubt');
  });

  it('a call whose grant cannot be stored is made once, and is then asked about again', async () => {
    const consent = consentMemory();
    const change: ConsentStorage['change'] = make =>
      consent.change(content => {
        const next = make(content);
        if (next.grants !== content.grants) throw new Error('disk full');
        return next;
      });
    const on = await host({ scope: 'tool', end: 'day' }, { consent: { ...consent, change } });
    expect([await on.run(), await on.run()]).toEqual(['executed', 'not-executed']);
  });
});
