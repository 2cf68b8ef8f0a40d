/** Calls that the rules ask about, against a server that is nothing but its frames, in both eras. */
import {
  Audit,
  type AuditEntry,
  type CallQuestion,
  Inbox,
  type Question,
  type Reply,
  type Rule,
  Rules,
} from '@midcall/host';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type ConsentStorage, consentMemory } from '../../../packages/host/src/rules/consent-storage.ts';
import { memoryStore } from '../../../packages/server/src/stores/memory.ts';
import { handClock } from '../clock.ts';
import { nextQuestion } from '../person.ts';
import { type Tool, type WiredOptions, wired } from '../wire-server.ts';

const key = 'io.github.midcall/disposition';
const yes: Reply = { action: 'accept' };
const asks: readonly Rule[] = [{ server: 'notes', tools: '*', effect: 'ask' }];
const done: Tool = async (_, args) => args;
const hour = 3_600_000;
const turn = () => new Promise(setImmediate);

type Result = { readonly content: readonly { readonly text: string }[]; readonly _meta?: Record<string, unknown> };
const textOf = (result: unknown): string => (result as Result).content[0]!.text;
const dispositionOf = (result: unknown): unknown => (result as Result)._meta?.[key];

describe.each(['2025-11-25', '2026-07-28'] as const)('in %s', era => {
  /** A host with rules. `run` calls the tool and returns its whole result. */
  const host = async (options: Partial<WiredOptions> & { readonly list?: readonly Rule[] } = {}) => {
    const { list = asks, ...more } = options;
    const clock = handClock();
    const on = await wired(era, { tool: done, rules: new Rules({ rules: list }), clock, ...more });
    const run = (args: object = {}, how: { readonly signal?: AbortSignal; readonly principal?: string } = {}) =>
      on.attachment.run({ kind: 'tool', name: 'act', arguments: args as Record<string, unknown> }, how);
    return { ...on, clock, run };
  };
  const held = async (on: { readonly inbox: Inbox }): Promise<Question> =>
    on.inbox.list()[0] ?? (await nextQuestion(on.inbox));

  it('consent-C1: a call that the rules ask about is made once after a yes, and the question shows the call', async () => {
    const on = await host();
    const ended = on.run({ id: 7 });
    const question = (await held(on)) as CallQuestion;
    expect(question).toMatchObject({
      kind: 'call',
      call: { name: 'act', arguments: { id: 7 } },
      why: 'rule 1 says ask',
    });
    expect(on.calls()).toHaveLength(0);
    await on.inbox.reply(question.id, yes, 'test');
    const result = await ended;
    expect([textOf(result), dispositionOf(result)]).toEqual(['{"id":7}', 'executed']);
    expect(on.calls()).toHaveLength(1);
  });

  it.each([
    [
      'declines',
      (on: Awaited<ReturnType<typeof host>>, id: string) => on.inbox.reply(id, { action: 'decline' }, 'test'),
      'said no',
    ],
    [
      'dismisses',
      (on: Awaited<ReturnType<typeof host>>, id: string) => on.inbox.reply(id, { action: 'dismiss' }, 'test'),
      'closed the question',
    ],
    ['is too late', (on: Awaited<ReturnType<typeof host>>) => on.clock.move(hour), 'did not answer in time'],
    [
      'cannot be shown it',
      (on: Awaited<ReturnType<typeof host>>, id: string) => on.inbox.end(id, { how: 'unshown' }),
      'could not be asked',
    ],
    [
      'refuses everything of its server',
      (on: Awaited<ReturnType<typeof host>>, id: string) =>
        on.inbox.end(id, { how: 'refused-by-policy', decision: 'Muted.' }),
      'refuses everything about this server',
    ],
  ])('consent-C1, consent-C3: a call is not made if the person %s, and its result says so', async (_, act, says) => {
    const on = await host();
    const ended = on.run();
    await act(on, (await held(on)).id);
    const result = await ended;
    expect(textOf(result)).toMatch(/^Not done\. /);
    expect(textOf(result)).toContain(says);
    expect(dispositionOf(result)).toBe('not-executed');
    expect(on.calls()).toHaveLength(0);
  });

  describe('that others have to agree to', () => {
    const others: Rule = { server: 'notes', tools: '*', effect: 'ask', from: 'finance', count: 2, not: 'requester' };
    const withOthers = () => host({ rules: new Rules({ rules: [others], approvers: true }) });

    it('consent-C4: a call that others have to agree to is shown to no view, and no view and no host says yes to it', async () => {
      const on = await withOthers();
      const ended = on.run({ id: 7 });
      const question = (await held(on)) as CallQuestion;
      expect(question).toMatchObject({
        approval: { from: { group: 'finance', count: 2, not: 'requester' }, assurance: 'verified' },
        outOfBand: true,
      });
      expect(question.grants).toBeUndefined();
      for (const via of ['test', 'host', 'terminal', 'web', 'inbox'])
        expect(await on.inbox.reply(question.id, yes, via)).toMatchObject({ ok: false, problem: 'invalid' });
      expect([on.shown.length, on.calls().length]).toEqual([0, 0]);
      expect(await on.inbox.reply(question.id, yes, 'approvers')).toEqual({ ok: true });
      expect(dispositionOf(await ended)).toBe('executed');
    });

    it('a call is not made if the others do not agree, and its result says so', async () => {
      const on = await withOthers();
      const ended = on.run({ id: 7 });
      await on.inbox.reply((await held(on)).id, { action: 'decline' }, 'approvers');
      const result = await ended;
      expect([textOf(result), dispositionOf(result)]).toEqual([
        'Not done. Those who have to agree to it did not. Do not call it again unless they have changed their minds.',
        'not-executed',
      ]);
      expect(on.calls()).toHaveLength(0);
    });
  });

  it.each([
    ['out-of-band', true],
    [undefined, undefined],
  ] as const)('the host of the call may answer, unless the rule says out-of-band: %s', async (assurance, outOfBand) => {
    const on = await host({ list: [{ ...asks[0]!, ...(assurance && { assurance }) }] });
    const ended = on.run();
    const question = (await held(on)) as CallQuestion;
    expect(question.outOfBand).toBe(outOfBand);
    await on.inbox.reply(question.id, { action: 'decline' }, 'test');
    await ended;
  });

  it('a yes that says nothing of later calls gives no grant, and none is noted', async () => {
    const audit = new Audit();
    const on = await host({ audit, answer: () => yes });
    expect(dispositionOf(await on.run())).toBe('executed');
    expect(audit.entries({ search: 'grant' })).toEqual([]);
  });

  it('a call that the rules allow is made as if there were none, and one that they refuse is not made and nobody is asked', async () => {
    const on = await host({
      list: [
        { server: 'notes', tools: '*', where: { properties: { n: { const: 1 } }, required: ['n'] }, effect: 'allow' },
        { server: 'notes', tools: '*', effect: 'refuse' },
      ],
    });
    const allowed = await on.run({ n: 1 });
    expect([textOf(allowed), dispositionOf(allowed)]).toEqual(['{"n":1}', undefined]);
    const refused = await on.run({ n: 2 });
    expect(textOf(refused)).toContain('A rule of the operator refuses this call.');
    expect(dispositionOf(refused)).toBe('not-executed');
    expect([on.shown.length, on.calls().length, on.calls('tools/list').length]).toEqual([0, 1, 0]);
  });

  it('approvals-A3: the same call made while the person is asked joins it, and 64 yeses let it run once', async () => {
    const on = await host();
    const all = Array.from({ length: 64 }, () => on.run({ b: 1, a: { d: 2, c: 3 } }));
    const { id } = await held(on);
    const receipts = await Promise.all(all.map(() => on.inbox.reply(id, yes, 'test')));
    expect(receipts.filter(({ ok }) => ok)).toHaveLength(1);
    for (const result of await Promise.all(all)) expect(dispositionOf(result)).toBe('executed');
    expect([on.shown.length, on.calls().length]).toEqual([1, 1]);
  });

  it('approvals-A1: a yes is for one call: the same call made afterwards is asked about anew', async () => {
    const on = await host({ answer: () => yes });
    await on.run({ id: 1 });
    await on.run({ id: 1 });
    expect([on.shown.length, on.calls().length]).toEqual([2, 2]);
  });

  it('approvals-A4: a yes that comes after the caller has gone waits for the same call for an hour, and not longer', async () => {
    const on = await host();
    const given = async () => {
      const gone = new AbortController();
      const ended = on.run({ id: 1 }, { signal: gone.signal });
      const { id } = await held(on);
      gone.abort();
      await expect(ended).rejects.toMatchObject({ code: 'host/cancelled' });
      await on.inbox.reply(id, yes, 'test');
      await turn();
      expect(on.calls()).toHaveLength(0);
    };
    await given();
    on.clock.move(hour - 1);
    expect(dispositionOf(await on.run({ id: 1 }))).toBe('executed');
    expect([on.shown.length, on.calls().length]).toEqual([1, 1]);
    const second = on.run({ id: 1 });
    await on.inbox.reply((await held(on)).id, { action: 'decline' }, 'test');
    await second;
  });

  it('approvals-A4: a yes older than an hour is not used', async () => {
    const on = await host();
    const gone = new AbortController();
    const ended = on.run({ id: 1 }, { signal: gone.signal }).catch(() => {});
    const { id } = await held(on);
    gone.abort();
    await ended;
    await on.inbox.reply(id, yes, 'test');
    await turn();
    on.clock.move(hour);
    const again = on.run({ id: 1 });
    await on.inbox.reply((await held(on)).id, { action: 'decline' }, 'test');
    expect(dispositionOf(await again)).toBe('not-executed');
    expect([on.shown.length, on.calls().length]).toEqual([2, 0]);
  });

  describe('with a storage that another process shares', () => {
    /** Another process: nothing in memory is shared. */
    const process = (consent: ConsentStorage, options: Parameters<typeof host>[0] = {}) =>
      host({ rules: new Rules({ rules: asks, consent }), ...options });
    const answeredLate = async (on: Awaited<ReturnType<typeof host>>) => {
      const gone = new AbortController();
      const ended = on.run({ id: 1 }, { signal: gone.signal }).catch(() => {});
      const { id } = await held(on);
      gone.abort();
      await ended;
      await on.inbox.reply(id, yes, 'test');
      await turn();
    };
    /** The process that has started a call has died. */
    const died = (consent: ConsentStorage) =>
      consent.change(({ calls, ...rest }) => ({
        ...rest,
        calls: Object.fromEntries(
          Object.entries(calls).map(([binding, call]) => [
            binding,
            { ...call, started: call.started.map(each => ({ ...each, by: { ...each.by, began: 'before' } })) },
          ]),
        ),
      }));

    it('approvals-A4: a yes that came after its caller had gone lets the same call run once in the next process', async () => {
      const consent = consentMemory();
      await answeredLate(await process(consent));
      const next = await process(consent);
      expect(dispositionOf(await next.run({ id: 1 }))).toBe('executed');
      expect(next.shown).toEqual([]);
      const other = await process(consent, { answer: () => ({ action: 'decline' }) });
      expect(dispositionOf(await other.run({ id: 1 }))).toBe('not-executed');
      expect((other.shown[0] as CallQuestion).why).toBe('rule 1 says ask; the same call was made within the last hour');
    });

    it('approvals-A1: two processes that use the same yes at once run the call once', async () => {
      const consent = consentMemory();
      await answeredLate(await process(consent));
      const both = [await process(consent), await process(consent)];
      const results = await Promise.all(both.map(each => each.run({ id: 1 })));
      expect(results.map(dispositionOf).sort()).toEqual(['executed', 'in-doubt']);
      expect(both.flatMap(each => each.calls())).toHaveLength(1);
    });

    it.each(['under way', 'over'])(
      'approvals-A1: a call that another process has made with the same yes, and that is %s, is in doubt for the second',
      async state => {
        const consent = consentMemory();
        await answeredLate(await process(consent));
        const first = await process(consent, { tool: state === 'over' ? done : () => new Promise(() => {}) });
        const second = await process({
          ...consent,
          async change(make) {
            const ended = first.run({ id: 1 }).catch(() => {});
            while (first.calls().length === 0) await turn();
            if (state === 'over') await ended;
            return consent.change(make);
          },
        });
        const result = await second.run({ id: 1 });
        expect(textOf(result)).toMatch(/^In doubt\. .* Find out before you call it again/);
        expect([dispositionOf(result), second.calls().length, second.shown.length]).toEqual(['in-doubt', 0, 0]);
      },
    );

    it.each([
      ['an hour old', hour],
      ['from later than now, since the clock was set back', -1],
    ])('approvals-A4: a stored yes that is %s is not used', async (_, ms) => {
      const consent = consentMemory();
      await answeredLate(await process(consent));
      const next = await process(consent, { answer: () => ({ action: 'decline' }) });
      next.clock.move(ms);
      expect(dispositionOf(await next.run({ id: 1 }))).toBe('not-executed');
      expect(next.shown).toHaveLength(1);
    });

    it('approvals-A4: a stored yes that becomes an hour old while the tools are read is not used', async () => {
      const consent = consentMemory();
      await answeredLate(await process(consent));
      let reads = 0;
      const next = await process(consent, {
        tools() {
          reads += 1;
          if (reads === 2) next.clock.move(1);
          return [{ name: 'act', inputSchema: { type: 'object' } }];
        },
      });
      next.clock.move(hour - 1);
      const result = await next.run({ id: 1 });
      expect([dispositionOf(result), reads, next.shown.length, next.calls().length]).toEqual([
        ...['not-executed', 2, 0, 0],
      ]);
    });

    it('approvals-A6: a call whose process died before its result is in doubt, is not sent again, and is asked about anew with that', async () => {
      const consent = consentMemory();
      const first = await process(consent, { tool: () => new Promise(() => {}), answer: () => yes });
      void first.run({ id: 1 }).catch(() => {});
      while (first.calls().length === 0) await turn();
      await died(consent);
      const next = await process(consent, { answer: () => ({ action: 'decline' }) });
      const result = await next.run({ id: 1 });
      expect(textOf(result)).toMatch(/^In doubt\. .* It has not been sent again\./);
      expect([dispositionOf(result), next.calls().length, next.shown.length]).toEqual(['in-doubt', 0, 0]);
      expect(dispositionOf(await next.run({ id: 1 }))).toBe('not-executed');
      expect((next.shown[0] as CallQuestion).why).toContain('was sent earlier and may have taken effect');
    });

    it('approvals-A6: a call is not made if its start cannot be stored', async () => {
      const consent = consentMemory();
      let fails = false;
      const change: ConsentStorage['change'] = make =>
        fails ? Promise.reject(new Error('disk full')) : consent.change(make);
      const on = await process({ ...consent, change });
      const ended = on.run();
      const { id } = await held(on);
      fails = true;
      await on.inbox.reply(id, yes, 'test');
      const result = await ended;
      expect(textOf(result)).toBe('Not done. The start of the call could not be stored: disk full.');
      expect([dispositionOf(result), on.calls().length]).toEqual(['not-executed', 0]);
    });

    it('no call is asked about, and none is made, while the storage cannot be understood', async () => {
      const consent = consentMemory();
      const on = await process({
        ...consent,
        current: () => {
          throw new Error('consent.json does not hold the consent to calls.');
        },
      });
      const result = await on.run();
      expect(textOf(result)).toContain('does not hold the consent to calls.');
      expect([dispositionOf(result), on.shown.length, on.calls().length]).toEqual(['not-executed', 0, 0]);
    });
  });

  it('approvals-A4: a question that no caller waits for ends after an hour', async () => {
    const on = await host({ list: [{ ...asks[0]!, within: 10 * hour }] });
    const gone = new AbortController();
    const ended = on.run({}, { signal: gone.signal }).catch(() => {});
    await held(on);
    gone.abort();
    await ended;
    on.clock.move(hour - 1);
    expect(on.inbox.list()).toHaveLength(1);
    on.clock.move(1);
    expect(on.inbox.list()).toHaveLength(0);
  });

  it('approvals-A2: a yes is for no other arguments, by one byte, and for no other caller', async () => {
    const on = await host();
    const gone = new AbortController();
    const ended = on.run({ to: 'ada' }, { signal: gone.signal, principal: 'ada' }).catch(() => {});
    await on.inbox.reply((await held(on)).id, yes, 'test');
    gone.abort();
    await ended;
    const before = on.calls().length;
    const others = [
      on.run({ to: 'adb' }, { principal: 'ada' }),
      on.run({ to: 'ada', bcc: '' }, { principal: 'ada' }),
      on.run({ to: ['ada'] }, { principal: 'ada' }),
      on.run({ to: 'ada' }, { principal: 'eve' }),
      on.run({ to: 'ada' }),
    ];
    while (on.inbox.list().length < others.length) await nextQuestion(on.inbox);
    for (const { id } of on.inbox.list()) await on.inbox.reply(id, { action: 'decline' }, 'test');
    for (const result of await Promise.all(others)) expect(dispositionOf(result)).toBe('not-executed');
    expect(on.calls()).toHaveLength(before);
  });

  it.each([
    ['description', { description: 'Deletes everything.' }],
    ['schema', { inputSchema: { type: 'object', properties: { all: { type: 'boolean' } } } }],
    ['annotations', { annotations: { readOnlyHint: true } }],
  ])('consent-C2: a tool whose %s has changed since the person was asked is not called', async (_, change) => {
    let tool: object = { name: 'act', inputSchema: { type: 'object' } };
    const on = await host({ tools: () => [tool] });
    const ended = on.run();
    const { id } = await held(on);
    tool = { ...tool, ...change };
    await on.inbox.reply(id, yes, 'test');
    const result = await ended;
    expect(textOf(result)).toContain('have changed since they were asked');
    expect(dispositionOf(result)).toBe('not-executed');
    expect(on.calls()).toHaveLength(0);
  });

  it.each([
    ['refuses', [{ server: 'notes', tools: '*', effect: 'refuse' }], 'refuses this call'],
    ['asks on other terms', [{ ...asks[0]!, within: 5 }], 'have changed since they were asked'],
    [
      'is another one that asks',
      [{ server: '*', tools: ['act'], effect: 'ask' }],
      'have changed since they were asked',
    ],
  ] as const)('consent-C2: a call is not made if the rule %s by the time of the yes', async (_, later, says) => {
    let list: readonly Rule[] = asks;
    const on = await host({ rules: new Rules({ rules: () => list }) });
    const ended = on.run();
    const { id } = await held(on);
    list = later;
    await on.inbox.reply(id, yes, 'test');
    expect(textOf(await ended)).toContain(says);
    expect(on.calls()).toHaveLength(0);
  });

  it('approvals-A5: the 51st call of one caller that waits is not made, and a call of another is asked about', async () => {
    const on = await host();
    const many = Array.from({ length: 50 }, (_, n) => on.run({ n }, { principal: 'eve' }));
    while (on.inbox.list().length < 50) await nextQuestion(on.inbox);
    const result = await on.run({ n: 50 }, { principal: 'eve' });
    expect(textOf(result)).toContain('Too many calls of yours wait');
    const other = on.run({ n: 0 }, { principal: 'ada' });
    const { id } = await nextQuestion(on.inbox);
    await on.inbox.reply(id, yes, 'test');
    expect(dispositionOf(await other)).toBe('executed');
    for (const each of on.inbox.list()) await on.inbox.reply(each.id, { action: 'decline' }, 'test');
    await Promise.all(many);
    expect(on.calls()).toHaveLength(1);
  });

  it('the host’s own questions do not count as those that the server may ask', async () => {
    const ask = { message: 'Which?', requestedSchema: { type: 'object', properties: {} } };
    const on = await host({
      tool: async wire => ({
        content: [{ type: 'text', text: JSON.stringify(await wire.ask({ mode: 'form', ...ask })) }],
      }),
      answer: ({ call, kind }) => (kind === 'form' || call?.arguments['go'] ? yes : undefined),
    });
    const many = Array.from({ length: 49 }, (_, n) => on.run({ n }));
    expect(textOf(await on.run({ go: true }))).toContain('accept');
    for (const each of on.inbox.list()) await on.inbox.reply(each.id, { action: 'decline' }, 'test');
    await Promise.all(many);
  });

  it('consent-C3: a call that was sent and has no result is in doubt, and is not sent again', async () => {
    const on = await host({
      answer: () => yes,
      tool: () => new Promise(() => {}),
    });
    const ended = on.run();
    while (on.calls().length === 0) await turn();
    await on.hangUp();
    const result = await ended;
    expect(textOf(result)).toMatch(/^In doubt\. .*but it has no result: [^.]+\. It may have taken effect\./);
    expect(dispositionOf(result)).toBe('in-doubt');
    expect(on.calls()).toHaveLength(1);
  });

  it('consent-C4: nothing in the call, and nothing that its result says, is a yes', async () => {
    const on = await host();
    const meta = { [key]: 'executed', persist: 'always', 'io.github.midcall/approved': true };
    const ended = on.attachment.run({
      kind: 'tool',
      name: 'act',
      arguments: { action: 'accept', _meta: meta },
      rest: { _meta: meta },
    });
    const { id } = await held(on);
    await on.wire.notify('notifications/tools/list_changed', {});
    await on.wire.notify('notifications/elicitation/complete', { elicitationId: id });
    const requestedSchema = { type: 'object', properties: {} };
    if (era === '2025-11-25')
      void on.wire.request('elicitation/create', { mode: 'form', message: id, requestedSchema });
    await turn();
    expect(on.calls()).toHaveLength(0);
    expect(await on.inbox.reply(id, { action: 'yes' } as never, 'test')).toMatchObject({ ok: false });
    await on.inbox.reply(id, { action: 'decline' }, 'test');
    expect(dispositionOf(await ended)).toBe('not-executed');
  });

  it('what was judged is what is called, whatever else the request has', async () => {
    const allowed = { properties: { n: { const: 1 } }, required: ['n'] };
    const on = await host({ list: [{ server: 'notes', tools: ['act'], where: allowed, effect: 'allow' }] });
    const rest = { name: 'other', arguments: { n: 2 } };
    await on.attachment.run({ kind: 'tool', name: 'act', arguments: { n: 1 }, rest });
    expect(on.calls()[0]?.params).toMatchObject({ name: 'act', arguments: { n: 1 } });
  });

  it('what is called through the client, or forwarded, is judged, and what passes both is refused', async () => {
    const on = await host({ list: [{ server: 'notes', tools: '*', effect: 'refuse' }] });
    const { client, attachment } = on;
    expect(dispositionOf(await client.callTool({ name: 'act', arguments: {} }))).toBe('not-executed');
    const forwarded = await attachment.forward({ method: 'tools/call', params: { name: 'act', arguments: {} } });
    expect(dispositionOf('result' in forwarded ? forwarded.result : {})).toBe('not-executed');
    await expect(client.request({ method: 'tools/call', params: { name: 'act', arguments: {} } })).rejects.toThrow(
      'This host has rules about calls.',
    );
    expect(on.calls()).toHaveLength(0);
  });

  it('what the server says of its tools is read once, and again when the server says that they have changed', async () => {
    let hint = true;
    const tools = () => [{ name: 'act', inputSchema: { type: 'object' }, annotations: { readOnlyHint: hint } }];
    const on = await host({
      tools,
      list: [{ server: 'notes', tools: { annotated: 'read-only' }, effect: 'allow' }],
      answer: () => ({ action: 'decline' }),
    });
    await on.run();
    await on.run();
    expect([on.calls().length, on.calls('tools/list').length]).toEqual([2, 1]);
    hint = false;
    await on.wire.notify('notifications/tools/list_changed', {});
    expect(dispositionOf(await on.run())).toBe('not-executed');
    expect(on.calls()).toHaveLength(2);
  });

  it('rules that only observe hold no call back, and what they would have done is recorded', async () => {
    const said: string[] = [];
    const entries: AuditEntry[] = [];
    const sink = {
      read: () => ({ lines: [], unfinished: '' }),
      append: (line: string) => entries.push(JSON.parse(line)) > 0,
    };
    const rules = new Rules({ rules: asks, observe: true, onObserved: line => said.push(line) });
    const on = await host({ rules, audit: new Audit({ sink }) });
    const result = await on.run();
    expect([dispositionOf(result), on.calls().length, on.shown.length]).toEqual([undefined, 1, 0]);
    expect(said).toEqual(["rules: 'act' was called; they would have asked you, because rule 1 says ask"]);
    expect(entries.map(({ event }) => event)).toContainEqual({ type: 'policy', what: said[0] });
  });

  it('the server’s time does not run while the person is asked', async () => {
    const on = await host();
    const ended = on.run({ id: 1 });
    const { id } = await held(on);
    on.clock.move(hour - 1);
    await on.inbox.reply(id, yes, 'test');
    expect(dispositionOf(await ended)).toBe('executed');
  });

  it('a question about a call is not open again in the next process, where nobody waits for it', async () => {
    const on = await host();
    const ended = on.run();
    const question = await held(on);
    const store = memoryStore();
    const first = new Inbox({ store });
    void first.ask(question);
    await first.settled();
    expect(await new Inbox({ store }).restore()).toEqual([]);
    await on.inbox.reply(question.id, { action: 'decline' }, 'test');
    await ended;
  });
});

it('consent-C1, approvals-A1: of calls, answers, changes and cancellations in any order, none runs without a yes of its own, and none twice for one', {
  tags: 'thorough',
}, async () => {
  const step = fc.oneof(
    fc.record({ do: fc.constant('call' as const), n: fc.nat(2), who: fc.nat(1) }),
    fc.record({ do: fc.constant('cancel' as const), at: fc.nat(9) }),
    fc.record({ do: fc.constant('answer' as const), at: fc.nat(9), yes: fc.boolean() }),
    fc.record({ do: fc.constant('change' as const) }),
    fc.record({ do: fc.constant('wait' as const), ms: fc.constantFrom(1_000, hour / 2, hour) }),
  );
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 25 }), async steps => {
      let version = 0;
      const clock = handClock();
      const ran: string[] = [];
      const on = await wired('2026-07-28', {
        rules: new Rules({ rules: asks }),
        clock,
        tools: () => [{ name: 'act', description: String(version), inputSchema: { type: 'object' } }],
        tool: async (_, args) => {
          ran.push(JSON.stringify(args));
          return {};
        },
      });
      const yeses: string[] = [];
      const running: AbortController[] = [];
      for (const each of steps) {
        if (each.do === 'call') {
          const abort = new AbortController();
          running.push(abort);
          const args = { n: each.n, who: each.who };
          const how = { signal: abort.signal, principal: String(each.who) };
          on.attachment.run({ kind: 'tool', name: 'act', arguments: args }, how).catch(() => {});
        }
        if (each.do === 'cancel') running[each.at]?.abort();
        if (each.do === 'change') version += 1;
        if (each.do === 'wait') clock.move(each.ms);
        const question = each.do === 'answer' ? on.inbox.list()[each.at] : undefined;
        if (question && each.do === 'answer') {
          if (each.yes) yeses.push(JSON.stringify(question.call!.arguments));
          await on.inbox.reply(question.id, { action: each.yes ? 'accept' : 'decline' }, 'test');
        }
        for (let at = 0; at < 5; at += 1) await turn();
      }
      for (const args of new Set(ran))
        expect(ran.filter(each => each === args).length).toBeLessThanOrEqual(
          yeses.filter(each => each === args).length,
        );
      await on.client.close();
    }),
    { numRuns: 400 },
  );
});
