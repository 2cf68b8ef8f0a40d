/** Calls that rules ask about, through a bridge: whichever revision each side speaks, and over HTTP. */
import { Audit, type Inbox, type Rule, Rules, type ServerEntry } from '@midcall/host';
import type { Midcall } from '@midcall/server';
import type { Client } from '@modelcontextprotocol/client';
import type { McpServer } from '@modelcontextprotocol/server';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { tokenGuard } from '../../packages/midcall/src/bridge/http/callers.ts';
import { handClock } from '../host/clock.ts';
import { connectHost, hosts, httpStage } from './http-stage.ts';
import { crossed, stage, textOf } from './stage.ts';
import { until, untilAfterRoots, untilArmed } from './until.ts';

/** A tool that asks nobody. */
function deleting() {
  const done: string[] = [];
  const serve = (_: Midcall, server: McpServer) => {
    server.registerTool('remove', { inputSchema: z.object({ name: z.string() }) }, async ({ name }) => {
      done.push(name);
      return { content: [{ type: 'text' as const, text: `removed ${name}` }] };
    });
    server.registerTool('look', { annotations: { readOnlyHint: true } }, async () => ({
      content: [{ type: 'text' as const, text: 'seen' }],
    }));
  };
  return { done, serve };
}

const asks = (more: Partial<Rule> = {}) => ({
  rules: new Rules({
    rules: [
      { server: 'upstream', tools: { annotated: 'not-destructive' }, effect: 'allow' },
      { server: 'upstream', tools: '*', effect: 'ask', ...more } as Rule,
    ],
  }),
});
const remove = { name: 'remove', arguments: { name: 'a.md' } };
const dispositionOf = (result: object): unknown =>
  (result as { _meta?: Record<string, unknown> })._meta?.['io.github.midcall/disposition'];
const reply = (action: 'accept' | 'decline') => (inbox: Inbox) => inbox.reply(inbox.list()[0]!.id, { action }, 'web');

describe.each(crossed)('a host of %s before a server of %s', (host, upstream) => {
  it('the person is asked in the host, by a text made from the arguments, and a yes makes the call once', async () => {
    const { done, serve } = deleting();
    await using on = await stage({
      host,
      upstream,
      serve,
      options: asks(),
      answers: [{ action: 'accept', content: {} }],
    });
    const result = await on.client.callTool(remove);
    expect([textOf(result), dispositionOf(result), done]).toEqual(['removed a.md', 'executed', ['a.md']]);
    expect(on.person.asked).toHaveLength(1);
    expect(on.person.asked[0]?.params).toMatchObject({
      message:
        "Midcall asks before 'remove' of 'upstream' is called, because rule 2 says ask. It has not been called.\n\n" +
        'name: a.md\n\nAccept to make this call once. Decline to prevent it.',
    });
    expect(textOf(await on.client.callTool({ name: 'look' }))).toBe('seen');
    expect(on.person.asked).toHaveLength(1);
  });

  it('a call that the person in the host declines is not made', async () => {
    const { done, serve } = deleting();
    await using on = await stage({ host, upstream, serve, options: asks(), answers: [{ action: 'decline' }] });
    const result = await on.client.callTool(remove);
    expect(textOf(result)).toMatch(/^Not done\. The person said no\./);
    expect([result.isError, dispositionOf(result), done]).toEqual([true, 'not-executed', []]);
  });

  it.each([
    ['has no forms', { capabilities: {} }, remove.arguments],
    ['must not pass the answer on', { options: asks({ assurance: 'out-of-band' }) }, remove.arguments],
    [
      'answers by itself',
      { options: { ...asks(), suspectBelowMs: 60_000 }, answers: [{ action: 'accept', content: {} }] as const },
      remove.arguments,
    ],
    ['could not show it whole', {}, { name: 'long '.repeat(500) }],
  ])('the desk asks if the host %s', async (_, more, args) => {
    const { done, serve } = deleting();
    await using on = await stage({ host, upstream, serve, options: asks(), atDesk: reply('accept'), ...more });
    const result = await on.client.callTool({ name: 'remove', arguments: args });
    expect([dispositionOf(result), done, on.opened.length]).toEqual(['executed', [args.name], 1]);
  });

  it('later calls pass by a grant that the person gives at the desk', async () => {
    const { done, serve } = deleting();
    const content = { grant: { scope: 'tool', end: 'session' } };
    const atDesk = (inbox: Inbox) => inbox.reply(inbox.list()[0]!.id, { action: 'accept', content }, 'web');
    await using on = await stage({ host, upstream, serve, options: asks(), capabilities: {}, atDesk });
    for (const name of ['a.md', 'b.md'])
      expect(dispositionOf(await on.client.callTool({ name: 'remove', arguments: { name } }))).toBe('executed');
    expect([done, on.opened.length]).toEqual([['a.md', 'b.md'], 1]);
  });

  /** Adds `_meta` to answers in requests, from which the SDK's client leaves out what 2026-07-28 does not name. */
  function withMeta({ transport }: Client, meta: object): void {
    const send = transport!.send.bind(transport);
    transport!.send = (message, ...rest) => {
      const { inputResponses = {} } = ('params' in message ? message.params : {}) as { inputResponses?: object };
      for (const each of Object.values(inputResponses)) Object.assign(each, { _meta: meta });
      return send(message, ...rest);
    };
  }
  const remembers = (persist: unknown) => ({ action: 'accept', content: {}, _meta: { persist } }) as const;
  const isNoted = (audit: Audit) => audit.entries({ search: 'its yes counts for this call alone' }).length;

  it.each<readonly [string, Partial<Rule>, unknown, number]>([
    ['does not say so', {}, 'always', 1],
    ['lets a yes count for one call only', { assurance: 'in-band', grant: 'none' }, 'session', 1],
    ['says so, and the host says something else', { assurance: 'in-band' }, { scope: 'tool' }, 0],
  ])(
    'consent-C4: what a host says of the time after its yes lets no later call pass, if the rule %s',
    async (_, more, persist, noted) => {
      const { done, serve } = deleting();
      const audit = new Audit();
      const options = { ...asks(more), audit };
      const answers = [remembers(persist), { action: 'decline' }] as const;
      await using on = await stage({ host, upstream, serve, options, answers });
      withMeta(on.client, { persist });
      expect(dispositionOf(await on.client.callTool(remove))).toBe('executed');
      expect(dispositionOf(await on.client.callTool(remove))).toBe('not-executed');
      expect([done, options.rules.consent.current().grants, isNoted(audit)]).toEqual([['a.md'], [], noted]);
    },
  );

  it.each<readonly [string, Partial<Rule>, string | undefined, number]>([
    ['session', {}, 'a session', 86_400_000],
    ['always', {}, undefined, 86_400_000],
    ['always', { grantFor: 5_000, grant: 'exact' }, 'a session', 5_000],
  ])(
    'consent-C4: a yes that a host remembers (%s) lets the same call pass where the rule says in-band, and no other',
    async (persist, more, session, lasts) => {
      const { done, serve } = deleting();
      const options = asks({ assurance: 'in-band', ...more });
      const answers = [remembers(persist), { action: 'decline' }] as const;
      await using on = await stage({ host, upstream, serve, options, answers });
      withMeta(on.client, { persist });
      const call = (name: string) => on.client.callTool({ name: 'remove', arguments: { name } });
      for (const name of ['a.md', 'a.md']) expect(dispositionOf(await call(name))).toBe('executed');
      expect(dispositionOf(await call('b.md'))).toBe('not-executed');
      expect(done).toEqual(['a.md', 'a.md']);
      const [grant] = options.rules.consent.current().grants;
      expect([grant!.scope, grant!.session !== undefined]).toEqual(['exact', session !== undefined]);
      expect(grant!.until - grant!.madeAt).toBe(lasts);
      expect(on.person.asked[0]?.params).toMatchObject({
        message: expect.stringContaining('calls with exactly these arguments pass without a question'),
        _meta: { persist: ['session', 'always'] },
      });
    },
  );

  it('the result says that nobody could be asked, if there is neither a form nor a desk', async () => {
    const { done, serve } = deleting();
    await using on = await stage({ host, upstream, serve, options: asks(), capabilities: {} });
    const result = await on.client.callTool(remove);
    expect(textOf(result)).toMatch(/^Not done\. The person could not be asked/);
    expect([dispositionOf(result), done]).toEqual(['not-executed', []]);
  });

  /** A host that has waited for the desk, and was sent away. */
  async function sentAway() {
    const { done, serve } = deleting();
    const clock = handClock();
    const on = await stage({ host, upstream, serve, options: asks(), capabilities: {}, clock, atDesk: () => {} });
    const first = on.client.callTool(remove);
    await untilAfterRoots(clock, () => on.opened.length === 1);
    await untilArmed(clock, 45_000);
    clock.move(45_000);
    const result = await first;
    expect(textOf(result)).toMatch(
      /^Not done\. 'remove' waits for the person's yes .*call 'remove' again with the same/,
    );
    expect([result.isError, dispositionOf(result)]).toEqual([true, 'not-executed']);
    return { ...on, done, clock };
  }

  it('forward-B6: a call is made only when the host makes it again, if the yes comes after the host has stopped waiting', async () => {
    await using on = await sentAway();
    expect(on.waits.at(-1)).toEqual({ host: 'test-host', state: 'left' });
    await reply('accept')(on.inbox);
    await new Promise(setImmediate);
    expect(on.done).toEqual([]);
    const result = await on.client.callTool(remove);
    expect([dispositionOf(result), on.done, on.opened.length]).toEqual(['executed', ['a.md'], 1]);
  });

  it('forward-B6: nobody is asked anew if the host makes the same call again before the answer', async () => {
    await using on = await sentAway();
    const [question] = on.inbox.list();
    const again = on.client.callTool(remove);
    await untilArmed(on.clock, 45_000);
    expect(on.inbox.list()).toEqual([question]);
    await reply('accept')(on.inbox);
    expect([dispositionOf(await again), on.done]).toEqual(['executed', ['a.md']]);
  });

  it('asking stops when the person has said no, and begins anew when the host makes the call again', async () => {
    await using on = await sentAway();
    await reply('decline')(on.inbox);
    const again = on.client.callTool(remove);
    await until(() => on.inbox.list().length === 1);
    await reply('decline')(on.inbox);
    expect([dispositionOf(await again), on.done]).toEqual(['not-executed', []]);
  });
});

const [ada, alan] = ['Yp5-token-of-ada-in-front-of-a-pool-Us74', 'Yp5-token-of-alan-in-front-of-a-pool-Us74'];
const guard = tokenGuard([
  { token: ada, principal: 'ada', desk: false },
  { token: alan, principal: 'alan', desk: false },
]);

describe.each(hosts)('over HTTP, hosts of %s', kind => {
  it('hosts are asked about calls of every process of a server, whatever number it has', async () => {
    const { done, serve } = deleting();
    await using on = await httpStage({ upstream: '2025-11-25', serve, options: asks() });
    const answers = [{ action: 'decline' }] as const;
    const [first, second] = [
      await connectHost(kind, on.url, { capabilities: { elicitation: {} }, answers }),
      await connectHost(kind, on.url, { capabilities: { elicitation: {}, roots: {} }, answers }),
    ];
    for (const each of [first, second]) {
      const result = await each.call('remove', { name: 'a.md' });
      expect([
        dispositionOf(result),
        each.asked.filter(({ method }) => method === 'elicitation/create').length,
      ]).toEqual(['not-executed', 1]);
    }
    expect([on.bridge.servers, done]).toEqual([2, []]);
    await first.close();
    await second.close();
  });

  it('hosts are asked for themselves, also if another principal has said yes to the same call of a shared server', async () => {
    const { done, serve } = deleting();
    const shared = (entry: ServerEntry) => [{ path: '/mcp', entry: { ...entry, shared: true }, guard }];
    await using on = await httpStage({ upstream: '2025-11-25', serve, options: asks(), entries: shared });
    const connect = (token: string, action: 'accept' | 'decline') =>
      connectHost(kind, on.url, {
        token,
        capabilities: { elicitation: {} },
        answers: [action === 'accept' ? { action, content: {} } : { action }],
      });
    const [first, second] = [await connect(ada, 'accept'), await connect(alan, 'decline')];
    const [one, other] = await Promise.all([first.call('remove', { name: 'a' }), second.call('remove', { name: 'a' })]);
    expect([dispositionOf(one), dispositionOf(other), done]).toEqual(['executed', 'not-executed', ['a']]);
    await first.close();
    await second.close();
  });
});
