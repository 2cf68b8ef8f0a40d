/** What was given up while Redis was away, what lives as long as a call, who ends whose calls, and who comes back twice. */
import { midcall } from '@midcall/server';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { McpServer } from '@modelcontextprotocol/server';
import { describe, expect, it } from 'vitest';
import { STANDALONE } from '../../packages/server/src/fleet/keys.ts';
import { beginCall, readEvents, takeCall } from '../../packages/server/src/fleet/scripts.ts';
import { eventually, grown } from '../fixtures/grown.ts';
import { redisServer } from '../stores/redis-server.ts';
import { fleetKey, type Replicas, startReplicas } from './replicas.ts';

const said = (text: string) => ({ content: [{ type: 'text' as const, text }] });
const revision = '2025-11-25';
const accept = 'application/json, text/event-stream';

/** A server that asks once, and says where it ran. */
const server = (at: number) => {
  const mid = midcall({ key: fleetKey, suspectBelowMs: 0, warn: () => {} });
  return () => {
    const server = new McpServer({ name: 'fleet', version: '1.0.0' });
    mid.tool(server, 'ask', {}, async (_, call) => {
      const answer = await call.elicit({ message: 'Go on?', form: Boolean });
      return said(`${answer.action} at ${at}`);
    });
    return server;
  };
};

/** A session without an open stream. */
async function session(replicas: Replicas, at = 0) {
  const post = (to: number, message: object, headers: Record<string, string> = {}) =>
    fetch(replicas.servings[to]!.url, {
      method: 'POST',
      headers: { 'content-type': 'application/json', accept, 'mcp-protocol-version': revision, ...headers },
      body: JSON.stringify({ jsonrpc: '2.0', ...message }),
    });
  const clientInfo = { name: 'raw', version: '1.0.0' };
  const params = { protocolVersion: revision, capabilities: { elicitation: {} }, clientInfo };
  const opened = await post(at, { id: 'open', method: 'initialize', params });
  if (!opened.ok) throw new Error(await opened.text());
  const id = opened.headers.get('mcp-session-id')!;
  const send = (to: number, message: object) => post(to, message, { 'mcp-session-id': id });
  /** As the revision that had batches. */
  const batch = (to: number, messages: readonly object[]) =>
    fetch(replicas.servings[to]!.url, {
      method: 'POST',
      headers: {
        ...{ 'content-type': 'application/json', accept, 'mcp-protocol-version': '2025-03-26' },
        'mcp-session-id': id,
      },
      body: JSON.stringify(messages.map(message => ({ jsonrpc: '2.0', ...message }))),
    });
  const resume = (to: number, last: string) =>
    fetch(replicas.servings[to]!.url, {
      headers: {
        accept: 'text/event-stream',
        'mcp-protocol-version': revision,
        'mcp-session-id': id,
        'last-event-id': last,
      },
    });
  return { send, batch, resume };
}

const callAsk = { id: 'call-1', method: 'tools/call', params: { name: 'ask', arguments: {} } };

/** Reads a stream until something is in it. */
async function readUntil(response: Response, found: (text: string) => boolean): Promise<string> {
  const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader();
  for (let text = ''; ; ) {
    const { value, done } = await reader.read();
    if (done) throw new Error(`The stream ended: ${text}`);
    text += value;
    if (found(text)) return text;
  }
}

async function person(replicas: Replicas) {
  const asked: string[] = [];
  let answer = (): void => {};
  const client = new Client(
    { name: 'host', version: '1.0.0' },
    { capabilities: { elicitation: {} }, versionNegotiation: { mode: 'legacy' } },
  );
  client.setRequestHandler('elicitation/create', ({ params }) => {
    asked.push(params.message);
    return new Promise(resolve => {
      answer = () => resolve({ action: 'accept', content: { value: true } });
    });
  });
  await client.connect(
    new StreamableHTTPClientTransport(new URL('http://fleet.invalid/mcp'), { fetch: replicas.fetch }),
  );
  const result = client.callTool({ name: 'ask', arguments: {} }, { timeout: 600_000 });
  await grown(asked, list => list.length > 0);
  return { client, result, answer: () => answer() };
}

describe.skipIf(!redisServer)('a fleet whose Redis was away', () => {
  it('a call that was refused for it, and came to Redis all the same, runs where it is sent again', async () => {
    await using replicas = await startReplicas({ factory: server });
    const { send } = await session(replicas);
    replicas.deafen(0, [beginCall]);
    const refused = await send(0, callAsk);
    expect(refused.status).toBe(503);
    expect(await refused.text()).toContain('This replica has begun nothing. If the request was sent before, find out');
    const again = await send(1, callAsk);
    expect(again.status).toBe(200);
    expect(await readUntil(again, text => text.includes('"Go on?"'))).toContain('elicitation/create');
  });

  it('a call that another replica runs is not said to have done nothing where it is sent again', async () => {
    await using replicas = await startReplicas({ factory: server, count: 2 });
    const { send } = await session(replicas);
    const first = await send(0, callAsk);
    expect(await readUntil(first, text => text.includes('"Go on?"'))).toContain('elicitation/create');
    replicas.deafen(1, [readEvents]);
    const again = await send(1, callAsk);
    expect(again.status).toBe(503);
    expect(await again.text()).toContain('What it did is in doubt');
  });

  it('a batch of which a call has begun is not said to have done nothing', async () => {
    await using replicas = await startReplicas({ factory: server, count: 1 });
    const { batch } = await session(replicas);
    replicas.deafen(0, [beginCall], 1);
    const told = await batch(0, [{ ...callAsk, id: 'call-2' }, callAsk]);
    expect(told.status).toBe(503);
    expect(await told.text()).toContain('What it did is in doubt');
  });

  it('a batch of which a call is one too many is not said to be one to try again, since the one before it has begun', async () => {
    await using replicas = await startReplicas({ factory: server, count: 1, http: { sessions: { maxCalls: 1 } } });
    const { batch, send } = await session(replicas);
    const told = await batch(0, [{ ...callAsk, id: 'call-2' }, callAsk]);
    expect([told.status, told.headers.get('retry-after')]).toEqual([500, null]);
    expect(await told.text()).toContain('those before it had begun. Find out what took effect before calling again.');
    const alone = await send(0, callAsk);
    expect([alone.status, await alone.text()]).toEqual([429, expect.stringContaining('Try again later.')]);
  });

  it.each([
    ['a call', 'gone', 'Find out what took effect before calling again.'],
    ['the announcements', STANDALONE, 'Listen again without Last-Event-ID.'],
  ])('who resumes the stream of %s after what is kept of it is told what to do', async (_, stream, says) => {
    await using replicas = await startReplicas({ factory: server, count: 1 });
    const { resume } = await session(replicas);
    const told = await resume(0, `${stream}.1-1`);
    expect([told.status, await told.text()]).toEqual([400, expect.stringContaining(`not kept any more. ${says}`)]);
  });

  it('a call that was taken over in vain is let go, and taken over by the next', async () => {
    await using replicas = await startReplicas({ factory: server });
    replicas.route(what => (what === 'tools/call' ? 1 : 0));
    const { client, answer, result } = await person(replicas);
    replicas.deafen(0, [takeCall]);
    await replicas.kill(1);
    await grown(replicas.errors[0]!, list => list.some(each => each.includes('did not answer')));
    replicas.deafen(0, []);
    answer();
    expect((await result).content).toEqual(said('accept at 0').content);
    await client.close();
  });

  it('what is kept of a session lives as long as its calls', async () => {
    await using replicas = await startReplicas({ factory: server, count: 1 });
    const { client, answer, result } = await person(replicas);
    const [calls = ''] = await replicas.client.keys('*:calls');
    await replicas.client.pexpire(calls, 60_000);
    await eventually(async () => (await replicas.client.pttl(calls)) > 60_000);
    answer();
    expect((await result).content).toEqual(said('accept at 0').content);
    await client.close();
  });

  it('no replica ends the calls of one that is alive, however long it could not show itself', async () => {
    await using replicas = await startReplicas({ factory: server });
    replicas.route(what => (what === 'tools/call' ? 1 : undefined));
    const { client, answer, result } = await person(replicas);
    const redis = replicas.client;
    const [call = ''] = await redis.keys('midcall:fleet:*:call:*');
    const holder = (await redis.hget(call, 'h'))!;
    const shown = async () => {
      // As it is where Redis comes back after longer than the grace.
      await redis.zadd('midcall:fleet:replicas', 0, holder);
      const others = (await redis.zrange('midcall:fleet:replicas', '0', '-1')).filter(each => each !== holder);
      return Promise.all(others.map(each => redis.zscore('midcall:fleet:replicas', each)));
    };
    for (let looks = 0; looks < 4; looks += 1) {
      const before = await shown();
      await eventually(async () => (await shown()).every((score, at) => score !== before[at]));
    }
    answer();
    expect((await result).content).toEqual(said('accept at 1').content);
    await client.close();
  });

  it('session-directory-D1: a session that nothing uses makes room, though ten older ones are in use', async () => {
    await using replicas = await startReplicas({
      factory: server,
      http: {
        authenticate: async () => ({ token: 'unused', clientId: 'ada', scopes: [] }),
        sessions: { maxPerOwner: 12 },
      },
    });
    const busy = [];
    for (let at = 0; at < 11; at += 1) {
      const { send } = await session(replicas, at % 3);
      const open = await send(at % 3, callAsk);
      await readUntil(open, text => text.includes('"Go on?"'));
      busy.push(send);
    }
    const { send: unused } = await session(replicas);
    await session(replicas, 1);
    expect((await unused(0, { id: 2, method: 'tools/list' })).status).toBe(404);
    for (const send of busy) expect((await send(2, { method: 'notifications/initialized' })).status).toBe(202);
  });
});

it.skipIf(!redisServer)(
  'a client that loses its connection twice, and forgets where it was when nothing came between, is told it each time',
  async () => {
    await using replicas = await startReplicas({ factory: server });
    const { send, resume } = await session(replicas);
    const text = await readUntil(await send(0, callAsk), read => read.includes('"Go on?"'));
    const last = [...text.matchAll(/^id: (\S+)$/gm)].at(-1)![1]!;
    for (const at of [1, 2]) {
      const again = await readUntil(await resume(at, last), read => read.includes('\n\n'));
      expect(again).toMatch(new RegExp(`^id: ${last}\\nretry: \\d+\\ndata: \\n\\n`));
    }
  },
);
