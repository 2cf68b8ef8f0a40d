import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { type AuditEvent, midcall } from '@midcall/server';
import type { HttpOptions } from '@midcall/server/http';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { Client as ClientV1 } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport as TransportV1 } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import {
  CreateMessageRequestSchema,
  ElicitRequestSchema,
  ListRootsRequestSchema,
} from '@modelcontextprotocol/sdk/types.js';
import { McpServer } from '@modelcontextprotocol/server';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { grown } from '../fixtures/grown.ts';
import { redisServer } from '../stores/redis-server.ts';
import { fleetKey, type Replicas, startReplicas } from './replicas.ts';

const url = new URL('http://fleet.invalid/mcp');
const textOf = (result: unknown): string => (result as { content: { text: string }[] }).content[0]!.text;
type Answer = {
  action: 'accept' | 'decline' | 'cancel';
  content?: Record<string, string | number | boolean | string[]>;
};

interface Connected {
  call(name: string, args?: Record<string, unknown>, signal?: AbortSignal): Promise<unknown>;
  close(): Promise<void>;
  list(): Promise<readonly string[]>;
}

/** The clients people have, as they are. */
const clients = {
  v1: async (replicas: Replicas, answer: (message: string) => Promise<Answer>): Promise<Connected> => {
    const client = new ClientV1(
      { name: 'v1', version: '1.0.0' },
      { capabilities: { elicitation: {}, roots: { listChanged: true }, sampling: {} } },
    );
    client.setRequestHandler(ElicitRequestSchema, async ({ params }) => answer(params.message));
    client.setRequestHandler(ListRootsRequestSchema, async () => ({ roots: [{ uri: 'file:///tmp' }] }));
    client.setRequestHandler(CreateMessageRequestSchema, async () => ({
      role: 'assistant',
      model: 'm',
      content: { type: 'text', text: 'sampled' },
    }));
    await client.connect(new TransportV1(url, { fetch: replicas.fetch }) as never);
    return {
      call: (name, args = {}, signal) =>
        client.callTool({ name, arguments: args }, undefined, signal ? { signal } : {}),
      close: () => client.close(),
      list: async () => (await client.listTools()).tools.map(tool => tool.name),
    };
  },
  v2: async (replicas: Replicas, answer: (message: string) => Promise<Answer>): Promise<Connected> => {
    const client = new Client(
      { name: 'v2', version: '1.0.0' },
      {
        capabilities: { elicitation: {}, roots: { listChanged: true }, sampling: {} },
        versionNegotiation: { mode: 'legacy' },
      },
    );
    client.setRequestHandler('elicitation/create', async ({ params }) => answer(params.message));
    client.setRequestHandler('roots/list', async () => ({ roots: [{ uri: 'file:///tmp' }] }));
    client.setRequestHandler('sampling/createMessage', async () => ({
      role: 'assistant',
      model: 'm',
      content: { type: 'text', text: 'sampled' },
    }));
    await client.connect(new StreamableHTTPClientTransport(url, { fetch: replicas.fetch }));
    return {
      call: (name, args = {}, signal) => client.callTool({ name, arguments: args }, signal ? { signal } : {}),
      close: () => client.close(),
      list: async () => (await client.listTools()).tools.map(tool => tool.name),
    };
  },
};
const kinds = Object.keys(clients) as (keyof typeof clients)[];

interface World {
  readonly effects: string[];
  readonly audits: AuditEvent[][];
}

/** A server that asks in every way there is. */
function server(world: World) {
  return (at: number) => {
    world.audits[at] = [];
    const mid = midcall({ key: fleetKey, audit: event => void world.audits[at]!.push(event), suspectBelowMs: 0 });
    return () => {
      const server = new McpServer({ name: 'fleet', version: '1.0.0' });
      mid.tool(server, 'charge', { inputSchema: z.object({ order: z.string() }) }, async ({ order }, call) => {
        const looked = await call.step('look', () => {
          world.effects.push(`look ${order} at ${at}`);
          return order.length;
        });
        const answer = await call.elicit({ message: `Charge ${order}?`, form: { confirm: Boolean } });
        if (answer.action !== 'accept' || !answer.content.confirm) return text(`Not charged: ${answer.action}.`);
        await call.step('charge', () => void world.effects.push(`charge ${order} at ${at}`));
        return text(`Charged ${looked}.`);
      });
      mid.tool(server, 'survey', { inputSchema: z.object({ questions: z.number() }) }, async ({ questions }, call) => {
        const given: string[] = [];
        for (let n = 1; n <= questions; n += 1) {
          const answer = await call.elicit({ message: `Question ${n}`, form: { a: String } });
          given.push(answer.action === 'accept' ? answer.content.a : answer.action);
        }
        return text(given.join(' '));
      });
      mid.tool(server, 'roots', {}, async (_, call) => text(JSON.stringify(await call.roots())));
      mid.tool(server, 'sample', {}, async (_, call) =>
        text(
          JSON.stringify(
            await call.sample({
              messages: [{ role: 'user', content: { type: 'text', text: 'p' } }],
              maxTokens: 5,
            } as never),
          ),
        ),
      );
      server.registerTool('plain', {}, async ctx => {
        world.effects.push(`plain at ${at}`);
        const requestedSchema = { type: 'object' as const, properties: { yes: { type: 'boolean' as const } } };
        const answer = await ctx.mcpReq.send({
          method: 'elicitation/create',
          params: { mode: 'form', message: 'Plain?', requestedSchema },
        });
        return text(JSON.stringify(answer));
      });
      return server;
    };
  };
}
const text = (said: string) => ({ content: [{ type: 'text' as const, text: said }] });
const world = (): World => ({ effects: [], audits: [] });

describe.skipIf(!redisServer)('sessions of 2025-11-25 on any replica', () => {
  it.each(kinds)(
    'a %s client is asked at one replica, answers at another, and opened its session at a third',
    async kind => {
      const of = world();
      await using replicas = await startReplicas({ factory: server(of) });
      const routes: Record<string, number> = { initialize: 0, 'tools/call': 1, response: 2 };
      replicas.route(what => routes[what]);
      const client = await clients[kind](replicas, async () => ({ action: 'accept', content: { confirm: true } }));
      expect(textOf(await client.call('charge', { order: 'o-1' }))).toBe('Charged 3.');
      expect(of.effects).toEqual(['look o-1 at 1', 'charge o-1 at 1']);
      expect(replicas.errors.flat()).toEqual([]);
      await client.close();
    },
  );

  it.each(kinds)('a %s client is served round robin: lists, surveys, plain tools', async kind => {
    const of = world();
    await using replicas = await startReplicas({ factory: server(of) });
    let n = 0;
    const client = await clients[kind](replicas, async message => {
      n += 1;
      return { action: 'accept', content: message === 'Plain?' ? { yes: true } : { a: `a${n}` } };
    });
    expect(await client.list()).toContain('charge');
    expect(textOf(await client.call('survey', { questions: 5 }))).toBe('a1 a2 a3 a4 a5');
    expect(JSON.parse(textOf(await client.call('plain')))).toEqual({ action: 'accept', content: { yes: true } });
    expect(textOf(await client.call('roots'))).toContain('file:///tmp');
    expect(textOf(await client.call('sample'))).toContain('sampled');
    expect(new Set(replicas.seen.map(({ at }) => at))).toEqual(new Set([0, 1, 2]));
    expect(replicas.errors.flat()).toEqual([]);
    await client.close();
  });

  it.each(kinds)('a %s client takes a call back at another replica, and its question goes with it', async kind => {
    const of = world();
    await using replicas = await startReplicas({ factory: server(of) });
    const asked: string[] = [];
    const client = await clients[kind](replicas, message => {
      asked.push(message);
      return new Promise(() => {});
    });
    replicas.route(what => (what === 'tools/call' ? 1 : what === 'notifications/cancelled' ? 2 : undefined));
    const stop = new AbortController();
    const call = client.call('charge', { order: 'o-2' }, stop.signal);
    await grown(asked, list => list.length > 0);
    stop.abort(new Error('taken back'));
    await expect(call).rejects.toThrow();
    const ended = () => of.audits[1]!.filter(({ kind }) => kind === 'ended');
    await until(() => ended().length > 0);
    expect(ended()).toMatchObject([{ outcome: 'cancelled' }]);
    expect(of.effects).toEqual(['look o-2 at 1']);
    await client.close();
  });
});

describe.skipIf(!redisServer)('a stream of a session on any replica', () => {
  /** Calls `flood` on a connection that ends with its response, which is read only once all has been sent. */
  async function flood(http: HttpOptions) {
    const MOST = 300;
    const ends: string[] = [];
    const factory = () => () => {
      const server = new McpServer({ name: 'floods', version: '1.0.0' }, { capabilities: { logging: {} } });
      server.registerTool('flood', {}, async ({ mcpReq }) => {
        for (let n = 0; n < MOST; n += 1) await mcpReq.log('info', 'x'.repeat(60_000));
        ends.push('flood');
        return text('all told');
      });
      return server;
    };
    const replicas = await startReplicas({ factory, http });
    const { url } = replicas.servings[0]!;
    const send = async (body: object, headers: Readonly<Record<string, string>>): Promise<IncomingMessage> => {
      const json = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' };
      const sent = request(url, { method: 'POST', agent: false, headers: { ...json, ...headers } });
      sent.end(JSON.stringify({ jsonrpc: '2.0', ...body }));
      return (await once(sent, 'response'))[0] as IncomingMessage;
    };
    const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'raw', version: '1' } };
    const first = await send({ id: 0, method: 'initialize', params }, {});
    first.resume();
    const known = { 'mcp-session-id': String(first.headers['mcp-session-id']), 'mcp-protocol-version': '2025-11-25' };
    const called = await send({ id: 1, method: 'tools/call', params: { name: 'flood', arguments: {} } }, known);
    await grown(ends, each => each.length > 0);
    let said = '';
    for await (const chunk of called) said += chunk;
    // Before the replicas stop, which may add errors of its own.
    const errors = replicas.errors.flat();
    await replicas[Symbol.asyncDispose]();
    return { connection: called.headers.connection, messages: said.match(/"data":"x/gu)?.length, said, MOST, errors };
  }

  it('a stream of a session waits in Redis for its client, however little may wait, and ends where its client said so', async () => {
    const { connection, messages, MOST, said, errors } = await flood({ unread: { maxBytes: 20_000 } });
    expect([messages, said.includes('all told'), errors]).toEqual([MOST, true, []]);
    expect(connection).toBe('close');
  });
});

describe.skipIf(!redisServer)('a call survives the replica that asks', () => {
  it.each(kinds)(
    '%s: the replica that asked dies, another takes over, the same answer counts, the effect happens once',
    async kind => {
      const of = world();
      await using replicas = await startReplicas({ factory: server(of) });
      replicas.route(what => (what === 'tools/call' ? 1 : undefined));
      const asked: string[] = [];
      let say!: (answer: Answer) => void;
      const client = await clients[kind](replicas, message => {
        asked.push(message);
        return new Promise(resolve => {
          say = resolve;
        });
      });
      const call = client.call('charge', { order: 'o-3' });
      await grown(asked, list => list.length > 0);
      replicas.route(() => undefined);
      await replicas.kill(1);
      say({ action: 'accept', content: { confirm: true } });
      expect(textOf(await call)).toBe('Charged 3.');
      expect(of.effects.filter(each => each.startsWith('charge'))).toHaveLength(1);
      expect(of.effects.filter(each => each.startsWith('look'))).toEqual(['look o-3 at 1']);
      expect(asked).toEqual(['Charge o-3?']);
      await client.close();
    },
  );
});

/** Waits for something that no event tells of. */
async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await new Promise(resolve => setTimeout(resolve, 5));
}
