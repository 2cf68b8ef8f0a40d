/** What is never made up: no yes and no no that nobody said, and no record of an answer that nobody gave. */
import { randomBytes } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Audit, type AuditEntry, type Inbox, Policy } from '@midcall/host';
import type { Midcall } from '@midcall/server';
import { eras } from '@midcall/testing';
import { type McpServer, UrlElicitationRequiredError } from '@modelcontextprotocol/server';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { handClock } from '../host/clock.ts';
import { crossed, noModel, reply, stage, textOf } from './stage.ts';
import { ring, until, untilAfterRoots, untilArmed } from './until.ts';

const says = (text: string) => ({ content: [{ type: 'text' as const, text }] });
const hello = { messages: [{ role: 'user', content: { type: 'text', text: 'Hello' } }], maxTokens: 100 } as const;
const yes = { action: 'accept', content: { value: true } } as const;

/** A record, and how the questions in it ended: `kind how via`. */
function record() {
  const entries: AuditEntry[] = [];
  const sink = {
    read: () => ({ lines: [], unfinished: '' }),
    append: (line: string) => entries.push(JSON.parse(line)) > 0,
  };
  return {
    audit: new Audit({ sink }),
    endings: () =>
      entries.flatMap(({ event }) => (event.type === 'ended' ? [[event.kind, event.how, event.via].join(' ')] : [])),
    refusals: () => entries.flatMap(({ event }) => (event.type === 'refused' ? [event.why] : [])),
  };
}

/** A tool that asks the same, times over, whatever it hears: another server's tool, not one of Midcall. */
const asksAgain = (times: number) => (_: Midcall, server: McpServer) =>
  server.registerTool('again', {}, async ctx => {
    const heard: string[] = [];
    for (let n = 0; n < times; n += 1) {
      const requestedSchema = { type: 'object' as const, properties: { value: { type: 'boolean' as const } } };
      heard.push((await ctx.mcpReq.elicitInput({ message: 'Overwrite it?', requestedSchema })).action);
    }
    return says(heard.join(' '));
  });

const asking = (_: Midcall, server: McpServer) => asksAgain(1)(_, server);

describe.each(['2025-11-25', '2026-07-28'] as const)('a host of %s', host => {
  const upstream = '2025-11-25';

  it('a host is asked again what it has declined, since only a person knows whether it is the same', async () => {
    const answers = [{ action: 'decline' }, yes, { action: 'cancel' }, { action: 'cancel' }, { action: 'cancel' }, yes];
    await using on = await stage({ host, upstream, serve: asksAgain(6), answers });
    expect(textOf(await on.client.callTool({ name: 'again' }))).toBe('decline accept cancel cancel cancel accept');
    expect(on.person.asked).toHaveLength(6);
  });

  it('a host’s automatic no is sent as no answer where there is no desk, and the record says that nobody gave one', async () => {
    const { audit, endings } = record();
    const options = { suspectBelowMs: 60_000, audit };
    await using on = await stage({ host, upstream, serve: asking, answers: [{ action: 'decline' }], options });
    expect(textOf(await on.client.callTool({ name: 'again' }))).toBe('cancel');
    expect(endings()).toEqual(['form unshown ']);
  });

  it('the record has the answer of a host’s person as the host’s', async () => {
    const { audit, endings } = record();
    const answers = [yes, { action: 'decline' }, { action: 'cancel' }];
    await using on = await stage({ host, upstream, serve: asksAgain(3), answers, options: { audit } });
    await on.client.callTool({ name: 'again' });
    expect(endings()).toEqual(['form answered host', 'form declined host', 'form dismissed host']);
  });

  it('a long reply of a host’s model is kept for its call', async () => {
    const long = randomBytes(45_000).toString('base64');
    await using on = await stage({
      host,
      upstream,
      capabilities: { sampling: {} },
      answers: [reply(long), reply('short')],
      serve: (mid, server) =>
        mid.tool(server, 'think', {}, async (_, call) => {
          const first = await call.sample(hello);
          const second = await call.sample({ ...hello, temperature: 0.1 });
          return says(`${JSON.stringify(first.content).includes(long)} ${JSON.stringify(second.content)}`);
        }),
    });
    expect(textOf(await on.client.callTool({ name: 'think' }))).toMatch(/^true .*short/);
  });
});

it('the record says that a person at the host did not let the model be used', async () => {
  const { audit, refusals } = record();
  const refusal = () => Promise.reject(Object.assign(new Error('User rejected sampling request'), { code: -1 }));
  await using on = await stage({
    host: '2025-11-25',
    upstream: '2025-11-25',
    capabilities: { sampling: {} },
    answers: [refusal],
    options: { audit },
    serve: (_, server) =>
      server.registerTool('think', {}, async ctx =>
        says(
          await ctx.mcpReq.requestSampling(hello as never).then(
            () => 'a reply',
            ({ code }) => `refused ${code}`,
          ),
        ),
      ),
  });
  expect(textOf(await on.client.callTool({ name: 'think' }))).toBe('refused -1');
  expect(refusals().join()).toContain('refused');
});

it.each(['2025-11-25', '2026-07-28'] as const)(
  'the bridge does not tell a server of %s that a person refused, where the host refused by itself',
  async upstream => {
    const { audit, refusals } = record();
    const refusal = () => Promise.reject(Object.assign(new Error('User rejected sampling request'), { code: -1 }));
    await using on = await stage({
      host: '2025-11-25',
      upstream,
      capabilities: { sampling: {} },
      answers: [refusal],
      options: { audit, suspectBelowMs: 60_000 },
      serve: (mid, server) =>
        mid.tool(server, 'think', {}, async (_, call) =>
          says(
            await call.sample(hello).then(
              () => 'a reply',
              ({ code }) => `no reply: ${code}`,
            ),
          ),
        ),
    });
    const said = textOf(await on.client.callTool({ name: 'think' }));
    if (upstream === '2025-11-25') expect(said).toBe('no reply: sampling/unavailable');
    else expect(said).toContain('could not be told whether a person refused');
    expect(refusals().join()).toContain('could not be told whether a person refused');
    expect(`${said} ${refusals().join()}`).not.toContain('he person refused');
  },
);

it('no decision of the person’s hands over a reply that the person is to write', async () => {
  const policy = new Policy();
  policy.add({ server: 'upstream', subject: 'sampling', effect: 'allow' });
  const kinds: string[] = [];
  await using on = await stage({
    host: '2025-11-25',
    upstream: '2025-11-25',
    capabilities: {},
    options: { policy, sampling: { model: { ...noModel, byHand: true }, always: false } },
    atDesk: async inbox => {
      const [question] = inbox.list();
      kinds.push(question!.kind);
      const content = { content: [{ type: 'text', text: 'by hand' }] };
      await inbox.reply(question!.id, { action: 'accept', content }, 'web');
    },
    serve: (mid, server) =>
      mid.tool(server, 'think', {}, async (_, call) => says(JSON.stringify((await call.sample(hello)).content))),
  });
  expect(textOf(await on.client.callTool({ name: 'think' }))).toContain('by hand');
  expect(kinds).toEqual(['sampling-reply']);
});

it.each(eras)('a host of %s is told that nothing was sent of a call whose server cannot be connected', async host => {
  const server = createServer((request, response) => {
    // A connection that is kept could still take the call.
    response.setHeader('connection', 'close');
    if (request.method === 'GET') return void response.writeHead(405).end();
    let body = '';
    request.on('data', chunk => (body += chunk));
    request.on('end', () => {
      const { id, method } = JSON.parse(body) as { readonly id?: number; readonly method: string };
      const about = { protocolVersion: '2025-11-25', serverInfo: { name: 'raw', version: '1' } };
      const result = method === 'initialize' ? { ...about, capabilities: { tools: {} } } : { tools: [] };
      response.writeHead(id === undefined ? 202 : 200, { 'content-type': 'application/json' });
      response.end(id === undefined ? '' : JSON.stringify({ jsonrpc: '2.0', id, result }));
    });
  });
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`;
  await using on = await stage({ host, upstream: '2025-11-25', url });
  await on.client.listTools();
  await new Promise(resolve => server.close(resolve));
  expect(await on.client.callTool({ name: 'go' })).toMatchObject({
    content: [{ text: 'The server cannot be reached. Nothing was sent.' }],
    isError: true,
  });
});

it('the bridge does not say that a person stopped a call whose page nobody could be asked about', async () => {
  const page = { mode: 'url' as const, message: 'Sign in', url: 'https://example.org/', elicitationId: 'e-1' };
  await using on = await stage({
    host: '2025-11-25',
    upstream: '2025-11-25',
    capabilities: { elicitation: { form: {}, url: {} } },
    answers: [{ action: 'accept' }],
    serve: (_, server) =>
      server.registerTool('sign-in', {}, () => {
        throw new UrlElicitationRequiredError([page]);
      }),
  });
  expect(textOf(await on.client.callTool({ name: 'sign-in' }))).toContain('needs a page to be finished first');
});

describe('the rounds of a host of 2026-07-28', () => {
  const host = '2026-07-28';
  const upstream = '2025-11-25';
  const declineAtDesk = (inbox: Inbox) => {
    inbox.present({ via: 'web', show: (_, { reply: say }) => void say({ action: 'decline' }) });
  };

  it('the rounds of a host of 2026-07-28 are asked for forms as long as three are left, and then the desk is', async () => {
    const answers = Array.from({ length: 9 }, () => yes);
    await using on = await stage({ host, upstream, serve: asksAgain(9), answers, atDesk: declineAtDesk });
    const heard = textOf(await on.client.callTool({ name: 'again' })).split(' ');
    expect(heard).toEqual([...Array(7).fill('accept'), ...Array(2).fill('decline')]);
    expect(on.person.asked).toHaveLength(7);
  });

  it('the rounds of a host of 2026-07-28 suffice for a form whose answers do not fit, however late it is asked', async () => {
    const wrong = { action: 'accept', content: { value: 'none' } } as const;
    const answers = [...Array.from({ length: 6 }, () => yes), wrong, wrong, yes];
    await using on = await stage({ host, upstream, serve: asksAgain(7), answers });
    expect(textOf(await on.client.callTool({ name: 'again' }))).toBe(Array(7).fill('accept').join(' '));
    expect(on.person.asked).toHaveLength(9);
  });

  it('the rounds of a host of 2026-07-28 are asked for pages to the last one', async () => {
    await using on = await stage({
      host,
      upstream,
      capabilities: { elicitation: { form: {}, url: {} } },
      answers: Array.from({ length: 9 }, () => ({ action: 'accept' as const })),
      atDesk: declineAtDesk,
      serve: (_, server) =>
        server.registerTool('open', {}, async ctx => {
          const heard: string[] = [];
          for (let n = 0; n < 11; n += 1) {
            const page = {
              mode: 'url' as const,
              message: 'Look',
              url: `https://example.org/${n}`,
              elicitationId: `e-${n}`,
            };
            heard.push((await ctx.mcpReq.elicitInput(page)).action);
          }
          return says(heard.join(' '));
        }),
    });
    const heard = textOf(await on.client.callTool({ name: 'open' })).split(' ');
    expect(heard).toEqual([...Array(9).fill('accept'), ...Array(2).fill('decline')]);
  });

  it('the rounds of a host of 2026-07-28 are used for its model to the last one, and then the desk is asked for a reply', async () => {
    await using on = await stage({
      host,
      upstream,
      capabilities: { sampling: {} },
      answers: Array.from({ length: 9 }, () => reply('from the host')),
      atDesk: inbox => {
        inbox.present({ via: 'web', show: (_, { reply: say }) => void say({ action: 'accept' }) });
      },
      serve: (_, server) =>
        server.registerTool('think', {}, async ctx => {
          const heard: string[] = [];
          for (let n = 0; n < 11; n += 1) {
            const { content } = await ctx.mcpReq.requestSampling({ ...hello, temperature: n / 100 } as never);
            heard.push((content as { text: string }).text);
          }
          return says(heard.join(', '));
        }),
    });
    const heard = textOf(await on.client.callTool({ name: 'think' })).split(', ');
    expect(heard).toEqual([...Array(9).fill('from the host'), ...Array(2).fill('from the desk')]);
  });
});

describe.each(crossed)('a host of %s before a server of %s: an answer that is nobody’s', (host, upstream) => {
  const serve = (mid: Midcall, server: McpServer) =>
    mid.tool(server, 'ask', {}, async (_, call) => {
      const answer = await call.elicit({ message: 'Sure?', form: z.object({ value: z.boolean() }) });
      return says(answer.action === 'cancel' ? `cancel ${answer.reason}` : answer.action);
    });
  const acceptAtDesk = (inbox: Inbox) => inbox.reply(inbox.list()[0]!.id, yes, 'web');

  it('the desk asks where three answers of the host did not fit', async () => {
    const wrong = { action: 'accept', content: { value: 'none' } } as const;
    await using on = await stage({ host, upstream, serve, answers: [wrong, wrong, wrong], atDesk: acceptAtDesk });
    expect(textOf(await on.client.callTool({ name: 'ask' }))).toBe('accept');
    expect(on.opened).toHaveLength(1);
  });

  it('an answer that is nobody’s is no dismissal, where there is no desk', async () => {
    const { audit, endings } = record();
    const wrong = { action: 'accept', content: { value: 'none' } } as const;
    await using on = await stage({ host, upstream, serve, answers: [wrong, wrong, wrong], options: { audit } });
    await on.client.callTool({ name: 'ask' });
    expect(endings()).toEqual(['form unshown ']);
  });
});

it('a host that never answers is not said to have dismissed the question: the desk is asked', async () => {
  const clock = handClock();
  const host = '2025-11-25';
  await using on = await stage({
    host,
    upstream: host,
    clock,
    serve: asking,
    answers: ['never'],
    atDesk: inbox => inbox.reply(inbox.list()[0]!.id, yes, 'web'),
  });
  const call = on.client.callTool({ name: 'again' });
  await untilAfterRoots(clock, () => on.person.asked.length === 1 || clock.left.includes(3_600_000));
  await on.person.whenAsked(1);
  await untilArmed(clock, 3_600_000);
  clock.move(3_600_000);
  expect(textOf(await call)).toBe('accept');
  expect(on.opened).toHaveLength(1);
});

describe.each(crossed)('a host of %s before a server of %s', (host, upstream) => {
  it('a host is not asked for its model’s reply twice, when it comes back for a call', async () => {
    const clock = handClock();
    await using on = await stage({
      host,
      upstream,
      clock,
      capabilities: { sampling: {} },
      answers: [reply('once')],
      atDesk: () => {},
      serve: (mid, server) =>
        mid.tool(server, 'think', {}, async (_, call) => {
          const { content } = await call.sample(hello);
          const sure = await call.elicit({ message: 'Use it?', form: z.object({ value: z.boolean() }) });
          return says(`${sure.action} ${JSON.stringify(content)}`);
        }),
    });
    const first = on.client.callTool({ name: 'think' });
    await untilAfterRoots(clock, () => on.opened.length === 1);
    await untilArmed(clock, 45_000);
    clock.move(45_000);
    expect(textOf(await first)).toContain('again');
    await on.inbox.reply(on.inbox.list()[0]!.id, yes, 'web');
    expect(textOf(await on.client.callTool({ name: 'think' }))).toMatch(/^accept .*once/);
    expect(on.person.asked).toHaveLength(1);
  });
});

/** A server of 2025-11-25 that asks beside its calls, so that the wire does not say which one a question belongs to. */
function asksBeside() {
  const ends = new Map<string, () => void>();
  const heard: string[] = [];
  const serve = (_: Midcall, server: McpServer) =>
    server.registerTool('wait', { inputSchema: z.object({ name: z.string() }) }, async ({ name }) => {
      const requestedSchema = { type: 'object' as const, properties: { value: { type: 'boolean' as const } } };
      const ask = () =>
        server.server
          .elicitInput({ message: 'Which call is this?', requestedSchema }, { timeout: 10_000_000 })
          .then(({ action }) => {
            heard.push(action);
            ring();
          });
      await new Promise<void>(resolve => {
        ends.set(name, resolve);
        ring();
      });
      if (name !== 'later') await ask();
      else ends.set('ask', () => void ask());
      return says(name);
    });
  return { serve, ends, heard };
}

describe.each(['2025-11-25', '2026-07-28'] as const)('a host of %s, and a question that names no call', host => {
  const upstream = '2025-11-25';
  const wait = (name: string) => ({ name: 'wait', arguments: { name } });

  it('the question is answered on the desk where several calls run, whatever the host can show', async () => {
    const { serve, ends, heard } = asksBeside();
    const atDesk = (inbox: Inbox) => inbox.reply(inbox.list()[0]!.id, yes, 'web');
    await using on = await stage({ host, upstream, serve, atDesk, answers: [{ action: 'decline' }] });
    const [one, other] = [on.client.callTool(wait('one')), on.client.callTool(wait('other'))];
    await until(() => ends.size === 2);
    ends.get('one')!();
    expect(textOf(await one)).toBe('one');
    expect([heard, on.person.asked, on.opened.length]).toEqual([['accept'], [], 1]);
    ends.get('other')!();
    await other;
  });

  it('the host is not kept waiting for the question longer than for others', async () => {
    const { serve, ends } = asksBeside();
    const clock = handClock();
    await using on = await stage({ host, upstream, serve, clock, atDesk: () => {} });
    const calls = [on.client.callTool(wait('one')), on.client.callTool(wait('other'))];
    await untilAfterRoots(clock, () => ends.size === 2);
    ends.get('one')!();
    await until(() => on.opened.length === 1);
    await untilArmed(clock, 45_000, 2);
    clock.move(45_000);
    for (const call of calls) expect(textOf(await call)).toContain('again with the same arguments');
  });

  it('the host gets the result of a call that ends while it waits for a question which was not its own', async () => {
    const { serve, ends } = asksBeside();
    const clock = handClock();
    await using on = await stage({ host, upstream, serve, clock, atDesk: () => {} });
    const [one, other] = [on.client.callTool(wait('one')), on.client.callTool(wait('later'))];
    await untilAfterRoots(clock, () => ends.size === 2);
    ends.get('one')!();
    await until(() => on.opened.length === 1);
    await untilArmed(clock, 45_000, 2);
    ends.get('later')!();
    expect(textOf(await other)).toBe('later');
    expect(on.inbox.list()).toHaveLength(1);
    await on.inbox.reply(on.inbox.list()[0]!.id, yes, 'web');
    expect(textOf(await one)).toBe('one');
  });

  it('the question gets no yes where there is no desk', async () => {
    const { serve, ends, heard } = asksBeside();
    await using on = await stage({ host, upstream, serve });
    const calls = [on.client.callTool(wait('one')), on.client.callTool(wait('other'))];
    await until(() => ends.size === 2);
    for (const end of ends.values()) end();
    await Promise.all(calls);
    expect(heard).toEqual(['cancel', 'cancel']);
  });

  it('the question is seen on the desk after every call has ended, and ends there in time', async () => {
    const { serve, ends, heard } = asksBeside();
    const clock = handClock();
    await using on = await stage({ host, upstream, serve, clock, atDesk: () => {} });
    const call = on.client.callTool(wait('later'));
    await untilAfterRoots(clock, () => ends.size === 1);
    ends.get('later')!();
    await call;
    ends.get('ask')!();
    await until(() => on.opened.length === 1);
    await untilArmed(clock, 900_000);
    clock.move(900_000);
    await until(() => heard.length === 1);
    expect([heard, on.inbox.list()]).toEqual([['cancel'], []]);
  });
});
