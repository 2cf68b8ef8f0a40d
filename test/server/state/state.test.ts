/** What a state is bound to, attacked: each binding of src/server/state/ has a test that fails without it. */

import { systemClock } from '@midcall/core/time';
import { type AuditEvent, type MidcallOptions, midcall } from '@midcall/server';
import { memoryStore } from '@midcall/server/stores/memory';
import { type AuthInfo, McpServer } from '@modelcontextprotocol/server';
import { afterEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { type Carrier, type RawClient, type Reply, rawClient, textOf } from '../raw-client.ts';

const KEY = 'vk1N2yLr0Zc0m7B1nPqf3sT5uW8xY+A2bC4dE6gH8iI=';
const OTHER_KEY = '9Lq2Zr7TtYw1Xc4VbN6mK8jH5gF3dS0aPpOoIiUuYyE=';
const accept = { action: 'accept', content: { value: true } };

const open: AsyncDisposable[] = [];
afterEach(async () => {
  for (const each of open.splice(0).reverse()) await each[Symbol.asyncDispose]();
});

/** `alice` is alice through the client `app`, `alice@other` alice through another one. */
async function authenticate(request: Request): Promise<AuthInfo | undefined> {
  const token = request.headers.get('authorization')?.slice('Bearer '.length);
  if (!token) return undefined;
  const [subject, clientId = 'app'] = token.split('@');
  return { token, clientId, scopes: [], extra: { iss: 'https://id.example', sub: subject } };
}

interface Setup {
  readonly carrier?: Carrier;
  /** True for a server without a key, which makes one for itself. */
  readonly keyless?: boolean;
  readonly options?: MidcallOptions;
  readonly version?: string;
  readonly server?: string;
  readonly message?: string;
}

/** A server whose tool, prompt and resource ask once, then act once. */
async function serve({
  carrier = 'memory',
  keyless = false,
  options = {},
  version = '',
  server: name = 'notes',
  message = 'Sure?',
}: Setup) {
  const acted: string[] = [];
  const events: AuditEvent[] = [];
  const warnings: string[] = [];
  const mid = midcall({
    ...(!keyless && { key: KEY }),
    suspectBelowMs: 0,
    warn: text => warnings.push(text),
    audit: event => events.push(event),
    principal: ctx => {
      const subject = ctx.http?.authInfo?.extra?.['sub'];
      return typeof subject === 'string' ? { issuer: 'https://id.example', subject } : undefined;
    },
    ...options,
  });
  const factory = () => {
    const server = new McpServer({ name, version: '1.0.0' });
    const ask = async (call: Parameters<Parameters<typeof mid.tool>[3]>[1]) => {
      const answer = await call.elicit({ message, form: Boolean });
      if (answer.action !== 'accept') return `${answer.action} ${'reason' in answer ? answer.reason : ''}`.trim();
      await call.step('act', () => acted.push('act'));
      return `accept ${answer.content}`;
    };
    const says = async (call: Parameters<Parameters<typeof mid.tool>[3]>[1]) => ({
      content: [{ type: 'text' as const, text: await ask(call) }],
    });
    const inputSchema = z.object({ n: z.coerce.number().optional() });
    mid.tool(server, 'act', { inputSchema, version }, (_, call) => says(call));
    mid.tool(server, 'act2', { inputSchema, version }, (_, call) => says(call));
    mid.prompt(server, 'act', {}, async (_, call) => ({
      messages: [{ role: 'user', content: { type: 'text', text: await ask(call) } }],
    }));
    mid.resource(server, 'act', 'act://one', {}, async (uri, call) => ({
      contents: [{ uri: uri.href, text: await ask(call) }],
    }));
    return server;
  };
  const client = await rawClient(factory, carrier, { authenticate });
  open.push(client);
  return { client, acted, events, warnings, mid };
}

const stateOf = (reply: Reply): string => {
  if (reply.result?.requestState === undefined) throw new Error(`no state: ${JSON.stringify(reply)}`);
  return reply.result.requestState;
};
const retry = (state: string, responses: object = { elicit: accept }, rest: object = {}) => ({
  requestState: state,
  inputResponses: responses,
  ...rest,
});
async function begun(client: RawClient, token?: string) {
  return stateOf(await client.act({}, token === undefined ? {} : { token }));
}

function expectRefused(reply: Reply, acted: readonly string[], reason = 'invalid_request_state') {
  const message = expect.stringContaining('What this call did before stays done.');
  expect(reply.error).toMatchObject({ code: -32602, data: { reason }, message });
  expect(acted).toEqual([]);
}

const everywhere = (['memory', 'http'] as const).flatMap(carrier => [
  ['the configured key', carrier, false] as const,
  ['ephemeral', carrier, true] as const,
]);

describe.each(everywhere)('a state under %s over %s', (_, carrier, keyless) => {
  it('a state opens for the call it was made for', async () => {
    const { client, acted } = await serve({ carrier, keyless });
    const reply = await client.act(retry(await begun(client)));
    expect(textOf(reply)).toBe('accept true');
    expect(acted).toEqual(['act']);
  });

  it('mrtr-32, mrtr-50: a state is refused with other arguments, also where parsing would make them equal', async () => {
    const { client, acted, events } = await serve({ carrier, keyless });
    const state = stateOf(await client.act({ arguments: { n: 1 } }));
    expectRefused(await client.act(retry(state, undefined, { arguments: { n: 2 } })), acted);
    expectRefused(await client.act(retry(state, undefined, { arguments: { n: '1' } })), acted);
    expect(events.filter(each => each.kind === 'state-refused')).toMatchObject([
      { reason: 'another arguments' },
      { reason: 'another arguments' },
    ]);
  });

  it('elicit-41, mrtr-32, mrtr-50: a state is refused for another tool, and for a prompt of the same name', async () => {
    const { client, acted } = await serve({ carrier, keyless });
    const state = await begun(client);
    expectRefused(await client.act(retry(state, undefined, { name: 'act2' })), acted);
    expectRefused(await client.send('prompts/get', { name: 'act', arguments: {}, ...retry(state) }), acted);
  });

  it('mrtr-31: a state is refused when it expires, and a late answer within its life is a timeout', async () => {
    let now = 1_000_000_000_000;
    const options = { clock: { ...systemClock, now: () => now }, askTimeoutMs: 60_000, stateTtlMs: 600_000 };
    const { client, acted } = await serve({ carrier, keyless, options });
    const [early, late, gone] = [await begun(client), await begun(client), await begun(client)];
    now += 60_000;
    expect(textOf(await client.act(retry(early)))).toBe('accept true');
    acted.length = 0;
    now += 1;
    expect(textOf(await client.act(retry(late)))).toBe('cancel timeout');
    now += 600_000 - 1;
    expectRefused(await client.act(retry(gone)), acted, 'expired');
  });

  it('a state is refused before its time', async () => {
    let now = 1_000_000_000_000;
    const { client, acted } = await serve({ carrier, keyless, options: { clock: { ...systemClock, now: () => now } } });
    const state = await begun(client);
    now -= 60_001;
    expectRefused(await client.act(retry(state)), acted);
  });

  it('mrtr-33: a state gives the same answer again for the same inputs, and is refused with others', async () => {
    const { client, acted } = await serve({ carrier, keyless });
    const state = await begun(client);
    const [one, two, three] = await Promise.all([1, 2, 3].map(() => client.act(retry(state))));
    expect([one, two, three].map(each => textOf(each as Reply))).toEqual(Array(3).fill('accept true'));
    expect(textOf(await client.act(retry(state)))).toBe('accept true');
    expect(acted).toEqual(['act']);
    const other = await client.act(retry(state, { elicit: { action: 'decline' } }));
    expect(other.error).toMatchObject({ code: -32602, data: { reason: 'already_answered' } });
    const none = await client.act(retry(state, {}));
    expect(none.error).toMatchObject({ code: -32602, data: { reason: 'already_answered' } });
    expect(acted).toEqual(['act']);
  });

  it('mrtr-33: a state stays used up as long as it could be presented, however long its question may be open', async () => {
    let now = 1_000_000_000_000;
    const day = 24 * 3_600_000;
    const { client, acted } = await serve({
      carrier,
      keyless,
      options: { clock: { ...systemClock, now: () => now }, askTimeoutMs: day },
    });
    const state = await begun(client);
    await client.act(retry(state));
    now += day - 1;
    const other = await client.act(retry(state, { elicit: { action: 'decline' } }));
    expect(other.error).toMatchObject({ data: { reason: 'already_answered' } });
    expect(acted).toEqual(['act']);
  });

  it('a state is not claimed by a request it does not open for', async () => {
    const { client, acted } = await serve({ carrier, keyless });
    const state = await begun(client);
    expectRefused(await client.act(retry(state, { elicit: { action: 'decline' } }, { name: 'act2' })), acted);
    expect(textOf(await client.act(retry(state)))).toBe('accept true');
  });

  it('mrtr-26, mrtr-27, mrtr-28, mrtr-29, mrtr-50: a state is refused in every spelling but one, cut short, or changed in any bit', async () => {
    const { client, acted } = await serve({ carrier, keyless });
    const state = await begun(client);
    const swapped = (at: number) => `${state.slice(0, at)}${state[at] === 'A' ? 'B' : 'A'}${state.slice(at + 1)}`;
    const spellings = [
      `${state}=`,
      ` ${state}`,
      `${state}\n`,
      state.replaceAll('-', '+').replaceAll('_', '/').concat('=='),
      state.slice(0, -1),
      state.slice(3),
      state.toUpperCase(),
      'm1.',
      '',
      'x'.repeat(100_000),
      ...Array.from({ length: 20 }, (_, n) => swapped(3 + Math.floor(((state.length - 4) * n) / 19))),
    ];
    for (const spelling of spellings) expectRefused(await client.act(retry(spelling)), acted);
    expect(textOf(await client.act(retry(state)))).toBe('accept true');
  });

  it('mrtr-26: a state that is not text is refused', async () => {
    const { client, acted } = await serve({ carrier, keyless });
    for (const requestState of [1, true, null, {}, ['m1.x']]) {
      const { error } = await client.act({ requestState, inputResponses: { elicit: accept } });
      if (error) expect(error.code).toBe(-32602);
      expect(acted).toEqual([]);
    }
  });

  it('a state is refused with -32602 by prompts and resources too', async () => {
    const { client, acted } = await serve({ carrier, keyless });
    const state = await begun(client);
    for (const [method, params] of [
      ['prompts/get', { name: 'act', arguments: {} }],
      ['resources/read', { uri: 'act://one' }],
    ] as const) {
      expectRefused(await client.send(method, { ...params, ...retry(state) }), acted);
      const own = stateOf(await client.send(method, params));
      const reply = await client.send(method, { ...params, ...retry(own) });
      expect(JSON.stringify(reply.result)).toContain('accept true');
      expect(acted.splice(0)).toEqual(['act']);
    }
  });
});

describe.each(['memory', 'http'] as const)('a sealed state over %s', carrier => {
  it('a sealed state is refused by another server under the same key', async () => {
    const [one, two] = [await serve({ carrier }), await serve({ carrier, server: 'mail' })];
    expectRefused(await two.client.act(retry(await begun(one.client))), two.acted);
    const [here, there] = [
      await serve({ carrier, options: { audience: 'https://a.example' } }),
      await serve({ carrier, options: { audience: 'https://b.example' } }),
    ];
    expectRefused(await there.client.act(retry(await begun(here.client))), there.acted);
  });

  it('a sealed state is refused, saying so, by another version of the handler', async () => {
    const [one, two] = [await serve({ carrier, version: '1' }), await serve({ carrier, version: '2' })];
    const reply = await two.client.act(retry(await begun(one.client)));
    expectRefused(reply, two.acted, 'handler_changed');
    expect(reply.error?.message).toContain('changed since it asked');
  });

  it('elicit-29, mrtr-27: a sealed state is refused once its key is out of the ring, and accepted while it is in it', async () => {
    const old = await serve({ carrier });
    const rotated = await serve({ carrier, options: { key: [OTHER_KEY, KEY] } });
    const gone = await serve({ carrier, options: { key: OTHER_KEY } });
    const state = await begun(old.client);
    expectRefused(await gone.client.act(retry(state)), gone.acted);
    expect(textOf(await rotated.client.act(retry(state)))).toBe('accept true');
  });

  it('a sealed state is opened again however little of it may travel', async () => {
    const { client } = await serve({ carrier, options: { maxStateLength: 1, store: memoryStore() } });
    expect(textOf(await client.act(retry(await begun(client))))).toBe('accept true');
  });

  it('elicit-33: a sealed state travels by reference when its journal is large, and dies with what it refers to', async () => {
    const store = memoryStore();
    const seen: string[] = [];
    const options: MidcallOptions = {
      maxStateLength: 1_500,
      store: {
        ...store,
        set(key, ...rest) {
          seen.push(key);
          return store.set(key, ...rest);
        },
      },
    };
    const small = await serve({ carrier, options });
    expect(textOf(await small.client.act(retry(await begun(small.client))))).toBe('accept true');
    expect(seen.filter(key => key.startsWith('journal:'))).toEqual([]);
    const mid = midcall({ key: KEY, suspectBelowMs: 0, warn: () => {}, ...options });
    const client = await rawClient(() => {
      const server = new McpServer({ name: 'notes', version: '1.0.0' });
      mid.tool(server, 'act', {}, async (_, call) => {
        const text = await call.step('read', () => 'é€😀'.repeat(500));
        await call.elicit({ message: 'Sure?', form: Boolean });
        return { content: [{ type: 'text', text: String(text.length) }] };
      });
      return server;
    }, carrier);
    open.push(client);
    const [one, two] = [await begun(client), await begun(client)];
    expect(one.length).toBeLessThan(1_500);
    const refs = seen.filter(key => key.startsWith('journal:'));
    expect(refs).toHaveLength(2);
    expect(await store.get(refs[0] as string)).not.toContain('é€😀');
    expect(textOf(await client.act(retry(one)))).toBe('2000');
    await store.delete(refs[1] as string);
    expect((await client.act(retry(two))).error).toMatchObject({ code: -32602, data: { reason: 'expired' } });
  });
});

describe('a state over HTTP', () => {
  it('elicit-31, elicit-34, elicit-41, mrtr-30, mrtr-33, mrtr-50: a state over HTTP is refused for another person, and for nobody', async () => {
    const { client, acted, events } = await serve({ carrier: 'http' });
    const state = await begun(client, 'alice');
    expectRefused(await client.act(retry(state), { token: 'bob' }), acted);
    expectRefused(await client.act(retry(state)), acted);
    expect(events.find(each => each.kind === 'state-refused')).toMatchObject({ reason: 'another principal' });
    expect(textOf(await client.act(retry(state), { token: 'alice' }))).toBe('accept true');
  });

  it('elicit-41: a state over HTTP is refused through another OAuth client of the same person', async () => {
    const { client, acted, events } = await serve({ carrier: 'http' });
    const state = await begun(client, 'alice');
    expectRefused(await client.act(retry(state), { token: 'alice@other' }), acted);
    expect(events.find(each => each.kind === 'state-refused')).toMatchObject({ reason: 'another client' });
  });

  it('elicit-34, elicit-47: a state over HTTP does not take clientInfo, which a client writes itself, for the client', async () => {
    const { client } = await serve({ carrier: 'http' });
    const state = await begun(client, 'alice');
    expect(textOf(await client.act(retry(state), { token: 'alice', capabilities: { elicitation: {} } }))).toBe(
      'accept true',
    );
  });
});

describe('answers', () => {
  it('answers without a state of ours are ignored', async () => {
    const { client, acted } = await serve({});
    const reply = await client.act({ inputResponses: { elicit: accept } });
    expect(reply.result?.resultType).toBe('input_required');
    expect(acted).toEqual([]);
  });

  it('answers to questions nobody asked are ignored, whatever they are called', async () => {
    const { client } = await serve({});
    const responses = JSON.parse(
      '{"elicit":{"action":"decline"},"other":{"action":"accept"},"__proto__":{"action":"accept","elicit":{"action":"accept"}},"constructor":{"action":"accept"}}',
    );
    expect(textOf(await client.act(retry(await begun(client), responses)))).toBe('decline');
    expect(({} as { action?: unknown }).action).toBeUndefined();
  });

  it('answers are not inherited from a prototype a client would like to set', async () => {
    const { client, acted } = await serve({});
    const responses = JSON.parse('{"elicit":{"__proto__":{"action":"accept","content":{"value":true}}}}');
    expect(textOf(await client.act(retry(await begun(client), responses)))).toMatch(/^cancel|^$/);
    const content = JSON.parse('{"elicit":{"action":"accept","content":{"__proto__":{"value":true}}}}');
    expect((await client.act(retry(await begun(client), content))).result?.resultType).toBe('input_required');
    expect(acted).toEqual([]);
  });

  it('answers that are huge or nested deeper than the stack end in cancel/error', async () => {
    const { client, acted } = await serve({});
    const long = { action: 'accept', content: { value: 'x'.repeat(1_100_000) } };
    expect(textOf(await client.act(retry(await begun(client), { elicit: long })))).toBe('cancel error');
    const deep = JSON.parse(`{"action":"accept","content":${'['.repeat(50_000)}${']'.repeat(50_000)}}`);
    const reply = await client.act(retry(await begun(client), { elicit: deep }));
    expect(textOf(reply)).toBe('cancel error');
    const many = Object.fromEntries(Array.from({ length: 50_000 }, (_, n) => [`k${n}`, accept]));
    expect(textOf(await client.act(retry(await begun(client), { ...many, elicit: accept })))).toBe('accept true');
    expect(acted).toEqual(['act']);
  });

  it('elicit-39, elicit-40: answers that are left out leave the question open under a new state and its first deadline', async () => {
    let now = 1_000_000_000_000;
    const { client } = await serve({
      options: { clock: { ...systemClock, now: () => now }, askTimeoutMs: 60_000, stateTtlMs: 600_000 },
    });
    const first = await begun(client);
    now += 40_000;
    const second = stateOf(await client.act(retry(first, {})));
    expect(second).not.toBe(first);
    expect((await client.act(retry(first))).error).toMatchObject({ data: { reason: 'already_answered' } });
    now += 30_000;
    expect(textOf(await client.act(retry(second)))).toBe('cancel timeout');
  });

  it('elicit-40: answers left out past their deadline are a timeout, so a client that never answers ends', async () => {
    let now = 1_000_000_000_000;
    const { client } = await serve({
      options: { clock: { ...systemClock, now: () => now }, askTimeoutMs: 60_000, stateTtlMs: 600_000 },
    });
    const state = await begun(client);
    now += 60_001;
    expect(textOf(await client.act(retry(state, {})))).toBe('cancel timeout');
  });
});

describe('without a configured key', () => {
  it('a state without a configured key opens in the process that made it alone, which is said over HTTP', async () => {
    const [one, two] = [
      await serve({ carrier: 'http', options: { key: [new Uint8Array(32).fill(7), KEY] } }),
      await serve({ carrier: 'http', options: { key: KEY } }),
    ];
    expectRefused(await two.client.act(retry(await begun(one.client))), two.acted);
    const ephemeral = midcall({ warn: text => one.warnings.push(text) });
    const client = await rawClient(() => {
      const server = new McpServer({ name: 'notes', version: '1.0.0' });
      ephemeral.tool(server, 'act', {}, () => ({ content: [] }));
      return server;
    }, 'http');
    open.push(client);
    await client.act();
    await client.act();
    expect(one.warnings.filter(text => text.includes('no key is configured'))).toHaveLength(1);
  });
});

describe('who is asked', () => {
  it('a principal that is the same for everybody is warned about over HTTP, once', async () => {
    const { client, warnings } = await serve({
      carrier: 'http',
      options: { principal: () => ({ issuer: 'x', subject: 'me' }) },
    });
    await client.act({}, { token: 'alice' });
    await client.act({}, { token: 'bob' });
    expect(warnings.filter(text => text.includes('everybody is that person'))).toHaveLength(1);
    const real = await serve({ carrier: 'http' });
    await real.client.act({}, { token: 'alice' });
    expect(real.warnings).toEqual([]);
  });
});
