/** What one owner cannot take from another: sessions, calls under way, streams. */
import { type AuthInfo, McpServer } from '@modelcontextprotocol/server';
import { describe, expect, it } from 'vitest';
import { countedEndpoint, holdRaw, post, sendRaw } from './raw-http.ts';

const authenticate = async (request: Request): Promise<AuthInfo | undefined> => {
  const token = request.headers.get('authorization')?.slice('Bearer '.length);
  return token === undefined ? undefined : { token, clientId: 'app', scopes: [], extra: { sub: token } };
};
const as = (who: string, session?: string) => ({
  authorization: `Bearer ${who}`,
  ...(session !== undefined && { 'mcp-session-id': session }),
});

const initialize = JSON.stringify({
  jsonrpc: '2.0',
  id: 'init-1',
  method: 'initialize',
  params: {
    protocolVersion: '2025-11-25',
    capabilities: { elicitation: {} },
    clientInfo: { name: 'raw', version: '1' },
  },
});
const ask = (id: number) => JSON.stringify({ jsonrpc: '2.0', id, method: 'tools/call', params: { name: 'ask' } });

/** A server whose tool waits for a person; tells what was answered. */
function asking() {
  const answers: string[] = [];
  let tell = () => {};
  const answered = new Promise<void>(resolve => {
    tell = resolve;
  });
  const factory = () => {
    const server = new McpServer({ name: 'fixture', version: '1.0.0' });
    server.registerTool('ask', {}, async ctx => {
      const requestedSchema = { type: 'object' as const, properties: { yes: { type: 'boolean' as const } } };
      const params = { mode: 'form' as const, message: 'Sure?', requestedSchema };
      answers.push((await ctx.mcpReq.send({ method: 'elicitation/create', params })).action);
      tell();
      return { content: [] };
    });
    return server;
  };
  return { factory, answers, answered };
}

type On = { readonly port: number };
const open = async ({ port }: On, who: string) => {
  const answer = await sendRaw(port, post(initialize, as(who)));
  return { ...answer, session: /mcp-session-id: (\S+)/.exec(answer.head)?.[1] };
};
/** Calls, and goes away as soon as the question is there: the call waits on, without a stream. */
const callAndLeave = async ({ port }: On, who: string, session: string, id = 2) => {
  const { body } = await sendRaw(port, post(ask(id), as(who, session)), got => got.includes('elicitation/create'));
  return JSON.parse(/data: (\{.*elicitation\/create.*\})/.exec(body)![1]!) as { id: number };
};
const answer = ({ port }: On, who: string, session: string, id: number) =>
  sendRaw(port, post(JSON.stringify({ jsonrpc: '2.0', id, result: { action: 'decline' } }), as(who, session)));

describe('2025-11-25: one owner opens 1,100 sessions', () => {
  it('one owner of 1,100 sessions ends only their own: another’s waiting call goes on, though its stream broke', async () => {
    const { factory, answers, answered } = asking();
    await using on = await countedEndpoint(factory, { authenticate });
    const { session } = await open(on, 'alice');
    const question = await callAndLeave(on, 'alice', session!);
    const statuses: number[] = [];
    for (let batch = 0; batch < 44; batch += 1) {
      const opened = await Promise.all(Array.from({ length: 25 }, () => open(on, 'mallory')));
      statuses.push(...opened.map(({ status }) => status));
    }
    expect(statuses).toHaveLength(1_100);
    expect((await answer(on, 'alice', session!, question.id)).status).toBe(202);
    await answered;
    expect(answers).toEqual(['decline']);
    expect(on.endpoint.sessions).toBe(101);
  }, 300_000);

  it('one owner with a call in each session is refused after the hundredth, and others are not', async () => {
    const { factory } = asking();
    await using on = await countedEndpoint(factory, { authenticate });
    for (let at = 0; at < 100; at += 1) {
      const { session } = await open(on, 'mallory');
      await callAndLeave(on, 'mallory', session!);
    }
    const refused = await open(on, 'mallory');
    expect(refused.status).toBe(429);
    expect(refused.head).toContain('retry-after: 30');
    expect(JSON.parse(refused.body)).toEqual({
      jsonrpc: '2.0',
      id: 'init-1',
      error: { code: -32000, message: expect.stringContaining('You have 100 sessions in use') },
    });
    expect((await open(on, 'alice')).status).toBe(200);
  }, 300_000);
});

describe('2025-11-25: where there is no room', () => {
  it('a newcomer is told when to try again, and no call is ended', async () => {
    const { factory } = asking();
    await using on = await countedEndpoint(factory, { authenticate, sessions: { max: 2 } });
    for (const who of ['alice', 'bob']) await callAndLeave(on, who, (await open(on, who)).session!);
    const refused = await open(on, 'carol');
    expect(refused.status).toBe(503);
    expect(refused.head).toContain('retry-after: 30');
    expect(JSON.parse(refused.body)).toMatchObject({
      id: 'init-1',
      error: { message: expect.stringMatching(/Try again later/) },
    });
    expect(on.endpoint.sessions).toBe(2);
  });

  it('a burst gets no more sessions than there may be, however slow the factory is', async () => {
    const { factory } = asking();
    const waiting: (() => void)[] = [];
    const slow = async () => {
      await new Promise<void>(resolve => waiting.push(resolve));
      return factory();
    };
    await using on = await countedEndpoint(slow, { authenticate, sessions: { maxPerOwner: 3 } });
    const burst = Array.from({ length: 10 }, () => open(on, 'mallory'));
    // Seven are answered while three are being opened.
    const refused: number[] = [];
    const seven = new Promise<void>(resolve => {
      for (const each of burst) {
        void each.then(({ status }) => {
          if (status === 429 && refused.push(status) === 7) resolve();
        });
      }
    });
    await seven;
    expect(waiting).toHaveLength(3);
    for (const go of waiting) go();
    const statuses = (await Promise.all(burst)).map(({ status }) => status);
    expect(statuses.filter(status => status === 200)).toHaveLength(3);
    expect(on.endpoint.sessions).toBe(3);
  });

  it('callers whom nobody knows are one owner beside those who are known, and all there are where nobody is', async () => {
    const { factory } = asking();
    const nobody = () => sendRaw(port, post(initialize));
    let port = 0;
    await using known = await countedEndpoint(factory, { authenticate, sessions: { max: 10, maxPerOwner: 2 } });
    port = known.port;
    for (let at = 0; at < 5; at += 1) await nobody();
    expect(known.endpoint.sessions).toBe(2);
    await using unknown = await countedEndpoint(factory, { sessions: { max: 10, maxPerOwner: 2 } });
    port = unknown.port;
    for (let at = 0; at < 12; at += 1) await nobody();
    expect(unknown.endpoint.sessions).toBe(10);
  });
});

it('2025-11-25: the calls of all sessions of an owner count together', async () => {
  const { factory } = asking();
  await using on = await countedEndpoint(factory, { authenticate, sessions: { maxCalls: 2 } });
  const [one, other] = [await open(on, 'mallory'), await open(on, 'mallory')];
  await callAndLeave(on, 'mallory', one.session!);
  await callAndLeave(on, 'mallory', other.session!);
  const refused = await sendRaw(on.port, post(ask(9), as('mallory', one.session)));
  expect(refused.status).toBe(429);
  expect(JSON.parse(refused.body)).toMatchObject({
    id: 9,
    error: { message: expect.stringMatching(/Too many of your requests/) },
  });
  await callAndLeave(on, 'alice', (await open(on, 'alice')).session!);
});

it('2026-07-28: one owner gets only so many streams to listen on, and calls; another is served', async () => {
  const begun: (() => void)[] = [];
  const factory = () => {
    const server = new McpServer(
      { name: 'fixture', version: '1.0.0' },
      { capabilities: { tools: { listChanged: true } } },
    );
    server.registerTool('wait', {}, async ctx => {
      begun.shift()!();
      await new Promise(resolve => ctx.mcpReq.signal.addEventListener('abort', resolve));
      return { content: [] };
    });
    return server;
  };
  await using on = await countedEndpoint(factory, { authenticate, sessions: { maxPerOwner: 2, maxCalls: 3 } });
  const request = (who: string, method: string, params: object) => {
    const _meta = {
      'io.modelcontextprotocol/protocolVersion': '2026-07-28',
      'io.modelcontextprotocol/clientInfo': { name: 'raw', version: '1' },
      'io.modelcontextprotocol/clientCapabilities': {},
    };
    const standard = { 'mcp-protocol-version': '2026-07-28', 'mcp-method': method, 'mcp-name': 'wait' };
    const body = JSON.stringify({ jsonrpc: '2.0', id: 'r-1', method, params: { ...params, _meta } });
    return post(body, { ...as(who), ...standard });
  };
  const listen = (who: string) => request(who, 'subscriptions/listen', { notifications: { toolsListChanged: true } });
  const call = (who: string) => request(who, 'tools/call', { name: 'wait', arguments: {} });
  const listens = (got: string) => got.includes('notifications/subscriptions/acknowledged');

  const held = [await holdRaw(on.port, listen('mallory'), listens), await holdRaw(on.port, listen('mallory'), listens)];
  const refused = await sendRaw(on.port, listen('mallory'));
  expect(refused.status).toBe(429);
  expect(refused.head).toContain('retry-after: 1\r\n');
  expect(JSON.parse(refused.body)).toMatchObject({
    id: 'r-1',
    error: { message: expect.stringMatching(/Too many of your requests/) },
  });
  const waits = new Promise<void>(resolve => begun.push(resolve));
  void sendRaw(on.port, call('mallory'));
  await waits;
  expect((await sendRaw(on.port, call('mallory'))).status).toBe(429);

  held.push(await holdRaw(on.port, listen('alice'), listens));
  for (const socket of held) socket.destroy();
});
