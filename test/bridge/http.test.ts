/** What a bridge over HTTP keeps apart, whom it refuses, and what it says. */
import { request } from 'node:http';
import { type Inbox, machineDisk, OfferedRoots, Policy, type ServerEntry } from '@midcall/host';
import type { Midcall } from '@midcall/server';
import { eras } from '@midcall/testing';
import type { McpServer } from '@modelcontextprotocol/server';
import { describe, expect, it } from 'vitest';
import { issuerGuard, tokenGuard } from '../../packages/midcall/src/bridge/http/callers.ts';
import { grown } from '../fixtures/grown.ts';
import { handClock } from '../host/clock.ts';
import { connectHost, hosts, httpStage } from './http-stage.ts';
import { textOf } from './stage.ts';
import { ring, ringing, until } from './until.ts';

const says = (text: string) => ({ content: [{ type: 'text' as const, text }] });
const hello = (_: Midcall, server: McpServer): void => {
  server.registerTool('hello', {}, () => says('hello'));
};
const ada = 'Zr8-token-of-ada-in-front-of-a-pool-Kx52';
const alan = 'Wn4-token-of-alan-in-front-of-a-pool-Vt83';
const guard = tokenGuard([
  { token: ada, principal: 'ada', desk: true },
  { token: alan, principal: 'alan', desk: false },
]);
const guarded = { entries: (entry: ServerEntry) => [{ path: '/mcp', entry, guard }] };

/** A request as no client of the SDK makes it. */
const raw = (url: URL, headers: Record<string, string> = {}, method = 'GET') =>
  new Promise<{ readonly status: number | undefined; readonly text: string }>((resolve, reject) => {
    const sent = request(url, { method, headers }, response => {
      let text = '';
      response.on('data', chunk => {
        text += chunk;
      });
      response.on('end', () => resolve({ status: response.statusCode, text }));
    });
    sent.on('error', reject).end();
  });

describe.each(hosts)('hosts of %s', kind => {
  it('hosts need a token of the list where there is one', async () => {
    await using on = await httpStage({ upstream: '2025-11-25', serve: hello, ...guarded });
    await expect(connectHost(kind, on.url)).rejects.toThrow(/Missing Authorization|401|Unauthorized/u);
    await expect(connectHost(kind, on.url, { token: 'Yp5-token-of-nobody-in-front-of-a-pool-Us74' })).rejects.toThrow(
      /not valid here|401/u,
    );
    expect(on.bridge.servers).toBe(0);
    const host = await connectHost(kind, on.url, { token: ada });
    expect(textOf(await host.call('hello'))).toBe('hello');
    await host.close();
  });

  it('hosts of two principals have a server each, and those of one share theirs', async () => {
    await using on = await httpStage({ upstream: '2025-11-25', serve: hello, ...guarded });
    const all = await Promise.all([ada, ada, alan].map(token => connectHost(kind, on.url, { token })));
    await Promise.all(all.map(host => host.call('hello')));
    expect(on.bridge.servers).toBe(2);
    for (const host of all) await host.close();
  });

  it('hosts of all principals share a server whose entry says so', async () => {
    const shared = {
      entries: (entry: ServerEntry) => [{ path: '/mcp', entry: { ...entry, shared: true }, guard }],
    };
    await using on = await httpStage({ upstream: '2025-11-25', serve: hello, ...shared });
    const all = await Promise.all([ada, alan].map(token => connectHost(kind, on.url, { token })));
    await Promise.all(all.map(host => host.call('hello')));
    expect(on.bridge.servers).toBe(1);
    for (const host of all) await host.close();
  });

  it('hosts have their servers stopped when they have been idle, and nothing is kept of their principal', async () => {
    const clock = handClock();
    let principals = 0;
    const makePolicy = (): Policy => {
      principals += 1;
      ring();
      return new Policy();
    };
    await using on = await httpStage({
      upstream: '2025-11-25',
      serve: hello,
      ...guarded,
      options: { clock: ringing(clock), idleMs: 777_000, makePolicy },
    });
    // The principal is made anew once the server has ended, which takes a few turns.
    while (principals < 2) {
      const host = await connectHost(kind, on.url, { token: alan });
      expect(textOf(await host.call('hello'))).toBe('hello');
      expect(on.bridge.servers).toBe(1);
      if (kind !== 'SDK 2, 2026-07-28') await fetchDelete(on.url, host.sessionId()!, alan);
      await until(() => clock.left.includes(777_000));
      clock.move(777_000);
      await until(() => on.bridge.servers === 0);
      await host.close();
    }
  });

  it.each([undefined, guard])('hosts are not told more of a server than that it could not be started', async each => {
    const nowhere = (entry: ServerEntry) => [
      {
        path: '/mcp',
        entry: { ...entry, target: { kind: 'command' as const, command: 'no-such-7', args: ['secret'] } },
        ...(each && { guard: each }),
      },
    ];
    await using on = await httpStage({ upstream: '2025-11-25', entries: nowhere });
    const said = await connectHost(kind, on.url, each && { token: ada })
      .then(host => host.listTools())
      .then(String, (error: Error) => error.message);
    expect(said).toContain("The server 'upstream' could not be started. Whoever runs this bridge");
    expect(said).not.toMatch(/no-such-7|secret/u);
    expect(on.warned.join()).toContain("(no-such-7 secret): there is no program 'no-such-7' on this machine");
  });

  it('hosts find each server of a list at its own path, and the list where they ask for another', async () => {
    await using on = await httpStage({
      upstream: '2025-11-25',
      serve: hello,
      entries: entry =>
        ['one', 'two words'].map(id => ({ path: `/mcp/${encodeURIComponent(id)}`, entry: { ...entry, id } })),
    });
    const host = await connectHost(kind, new URL('/mcp/two%20words', on.url));
    expect(textOf(await host.call('hello'))).toBe('hello');
    await host.close();
    const { status, text } = await raw(new URL('/mcp/three', on.url));
    expect([status, text]).toEqual([404, expect.stringContaining('There are: /mcp/one, /mcp/two%20words.')]);
  });

  it('hosts are asked at the desk only where their principal sits at this machine', async () => {
    const asking = (mid: Midcall, server: McpServer): void => {
      mid.tool(server, 'ask', {}, async (_, call) =>
        says((await call.elicit({ message: 'Sure?', form: Boolean })).action),
      );
    };
    const atDesk = async (inbox: Inbox) => {
      for (const { id } of inbox.list()) await inbox.reply(id, { action: 'decline' }, 'test');
    };
    await using on = await httpStage({ upstream: '2025-11-25', serve: asking, atDesk, ...guarded });
    const [hers, his] = [
      await connectHost(kind, on.url, { token: ada }),
      await connectHost(kind, on.url, { token: alan }),
    ];
    expect(textOf(await hers.call('ask'))).toBe('decline');
    expect(textOf(await his.call('ask'))).toBe('cancel');
    await hers.close();
    await his.close();
  });

  it('hosts are asked by a shared server themselves, and at no desk, not even at that of whoever called it', async () => {
    const asking = (mid: Midcall, server: McpServer): void => {
      mid.tool(server, 'ask', {}, async (_, call) =>
        says((await call.elicit({ message: 'Sure?', form: Boolean })).action),
      );
    };
    let shown = 0;
    const atDesk = async (inbox: Inbox) => {
      shown += 1;
      for (const { id } of inbox.list()) await inbox.reply(id, { action: 'decline' }, 'test');
    };
    const entries = (entry: ServerEntry) => [{ path: '/mcp', entry: { ...entry, shared: true }, guard }];
    await using on = await httpStage({ upstream: '2025-11-25', serve: asking, atDesk, entries });
    for (const token of [ada, alan]) {
      const unable = await connectHost(kind, on.url, { token });
      expect(textOf(await unable.call('ask'))).toBe('cancel');
      const able = await connectHost(kind, on.url, {
        token,
        capabilities: { elicitation: {} },
        answers: [{ action: 'accept', content: { value: true } }],
      });
      expect(textOf(await able.call('ask'))).toBe('accept');
      expect(able.asked).toHaveLength(1);
      await unable.close();
      await able.close();
    }
    expect([shown, on.bridge.servers]).toEqual([0, 1]);
  });

  it('hosts are told of to their own server, with their directories and extensions, and not to a shared one', async () => {
    const told = (_: Midcall, server: McpServer): void => {
      server.registerTool('told', {}, () => says(JSON.stringify(server.server.getClientCapabilities())));
    };
    const entries = (entry: ServerEntry) => [
      { path: '/mcp', entry, guard },
      { path: '/shared', entry: { ...entry, id: 'shared', shared: true }, guard },
    ];
    await using on = await httpStage({ upstream: '2025-11-25', serve: told, entries });
    const toldAt = async (path: string) => {
      const host = await connectHost(kind, new URL(path, on.url), {
        token: ada,
        capabilities: {
          roots: {},
          experimental: { 'example.org/try': { of: 'ada' } },
          extensions: { 'example.org/part': { of: 'ada' } },
        } as object,
        roots: () => [{ uri: 'file:///home/ada' }],
      });
      const capabilities = JSON.parse(textOf(await host.call('told'))) as Record<string, unknown>;
      await host.close();
      return capabilities;
    };
    expect(await toldAt('/mcp')).toMatchObject({
      roots: {},
      experimental: { 'example.org/try': { of: 'ada' } },
      ...(kind !== 'SDK 1, 2025-11-25' && { extensions: { 'example.org/part': { of: 'ada' } } }),
    });
    const shared = await toldAt('/shared');
    expect(shared).not.toHaveProperty('roots');
    expect(JSON.stringify(shared)).not.toMatch(/example\.org|ada/u);
  });

  it('hosts do not have their directories passed on where they may be on another machine', async () => {
    const where = (mid: Midcall, server: McpServer): void => {
      mid.tool(server, 'where', {}, async (_, call) => says(JSON.stringify((await call.roots()) ?? 'none')));
    };
    await using on = await httpStage({ upstream: '2025-11-25', serve: where, options: { hostRoots: undefined } });
    const host = await connectHost(kind, on.url, { capabilities: { roots: {} }, roots: () => [{ uri: 'file:///' }] });
    expect(textOf(await host.call('where'))).toBe('"none"');
    expect(host.asked).toEqual([]);
    await host.close();
  });
});

describe.each(eras)('a server of %s', upstream => {
  it('a server is told of the directories the operator grants, whatever its hosts say', async () => {
    const where = (mid: Midcall, server: McpServer): void => {
      mid.tool(server, 'where', {}, async (_, call) =>
        says(JSON.stringify((await call.roots())?.map(({ uri }) => uri))),
      );
    };
    const roots = new OfferedRoots({ disk: machineDisk, lookEveryMs: 0 });
    const { uri } = await roots.add(import.meta.dirname);
    await using on = await httpStage({ upstream, serve: where, options: { roots } });
    const host = await connectHost('SDK 2, 2026-07-28', on.url, {
      capabilities: { roots: {} },
      roots: () => [{ uri: 'file:///' }],
    });
    expect(textOf(await host.call('where'))).toBe(JSON.stringify([uri]));
    expect(host.asked).toEqual([]);
    await host.close();
  });
});

describe('a bridge over HTTP', () => {
  it('a bridge over HTTP answers whoever asks after its health, under a name of this machine alone', async () => {
    await using on = await httpStage({ upstream: '2025-11-25', serve: hello, ...guarded });
    const health = new URL('/health', on.url);
    expect(await raw(health)).toEqual({ status: 200, text: '{"status":"ok"}' });
    expect((await raw(health, { host: 'evil.example' })).status).toBe(403);
    expect(on.bridge.servers).toBe(0);
  });

  it('a bridge over HTTP refuses a page of another site, and a name that is not its own', async () => {
    await using on = await httpStage({ upstream: '2025-11-25', serve: hello });
    expect((await raw(on.url, { origin: 'https://evil.example' })).status).toBe(403);
    expect((await raw(on.url, { host: 'evil.example' })).status).toBe(403);
  });

  it('a bridge over HTTP says nothing of its servers to somebody without a token', async () => {
    await using on = await httpStage({ upstream: '2025-11-25', serve: hello, ...guarded });
    const { status, text } = await raw(new URL('/other', on.url));
    expect(status).toBe(404);
    expect(text).not.toContain('/mcp');
  });

  it('a bridge over HTTP starts no more servers than it may, and makes room where one is not used', async () => {
    const clock = handClock();
    await using on = await httpStage({
      upstream: '2025-11-25',
      serve: hello,
      ...guarded,
      options: { maxServers: 1, clock: ringing(clock) },
    });
    const first = await connectHost('SDK 2, 2025-11-25', on.url, { token: ada });
    await expect(connectHost('SDK 2, 2025-11-25', on.url, { token: alan })).rejects.toThrow('could not be started');
    expect(on.warned.join()).toContain('as many servers as it may (1)');
    await fetchDelete(on.url, first.sessionId()!, ada);
    const second = await connectHost('SDK 2, 2025-11-25', on.url, { token: alan });
    expect(textOf(await second.call('hello'))).toBe('hello');
    expect(on.bridge.servers).toBe(1);
    await second.close();
  });

  it('a bridge over HTTP starts no more servers for one principal than that may have, whatever others have', async () => {
    await using on = await httpStage({
      upstream: '2025-11-25',
      serve: hello,
      entries: entry => ['a', 'b'].map(id => ({ path: `/mcp/${id}`, entry: { ...entry, id }, guard })),
      options: { maxServersPerCaller: 1 },
    });
    const connect = (id: string, token: string) =>
      connectHost('SDK 2, 2025-11-25', new URL(`/mcp/${id}`, on.url), { token });
    const hers = await connect('a', ada);
    await expect(connect('b', ada)).rejects.toThrow('could not be started');
    expect(on.warned.join()).toContain('as many servers as it may (1)');
    const his = await connect('b', alan);
    expect(textOf(await his.call('hello'))).toBe('hello');
    // Room is made where one is not used.
    await fetchDelete(new URL('/mcp/a', on.url), hers.sessionId()!, ada);
    const again = await connect('b', ada);
    expect(textOf(await again.call('hello'))).toBe('hello');
    expect(on.bridge.servers).toBe(2);
    for (const host of [hers, his, again]) await host.close();
  });

  it('a principal without the desk has decisions and counters of their own', async () => {
    const made: Policy[] = [];
    const makePolicy = (): Policy => {
      made.push(new Policy());
      return made.at(-1)!;
    };
    await using on = await httpStage({
      upstream: '2025-11-25',
      serve: hello,
      ...guarded,
      options: { policy: new Policy(), makePolicy },
    });
    const hers = await connectHost('SDK 2, 2025-11-25', on.url, { token: ada });
    expect(made).toHaveLength(0);
    const his = await connectHost('SDK 2, 2025-11-25', on.url, { token: alan });
    expect(made).toHaveLength(1);
    for (const host of [hers, his]) await host.close();
  });

  it('http-bridge-H2: whoever comes with a token of an authorization server has no desk, whatever the token says', () => {
    const { callerOf } = issuerGuard({ authenticate: async () => new Response(), metadata: () => undefined } as never);
    const extra = { iss: 'https://login.example', sub: 'ada', desk: true };
    const caller = { id: 'ada (https://login.example)', desk: false };
    expect(callerOf({ token: '', clientId: 'app', scopes: [], extra })).toEqual(caller);
  });

  it('a bridge over HTTP does not let one principal find a call that another was sent away from', async () => {
    const clock = handClock();
    let calls = 0;
    const asking = (mid: Midcall, server: McpServer): void => {
      mid.tool(server, 'ask', {}, async (_, call) => {
        calls += 1;
        const mine = calls;
        await call.elicit({ message: 'Sure?', form: Boolean });
        return says(`call ${mine}`);
      });
    };
    const both = tokenGuard([
      { token: ada, principal: 'ada', desk: true },
      { token: alan, principal: 'alan', desk: true },
    ]);
    const inboxes: Inbox[] = [];
    await using on = await httpStage({
      upstream: '2025-11-25',
      serve: asking,
      atDesk: inbox => {
        if (!inboxes.includes(inbox)) inboxes.push(inbox);
        ring();
      },
      entries: entry => [{ path: '/mcp', entry, guard: both }],
      options: { clock: ringing(clock), holdMs: 45_000 },
    });
    const hers = await connectHost('SDK 2, 2025-11-25', on.url, { token: ada });
    const waiting = hers.call('ask');
    await until(() => clock.left.includes(45_000));
    clock.move(45_000);
    expect(textOf(await waiting)).toContain('call');
    const his = await connectHost('SDK 2, 2025-11-25', on.url, { token: alan });
    const hisCall = his.call('ask');
    await until(() => inboxes.length === 2);
    await until(() => calls === 2);
    for (const inbox of inboxes)
      for (const { id } of inbox.list()) await inbox.reply(id, { action: 'decline' }, 'test');
    expect(textOf(await hisCall)).toBe('call 2');
    expect(textOf(await hers.call('ask'))).toBe('call 1');
    await hers.close();
    await his.close();
  });
});

it('the stream of a host that does not read it is cut, and others are served', { tags: 'thorough' }, async () => {
  const message = 'x'.repeat(256 * 1024);
  const errors: string[] = [];
  await using on = await httpStage({
    upstream: '2026-07-28',
    serve: (_, server) => {
      server.registerTool('flood', {}, async ({ mcpReq }) => {
        const progressToken = mcpReq._meta!.progressToken!;
        for (let progress = 1; progress <= 160; progress += 1)
          await mcpReq.notify({ method: 'notifications/progress', params: { progressToken, progress, message } });
        return says('all told');
      });
    },
    options: { unread: { maxBytes: 1_000_000 }, onError: error => void errors.push((error as Error).message) },
  });
  const clientInfo = { name: 'raw', version: '1' };
  const _meta = {
    progressToken: 'p',
    'io.modelcontextprotocol/protocolVersion': '2026-07-28',
    'io.modelcontextprotocol/clientInfo': clientInfo,
    'io.modelcontextprotocol/clientCapabilities': {},
  };
  const sent = request(on.url, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      'mcp-protocol-version': '2026-07-28',
      'mcp-method': 'tools/call',
      'mcp-name': 'flood',
    },
  });
  // It takes the head of the response, and nothing of what follows.
  sent.on('response', response => response.pause()).on('error', () => {});
  sent.end(JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'flood', _meta } }));
  await grown(errors, told => told.length > 0);
  expect(errors).toEqual([
    'More than 1000000 bytes of one stream waited for a client of /mcp to read them. The stream was cut.',
  ]);
  sent.destroy();
  const other = await connectHost('SDK 2, 2026-07-28', on.url);
  expect(await other.listTools()).toEqual(['flood']);
  await other.close();
});

it('a server that nobody uses after a task, which went on when its host was gone, is stopped', async () => {
  const clock = handClock();
  let [begun, goOn] = [false, () => {}];
  const going = new Promise<void>(resolve => {
    goOn = resolve;
  });
  await using on = await httpStage({
    upstream: '2026-07-28',
    serve: (mid, server) =>
      mid.tool(server, 'ask', {}, async (_, call) => {
        begun = true;
        ring();
        await going;
        return says((await call.elicit({ message: 'Sure?', form: Boolean })).action);
      }),
    // So short that a call which waits is a task at once.
    options: { clock: ringing(clock), idleMs: 777_000, holdMs: 1 },
  });
  const extensions = { 'io.modelcontextprotocol/tasks': {} };
  const ask = modernHost(on.url, { roots: {}, elicitation: { form: {} }, extensions });
  const call = { name: 'ask', arguments: {} };
  const { requestState, inputRequests } = await ask('tools/call', call);
  expect(inputRequests).toMatchObject({ roots: { method: 'roots/list' } });
  const roots = [{ uri: 'file:///work' }];
  const becoming = ask('tools/call', { ...call, requestState, inputResponses: { roots: { roots } } });
  await until(() => begun && clock.left.includes(1));
  clock.move(1);
  const { taskId } = await becoming;
  const whenIs = async (status: string): Promise<Record<string, unknown>> => {
    for (;;) {
      const task = await ask('tasks/get', { taskId });
      if (task['status'] === status) return task;
      expect(['working', 'input_required']).toContain(task['status']);
    }
  };
  goOn();
  const [asked = ''] = Object.keys((await whenIs('input_required'))['inputRequests'] as object);
  const answer = { action: 'accept', content: { value: true } };
  await ask('tasks/update', { taskId, inputResponses: { [asked]: answer } });
  expect(await whenIs('completed')).toMatchObject({ result: says('accept') });
  // By the time another request is answered, the one before has left.
  await raw(new URL('/health', on.url));
  expect(clock.left).toContain(777_000);
  clock.move(777_000);
  await until(() => on.bridge.servers === 0);
});

/** A host of 2026-07-28 as nothing but its requests. */
function modernHost(url: URL, capabilities: object) {
  let id = 0;
  const _meta = {
    'io.modelcontextprotocol/protocolVersion': '2026-07-28',
    'io.modelcontextprotocol/clientInfo': { name: 'raw', version: '1' },
    'io.modelcontextprotocol/clientCapabilities': capabilities,
  };
  return async (method: string, params: Record<string, unknown>): Promise<Record<string, unknown>> => {
    id += 1;
    const response = await fetch(url, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        'mcp-protocol-version': '2026-07-28',
        'mcp-method': method,
        'mcp-name': String(params['name'] ?? params['taskId']),
      },
      body: JSON.stringify({ jsonrpc: '2.0', id, method, params: { ...params, _meta } }),
    });
    const text = await response.text();
    const frame = /^data: (\{.*"id".*)$/m.exec(text)?.[1] ?? text;
    return (JSON.parse(frame) as { result: Record<string, unknown> }).result;
  };
}

it('a bridge over HTTP has a host that was restarted find the call that its question was open in', async () => {
  let calls = 0;
  const inboxes: Inbox[] = [];
  await using on = await httpStage({
    upstream: '2025-11-25',
    serve: (mid, server) =>
      mid.tool(server, 'ask', {}, async (_, call) => {
        calls += 1;
        const answer = await call.elicit({ message: 'Sure?', form: Boolean });
        return says(`${answer.action} in call ${calls}`);
      }),
    atDesk: inbox => {
      inboxes.push(inbox);
      ring();
    },
  });
  const before = await connectHost('SDK 2, 2025-11-25', on.url);
  before.call('ask').catch(() => {});
  await until(() => inboxes.length === 1);
  await fetchDelete(on.url, before.sessionId()!);
  await before.close();
  const after = await connectHost('SDK 2, 2025-11-25', on.url);
  const again = after.call('ask');
  await until(() => inboxes.length === 2);
  const [question, other] = inboxes[0]!.list();
  expect(other).toBeUndefined();
  await inboxes[0]!.reply(question!.id, { action: 'decline' }, 'test');
  expect(textOf(await again)).toBe('decline in call 1');
  await after.close();
});

it('a bridge over HTTP stops a call whose connection a host of 2026-07-28 closes, and takes its question back', async () => {
  const ends: string[] = [];
  const inboxes: Inbox[] = [];
  await using on = await httpStage({
    upstream: '2025-11-25',
    serve: (mid, server) =>
      mid.tool(server, 'ask', {}, async (_, call) => {
        call.defer(end => {
          ends.push(end);
          ring();
        });
        const answer = await call.elicit({ message: 'Sure?', form: Boolean });
        return says(answer.action);
      }),
    atDesk: inbox => {
      inboxes.push(inbox);
      ring();
    },
  });
  const before = await connectHost('SDK 2, 2026-07-28', on.url);
  before.call('ask').catch(() => {});
  await until(() => inboxes.length === 1);
  const [question] = inboxes[0]!.list();
  await before.close();
  await until(() => ends.length === 1);
  expect(ends).toEqual(['cancelled']);
  expect(inboxes[0]!.list()).toEqual([]);
  const after = await connectHost('SDK 2, 2026-07-28', on.url);
  const again = after.call('ask');
  await until(() => inboxes.length === 2);
  const [anew] = inboxes[1]!.list();
  expect(anew!.id).not.toBe(question!.id);
  await inboxes[1]!.reply(anew!.id, { action: 'decline' }, 'test');
  expect(textOf(await again)).toBe('decline');
  await after.close();
});

/** Ends a session, as a host of 2025-11-25 may. */
async function fetchDelete(url: URL, session: string, token?: string): Promise<void> {
  const authorization = token === undefined ? {} : { authorization: `Bearer ${token}` };
  await raw(url, { 'mcp-session-id': session, 'mcp-protocol-version': '2025-11-25', ...authorization }, 'DELETE');
}
