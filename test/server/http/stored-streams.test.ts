/** How long, and how much, sessions of 2025-11-25 keep for clients that reconnect; see packages/server/src/http/sessions.ts. */
import { type HttpOptions, mcpEndpoint } from '@midcall/server/http';
import { McpServer } from '@modelcontextprotocol/server';
import { expect, it, onTestFinished } from 'vitest';
import { grown } from '../../fixtures/grown.ts';
import { handClock } from '../../host/clock.ts';

/** Sessions in which the tool `act` ends when a test says so, with as much text. */
function serving(events: NonNullable<Exclude<HttpOptions['sessions'], false | undefined>['events']> = {}) {
  const clock = handClock();
  const begun: ((text: string) => void)[] = [];
  const endpoint = mcpEndpoint(
    () => {
      const server = new McpServer({ name: 'acts', version: '1.0.0' });
      server.registerTool('act', {}, async () => {
        const text = await new Promise<string>(resolve => begun.push(resolve));
        return { content: [{ type: 'text' as const, text }] };
      });
      return server;
    },
    {
      sessions: { clock, streamAfterMs: 1, idleMs: 3_600_000, events },
      authenticate: async request => {
        const token = request.headers.get('authorization') ?? '';
        return { token, clientId: token, scopes: [] };
      },
    },
  );
  onTestFinished(() => endpoint.stop({ within: 0 }));
  let id = 0;
  const post = (headers: Record<string, string>, method: string, params: object, body: object = { id: ++id }) =>
    endpoint.fetch(
      new Request('http://localhost/mcp', {
        method: 'POST',
        headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream', ...headers },
        body: JSON.stringify({ jsonrpc: '2.0', method, params, ...body }),
      }),
    );
  return {
    clock,
    /** @param told - headers with which every request says its revision; without, the SDK's transport answers it */
    async session(authorization: string, told: Record<string, string> = { 'mcp-protocol-version': '2025-11-25' }) {
      const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'bare', version: '1' } };
      const opened = await post({ authorization }, 'initialize', params);
      await opened.text();
      const known = {
        authorization,
        'mcp-session-id': opened.headers.get('mcp-session-id')!,
        ...told,
      };
      await post(known, 'notifications/initialized', {}, {});
      return {
        /** Begins a call whose answer comes on a stream. */
        async call() {
          const before = begun.length;
          const responding = post(known, 'tools/call', { name: 'act', arguments: {} });
          await grown(begun, each => each.length > before);
          clock.move(1);
          const response = await responding;
          expect(response.headers.get('content-type')).toBe('text/event-stream');
          const finish = begun.at(-1)!;
          return {
            /** Ends it, and reads its stream to the end. @returns the id of the stream's first event */
            async end(text: string): Promise<string> {
              finish(text);
              return /^id: (.+)$/mu.exec(await response.text())![1]!;
            },
          };
        },
        /** @returns true if a client that has had an event can resume after it */
        async resumes(event: string): Promise<boolean> {
          const headers = { ...known, accept: 'text/event-stream', 'last-event-id': event };
          const resumed = await endpoint.fetch(new Request('http://localhost/mcp', { headers }));
          await resumed.body?.cancel();
          return resumed.status === 200;
        },
      };
    },
  };
}

it.each([
  ['ours', undefined],
  ["the SDK's", {}],
])(
  'events-E4: a stream of %s that was read to its end can be resumed for a minute, and is forgotten then',
  async (_, told) => {
    const { clock, session } = serving();
    const mine = await session('ann', told);
    const event = await (await mine.call()).end('done');
    clock.move(59_000);
    expect(await mine.resumes(event)).toBe(true);
    clock.move(62_000);
    expect(await mine.resumes(event)).toBe(false);
  },
);

it('sessions-H9: all sessions of an owner keep only so much, the newest answers, and other owners keep theirs', async () => {
  const { session } = serving({ maxBytesPerOwner: 5_000 });
  const [one, two, theirs] = [await session('ann'), await session('ann'), await session('bob')];
  const text = 'x'.repeat(2_000);
  const kept = await (await theirs.call()).end(text);
  const first = await (await one.call()).end(text);
  const second = await (await two.call()).end(text);
  expect(await one.resumes(first)).toBe(true);
  const third = await (await one.call()).end(text);
  expect(await one.resumes(first)).toBe(false);
  expect(await Promise.all([two.resumes(second), one.resumes(third), theirs.resumes(kept)])).toEqual([
    true,
    true,
    true,
  ]);
});

it('sessions-H9: all sessions together keep only so much', async () => {
  const { session } = serving({ maxBytesInAll: 5_000 });
  const [mine, theirs] = [await session('ann'), await session('bob')];
  const text = 'x'.repeat(2_000);
  const first = await (await mine.call()).end(text);
  const second = await (await theirs.call()).end(text);
  const third = await (await theirs.call()).end(text);
  expect(await Promise.all([mine.resumes(first), theirs.resumes(second), theirs.resumes(third)])).toEqual([
    false,
    true,
    true,
  ]);
});
