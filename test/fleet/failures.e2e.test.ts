import { Connection, Inbox, urlTarget } from '@midcall/host';
import { type AuditEvent, midcall } from '@midcall/server';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { McpServer, type McpServerFactory } from '@modelcontextprotocol/server';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { keyRing } from '../../packages/server/src/state/keys.ts';
import { createSealer } from '../../packages/server/src/state/seal.ts';
import { grown } from '../fixtures/grown.ts';
import { redisServer } from '../stores/redis-server.ts';
import { fleetKey, type Replicas, startReplicas } from './replicas.ts';

const url = new URL('http://fleet.invalid/mcp');
const said = (text: string) => ({ content: [{ type: 'text' as const, text }] });
const textOf = (result: unknown): string => (result as { content: { text: string }[] }).content[0]!.text;
const otherKey = 'q7Jm0YtC1x2V9bN4kLwZr8sT5uPd3eHfGa6iOoQyXjE=';
type Answer = { action: 'accept' | 'decline'; content?: Record<string, boolean> };

interface World {
  readonly effects: string[];
  readonly audits: AuditEvent[][];
  /** Held by a step while it runs. */
  slow: Promise<void> | undefined;
  /** The replicas at which an answer has reached the handler, and what delays the step that follows it there. */
  readonly answered: number[];
  readonly between: (Promise<void> | undefined)[];
}
const world = (): World => ({ effects: [], audits: [], slow: undefined, answered: [], between: [] });

function server(of: World) {
  return (at: number) => {
    of.audits[at] ??= [];
    const mid = midcall({ key: fleetKey, audit: event => void of.audits[at]!.push(event) });
    return () => {
      const server = new McpServer({ name: 'fleet', version: '1.0.0' });
      mid.tool(server, 'charge', { inputSchema: z.object({ order: z.string() }) }, async ({ order }, call) => {
        const answer = await call.elicit({ message: `Charge ${order}?`, form: { confirm: Boolean } });
        if (answer.action !== 'accept') return said(`Not charged: ${answer.action}.`);
        of.answered.push(at);
        await of.between[at];
        await call.step('charge', async () => {
          of.effects.push(`charge ${order} at ${at}`);
          await of.slow;
        });
        return said('Charged.');
      });
      server.registerTool('plain', {}, async ctx => {
        of.effects.push(`plain at ${at}`);
        const requestedSchema = { type: 'object' as const, properties: { yes: { type: 'boolean' as const } } };
        await ctx.mcpReq.send({
          method: 'elicitation/create',
          params: { mode: 'form', message: 'Plain?', requestedSchema },
        });
        return said('Done.');
      });
      return server;
    };
  };
}

/** A client whose person answers when the test says so. */
async function person(replicas: Replicas, headers: Record<string, string> = {}) {
  const asked: string[] = [];
  const answers: ((answer: Answer) => void)[] = [];
  const client = new Client(
    { name: 'host', version: '1.0.0' },
    { capabilities: { elicitation: {} }, versionNegotiation: { mode: 'legacy' } },
  );
  client.setRequestHandler('elicitation/create', ({ params }) => {
    asked.push(params.message);
    return new Promise<Answer>(resolve => {
      answers.push(resolve);
    });
  });
  const transport = new StreamableHTTPClientTransport(url, {
    fetch: replicas.fetch,
    requestInit: { headers },
    reconnectionOptions: {
      maxRetries: 1_000,
      initialReconnectionDelay: 10,
      maxReconnectionDelay: 10,
      reconnectionDelayGrowFactor: 1,
    },
  });
  await client.connect(transport);
  return {
    client,
    transport,
    asked: (count = 1) => grown(asked, list => list.length >= count),
    questions: asked,
    answer: (confirm = true) => answers.shift()!({ action: 'accept', content: { confirm } }),
    charge: (order: string) => client.callTool({ name: 'charge', arguments: { order } }, { timeout: 600_000 }),
  };
}

const ends = (of: World, at: number) => of.audits[at]!.filter(({ kind }) => kind === 'ended');
/** Waits for something that no event tells of. */
async function until(holds: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await holds())) await new Promise(resolve => setTimeout(resolve, 5));
}

describe.skipIf(!redisServer)('replicas that end', () => {
  it('all replicas die while a person thinks, and one that starts then finishes the call', async () => {
    const of = world();
    await using replicas = await startReplicas({ factory: server(of) });
    const { charge, asked, answer, questions, client } = await person(replicas);
    const call = charge('d-1');
    await asked();
    for (const at of [0, 1, 2]) await replicas.kill(at);
    await replicas.add();
    answer();
    expect(textOf(await call)).toBe('Charged.');
    expect(of.effects).toEqual(['charge d-1 at 3']);
    expect(questions).toEqual(['Charge d-1?']);
    await client.close();
  });

  it('a client of a fleet that comes back with another key finds its session gone: its call is in doubt, and the next one works', async () => {
    const of = world();
    const fleet = { key: fleetKey };
    await using replicas = await startReplicas({ count: 1, factory: server(of), fleet });
    const inbox = new Inbox();
    const options = {
      client: { name: 'host', version: '1.0.0' },
      inbox,
      era: '2025-11-25',
      fetch: replicas.fetch,
    } as const;
    const connection = new Connection({ id: 'fleet', target: urlTarget(url.href) }, options);
    await connection.start();
    const charge = (order: string) =>
      connection.run({ kind: 'tool', name: 'charge', arguments: { order } }, { timeoutMs: Number.POSITIVE_INFINITY });
    const call = charge('d-5');
    await until(() => inbox.list().length === 1);
    await replicas.kill(0);
    fleet.key = otherKey;
    await replicas.add();
    expect(await call.outcome).toMatchObject({ how: 'abandoned', inDoubt: true });
    const next = charge('d-6');
    await until(() => inbox.list().length === 1);
    await inbox.reply(inbox.list()[0]!.id, { action: 'accept', content: { confirm: true } }, 'web');
    expect(await next.outcome).toMatchObject({ how: 'completed' });
    expect(of.effects).toEqual(['charge d-6 at 1']);
    await connection.stop();
  });

  it('a replica that stops hands its call on, and is not its end', async () => {
    const of = world();
    await using replicas = await startReplicas({ factory: server(of) });
    replicas.route(what => (what === 'tools/call' ? 1 : undefined));
    const { charge, asked, answer, client } = await person(replicas);
    const call = charge('d-2');
    await asked();
    replicas.route(what => (what === 'GET' ? 2 : 0));
    await replicas.servings[1]!.stop();
    answer();
    expect(textOf(await call)).toBe('Charged.');
    expect(of.effects).toEqual(['charge d-2 at 2']);
    expect(ends(of, 1)).toEqual([]);
    expect(ends(of, 2)).toMatchObject([{ outcome: 'done' }]);
    await client.close();
  });

  it('a call that its client never comes back for ends at another replica, and what is in doubt is said', async () => {
    const of = world();
    await using replicas = await startReplicas({ factory: server(of) });
    replicas.route(what => (what === 'tools/call' ? 1 : 0));
    const waiting = await person(replicas);
    const stepping = await person(replicas);
    of.slow = new Promise(() => {});
    waiting.charge('d-3').catch(() => {});
    await waiting.asked();
    stepping.charge('d-4').catch(() => {});
    await stepping.asked();
    stepping.answer();
    await grown(of.effects, list => list.length > 0);
    await Promise.all([waiting.client.close(), stepping.client.close()]);
    await replicas.kill(1);
    await replicas.passGrace(1);
    const others = () => [...of.audits[0]!, ...of.audits[2]!];
    await until(() => others().filter(({ kind }) => kind === 'ended').length === 2);
    const codes = others().flatMap(event => (event.kind === 'ended' ? [event.code] : []));
    expect(codes.sort()).toEqual(['call/interrupted', 'step/in-doubt']);
    expect(of.effects).toEqual(['charge d-4 at 1']);
    await until(async () => (await replicas.client.keys('midcall:fleet:held:*')).length === 0);
  });

  it('a server that ended a call for nobody does not serve the client when that comes back', async () => {
    const of = world();
    const factory =
      (at: number): McpServerFactory =>
      ({ authInfo }) => {
        const made = server(of)(at)();
        made.registerTool('whose', {}, async () => said(`made for ${authInfo?.clientId ?? 'nobody'}`));
        return made;
      };
    const authenticate = async () => ({ token: 'aUth-9fK2', clientId: 'alice', scopes: [] });
    await using replicas = await startReplicas({ factory, http: { authenticate } });
    replicas.route(what => (what === 'tools/call' ? 1 : 0));
    const { client, transport, charge, asked } = await person(replicas);
    charge('d-9').catch(() => {});
    await asked();
    await client.close();
    await replicas.kill(1);
    await replicas.passGrace(1);
    await until(() => [0, 2].some(at => of.audits[at]?.some(({ kind }) => kind === 'ended')));
    for (const at of [0, 2]) {
      replicas.route(() => at);
      const headers = {
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        'mcp-session-id': transport.sessionId!,
      };
      const body = JSON.stringify({
        jsonrpc: '2.0',
        id: `whose-${at}`,
        method: 'tools/call',
        params: { name: 'whose' },
      });
      const response = await replicas.fetch(url, { method: 'POST', headers, body });
      expect(await response.text()).toContain('made for alice');
    }
  });

  it('a call that its client never comes back for ends from its record alone, where the factory makes servers for somebody only', async () => {
    const of = world();
    const made: string[][] = [[], [], []];
    const factory =
      (at: number): McpServerFactory =>
      ({ authInfo }) => {
        if (!authInfo) throw new Error('This server is made for somebody.');
        made[at]!.push(authInfo.clientId);
        return server(of)(at)();
      };
    const authenticate = async (request: Request) => ({
      token: 'aUth-7tQ4',
      clientId: request.headers.get('x-person') ?? 'alice',
      scopes: [],
    });
    await using replicas = await startReplicas({ factory, http: { authenticate } });
    replicas.route(() => 1);
    const { client, charge, asked } = await person(replicas);
    charge('d-10').catch(() => {});
    await asked();
    await client.close();
    await replicas.kill(1);
    await replicas.passGrace(1);
    // His is the first session that one of the others serves.
    replicas.route(() => 2);
    const bob = await person(replicas, { 'x-person': 'bob' });
    await until(() => of.audits[2]?.some(({ kind }) => kind === 'ended') ?? false);
    const [event] = ends(of, 2);
    expect(event).toMatchObject({
      outcome: 'failed',
      code: 'call/interrupted',
      call: { method: 'tools/call', name: 'charge' },
    });
    const [begun] = of.audits[1]!;
    expect(event!.call).toEqual(begun!.call);
    await until(async () => (await replicas.client.keys('midcall:fleet:held:*')).length === 0);
    expect(await replicas.client.keys('midcall:fleet:*:calls')).toEqual([]);
    expect([made[0], made[2]]).toEqual([[], ['bob']]);
    expect(of.effects).toEqual([]);
    await bob.client.close();
  });

  it('a plain tool is not run again: its call ends with an error that says so', async () => {
    const of = world();
    await using replicas = await startReplicas({ factory: server(of) });
    replicas.route(what => (what === 'tools/call' ? 1 : 0));
    const { client, asked } = await person(replicas);
    const call = client.callTool({ name: 'plain' }, { timeout: 600_000 });
    await asked();
    await replicas.kill(1);
    await expect(call).rejects.toThrow('cannot tell what took effect');
    expect(of.effects).toEqual(['plain at 1']);
    await client.close();
  });

  it('a replica that was only slow finds its claim gone, and does nothing more', async () => {
    const of = world();
    await using replicas = await startReplicas({ factory: server(of) });
    replicas.route(what => (what === 'tools/call' ? 1 : 0));
    const { charge, asked, answer, client } = await person(replicas);
    const call = charge('d-5');
    await asked();
    const resume = await replicas.pause(1);
    answer();
    expect(textOf(await call)).toBe('Charged.');
    await resume();
    expect(of.effects).toEqual(['charge d-5 at 0']);
    expect(ends(of, 1)).toEqual([]);
    await client.close();
  });

  it('running-call-F1: a replica that loses its claim between an answer and a step does not begin the step', async () => {
    const of = world();
    await using replicas = await startReplicas({ factory: server(of) });
    replicas.route(what => (what === 'tools/call' ? 1 : undefined));
    let goOn = (): void => {};
    of.between[1] = new Promise(resolve => {
      goOn = resolve;
    });
    const { charge, asked, answer, client } = await person(replicas);
    const call = charge('d-6');
    await asked();
    answer();
    await grown(of.answered, list => list.includes(1));
    const resume = await replicas.pause(1);
    expect(textOf(await call)).toBe('Charged.');
    goOn();
    await resume();
    await replicas.servings[1]!.stop();
    expect(of.effects).toEqual([expect.stringMatching(/^charge d-6 at [02]$/)]);
    await client.close();
  });
});

describe.skipIf(!redisServer)('who may do what', () => {
  it('a session of one owner does not exist for another, at any replica', async () => {
    const of = world();
    const tokens: Record<string, string> = { 'Bearer ada-token': 'ada', 'Bearer bob-token': 'bob' };
    await using replicas = await startReplicas({
      factory: server(of),
      http: {
        authenticate: async request => ({
          token: 'unused',
          clientId: tokens[request.headers.get('authorization') ?? ''] ?? 'nobody',
          scopes: [],
        }),
      },
    });
    const ada = await person(replicas, { authorization: 'Bearer ada-token' });
    const call = ada.charge('w-1');
    await ada.asked();
    const ask = replicas.read.find(text => text.includes('elicitation/create'))!;
    const { id } = JSON.parse(/data: (\{.*elicitation\/create.*\})/.exec(ask)![1]!) as { id: string };
    for (const serving of replicas.servings) {
      const stolen = await fetch(serving.url, {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          accept: 'application/json, text/event-stream',
          authorization: 'Bearer bob-token',
          'mcp-session-id': ada.transport.sessionId!,
        },
        body: JSON.stringify({ jsonrpc: '2.0', id, result: { action: 'accept', content: { confirm: true } } }),
      });
      expect(stolen.status).toBe(404);
    }
    expect(of.effects).toEqual([]);
    ada.answer();
    expect(textOf(await call)).toBe('Charged.');
    await ada.client.close();
  });

  it('whoever has only Redis can read no question, and answer none', async () => {
    const of = world();
    await using replicas = await startReplicas({ factory: server(of) });
    const { charge, asked, answer, client } = await person(replicas);
    const call = charge('secret-order-w-2');
    await asked();
    const redis = replicas.client;
    const keys = await redis.keys('*');
    const texts = await Promise.all(keys.map(async key => JSON.stringify([key, await redis.call('DUMP', key)])));
    expect(texts.filter(text => text.includes('secret-order'))).toEqual([]);
    expect(keys.filter(key => key.includes(client.transport!.sessionId!))).toEqual([]);

    const [hash = ''] = keys.filter(key => /:call:[\w-]{22}$/.test(key));
    const [field = ''] = (await redis.hkeys(hash)).filter(each => each.startsWith('q:'));
    const ask = field.slice(2);
    const forged = { result: { action: 'accept', content: { confirm: true } } };
    const place = `${hash} a:${ask}`;
    const rogue = createSealer(keyRing(otherKey));
    for (const text of [JSON.stringify(forged), rogue.seal(forged, 'fleet', place)]) {
      await redis.hset(hash, `a:${ask}`, text, `t:${ask}`, String(Date.now()));
      const holder = (await redis.hget(hash, 'h'))!;
      const before = replicas.errors.flat().length;
      const name = hash.replace(/^midcall:fleet:\{([\w-]+)\}:call:/, '$1/');
      await redis.rpush(`midcall:fleet:inbox:${holder}`, name);
      await redis.publish(`midcall:fleet:wake:${holder}`, '');
      await until(() => replicas.errors.flat().length > before);
      expect(replicas.errors.flat().at(-1)).toContain('was not written with the key of this fleet');
      await redis.hdel(hash, `a:${ask}`, `t:${ask}`);
    }
    expect(of.effects).toEqual([]);
    answer();
    expect(textOf(await call)).toBe('Charged.');
    await client.close();
  });

  it('limits hold for all replicas together: sessions of one owner, calls of one session', async () => {
    const of = world();
    await using replicas = await startReplicas({
      factory: server(of),
      http: {
        authenticate: async () => ({ token: 'unused', clientId: 'ada', scopes: [] }),
        sessions: { maxPerOwner: 2, maxCalls: 2 },
      },
    });
    const first = await person(replicas);
    const calls = [first.charge('w-3'), first.charge('w-4')];
    await first.asked(2);
    await expect(first.charge('w-5')).rejects.toThrow('Too many of your requests');
    const second = await person(replicas);
    const busy = second.charge('w-6');
    await second.asked();
    await expect(person(replicas)).rejects.toThrow('as many sessions in use');
    second.answer();
    await busy;
    await second.client.close();
    // The questions come from two replicas, in either order.
    for (const _ of calls) first.answer();
    expect((await Promise.all(calls)).map(textOf)).toEqual(['Charged.', 'Charged.']);
    await first.client.close();
  });
});

describe.skipIf(!redisServer)('a Redis in trouble', () => {
  it('a Redis that restarts while a person answers loses nothing with its append-only file', async () => {
    const of = world();
    await using replicas = await startReplicas({ factory: server(of), redisArgs: ['--appendfsync', 'always'] });
    const { charge, asked, answer, client } = await person(replicas);
    const call = charge('r-1');
    await asked();
    await replicas.redis.stop();
    // The person's answer is sent once, and may come while nobody can keep it.
    answer();
    await until(() => replicas.seen.some(({ what }) => what === 'response'));
    await replicas.redis.start();
    expect(textOf(await call)).toBe('Charged.');
    expect(of.effects).toHaveLength(1);
    await client.close();
  });

  it('a Redis that is flushed loses the session; its call ends and is recorded, and a new session works', async () => {
    const of = world();
    await using replicas = await startReplicas({ factory: server(of) });
    replicas.route(what => (what === 'tools/call' ? 1 : 0));
    const { charge, asked, answer } = await person(replicas);
    charge('r-2').catch(() => {});
    await asked();
    await replicas.client.flushall();
    answer();
    await until(() => ends(of, 1).length > 0);
    expect(ends(of, 1)).toMatchObject([{ outcome: 'cancelled' }]);
    expect(of.effects).toEqual([]);
    const again = await person(replicas);
    const call = again.charge('r-3');
    await again.asked();
    again.answer();
    expect(textOf(await call)).toBe('Charged.');
    await again.client.close();
  });

  it.each([
    [
      'is out of memory',
      async ({ client }: Replicas, refused: () => Promise<void>) => {
        await client.config('SET', 'maxmemory', '1');
        await refused();
        await client.config('SET', 'maxmemory', '0');
      },
      'out of memory',
    ],
    [
      'answers nothing',
      async ({ redis, givingUp }: Replicas, refused: () => Promise<void>) => {
        const thaw = redis.freeze();
        await givingUp(refused);
        thaw();
      },
      'did not answer',
    ],
  ])('a Redis that %s has requests refused with 503, and served when it is back', async (_, during, why) => {
    const of = world();
    await using replicas = await startReplicas({ factory: server(of) });
    await during(replicas, () => expect(person(replicas)).rejects.toThrow('cannot be used now'));
    expect(replicas.errors.flat().join()).toContain(why);
    await until(async () =>
      (await Promise.all(replicas.servings.map(each => each.endpoint.health()))).every(({ ok }) => ok),
    );
    const { charge, asked, answer, client } = await person(replicas);
    const call = charge('r-4');
    await asked();
    answer();
    expect(textOf(await call)).toBe('Charged.');
    await client.close();
  });

  it('a Redis in trouble that is silent is reported to a load balancer, which does not wait for as long as a command may take', async () => {
    await using replicas = await startReplicas({ factory: server(world()), count: 1 });
    const { health } = replicas.servings[0]!.endpoint;
    await until(async () => (await health()).ok);
    const resume = await replicas.pause(0);
    expect(await health()).toEqual({ ok: false, status: 'store' });
    await resume();
    await until(async () => (await health()).ok);
  });

  it('a Redis in trouble that forgets values when it is full is refused, until it does not', async () => {
    const of = world();
    await using replicas = await startReplicas({
      factory: server(of),
      redisArgs: ['--maxmemory-policy', 'allkeys-lru'],
    });
    await expect(person(replicas)).rejects.toThrow('cannot be used now');
    expect(replicas.errors.flat().join()).toContain('Nothing is served until maxmemory-policy is noeviction');
    const health = await fetch(new URL('/healthz', replicas.servings[0]!.url));
    expect({ status: health.status, said: await health.json() }).toEqual({
      status: 503,
      said: { ok: false, status: 'store' },
    });
    await replicas.client.call('config', 'set', 'maxmemory-policy', 'noeviction');
    await (await person(replicas)).client.close();
  });
});
