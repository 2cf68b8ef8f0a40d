/** How pages of ours are announced and told finished: what of it is on the wire, to whom, and what lies in the store by then. */

import { type Call, midcall } from '@midcall/server';
import { confirm, connect, formPage, type PageKind, pageOf, secret } from '@midcall/server/connect';
import { serveHttp } from '@midcall/server/node';
import { type Era, eras, type Frame, negotiation } from '@midcall/testing';
import { Client, type JSONRPCMessage, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { InMemoryTransport, McpServer } from '@modelcontextprotocol/server';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import { describe, expect, it, onTestFinished } from 'vitest';
import { z } from 'zod';
import { trusted } from '../../packages/core/src/page/html.ts';
import { recorded } from '../../packages/testing/src/eras.ts';
import { grown } from '../fixtures/grown.ts';
import { inSoak } from '../fixtures/soak.ts';
import { rawClient, textOf } from '../server/raw-client.ts';
import { fixture, told } from './fixture.ts';
import { shortWaits } from './short-waits.ts';
import { codeIn, visitor } from './visitor.ts';

type Params = Readonly<Record<string, unknown>>;
const sure = async (call: Call) => told(await call.elicitUrl({ message: 'Sure?', page: confirm() }));
const complete = 'notifications/elicitation/complete';

/** The parameters of the first elicitation that was sent or returned. */
function asOnTheWire(frames: readonly Frame[]): Params {
  for (const { message } of frames) {
    if (message['method'] === 'elicitation/create') return message['params'] as Params;
    const { inputRequests } = (message['result'] ?? {}) as { inputRequests?: Record<string, { params: Params }> };
    for (const each of Object.values(inputRequests ?? {})) return each.params;
  }
  throw new Error('Nothing was asked.');
}

async function finish(params: Params): Promise<void> {
  const person = visitor(params['url'] as string);
  await person.get();
  const code = codeIn(params['message'] as string);
  if (code !== '') await person.send({ do: 'code', code });
  expect((await person.send({})).title).toBe('This is done');
}

describe.each(eras)('%s', era => {
  it('elicit-url-06, elicit-url-07, elicit-url-10, elicit-url-14, elicit-url-56, elicit-url-70: pages of every kind are announced in one shape, at an address of ours that says nothing', async () => {
    const own: PageKind = {
      name: 'pay',
      show: () => ({ title: 'Pay', body: trusted(''), send: 'Pay' }),
      submit: () => ({ finish: () => null }),
    };
    const pages = [
      secret({ name: 'weather', label: 'API key' }),
      confirm(),
      formPage({ title: 'Trip', items: { to: { kind: 'text', label: 'To' } } }),
      pageOf(own, { amount: 12, email: 'ada@example.com' }),
    ];
    for (const [n, page] of pages.entries()) {
      const made = await fixture({
        era,
        answers: [{ action: 'decline' }],
        connect: { kinds: [own] },
        handler: async call => told(await call.elicitUrl({ message: `Page ${n}`, page })),
      });
      await made.call({ email: 'ada@example.com', token: 'canary' });
      // As it was on the wire: a client's SDK leaves out what it does not know.
      const params = asOnTheWire(made.pair.frames);
      const keys = ['elicitationId', 'message', 'mode', 'url'].slice(era === '2025-11-25' ? 0 : 1);
      expect(
        Object.keys(params)
          .filter(key => key !== '_meta')
          .toSorted(),
      ).toEqual(keys);
      expect(params).toMatchObject({ mode: 'url', message: expect.stringContaining(`Page ${n}`) });
      const url = new URL(params['url'] as string);
      expect(url.href).toBe(params['url']);
      expect(url.origin).toBe(`http://127.0.0.1:${made.pages.port}`);
      expect(url.pathname).toMatch(/^\/connect\/[\w-]{32}$/);
      expect([url.search, url.hash, url.username, url.password]).toEqual(['', '', '', '']);
    }
  });

  it('elicit-url-50, elicit-url-51: the link stands for something in the store when it first is on the wire, and leads to our own page', async () => {
    let stored: readonly string[] = [];
    const made = await fixture({
      era,
      answers: [
        () => {
          stored = [...made.store.keys()];
          return { action: 'accept' };
        },
      ],
      handler: sure,
    });
    const result = made.call();
    const { params } = await made.whenAsked(1);
    expect(stored.filter(key => key.startsWith('page:'))).toHaveLength(1);
    const pageId = new URL(params['url'] as string).pathname.split('/').at(-1)!;
    expect(JSON.stringify([...made.store])).not.toContain(pageId);
    expect((await visitor(params['url'] as string).get()).title).toBe('Enter your code');
    await finish(params);
    expect(await result).toContain('accept');
    expect(made.audit.map(event => event.call.principal?.issuer)).not.toContain(undefined);
  });

  it('elicit-url-15: an accept in the host alone does nothing', async () => {
    const done: string[] = [];
    const made = await fixture({
      era,
      handler: async call => {
        const answer = await call.elicitUrl({ message: 'Sure?', page: confirm() });
        if (answer.action === 'accept') await call.step('do', () => done.push('done'));
        return told(answer);
      },
    });
    const result = made.call();
    const { params } = await made.whenAsked(1);
    const looked = visitor(params['url'] as string);
    for (let n = 0; n < 5; n += 1) await looked.get();
    expect(done).toEqual([]);
    await finish(params);
    expect(await result).toContain('accept {"approved":true}');
    expect(done).toEqual(['done']);
  });

  it('elicit-url-12: the token of the client is the same before, during and after', async () => {
    const served = await serve(async call =>
      told(await call.elicitUrl({ message: 'Sure?', page: confirm(), assurance: 'in-band' })),
    );
    const alice = await served.enter(era, 'alice');
    const result = alice.call();
    await finish(await alice.asked(1));
    expect(await result).toContain('accept');
    await alice.client.listTools();
    expect(alice.tokens.length).toBeGreaterThan(3);
    expect(new Set(alice.tokens)).toEqual(new Set(['Bearer alice']));
  });

  it('elicit-url-20, elicit-url-22, elicit-url-27: the end of a page is told to the one client that was sent to it, on 2025-11-25 alone', async () => {
    for (const asError of era === '2025-11-25' ? [false, true] : [false]) {
      const served = await serve(async call =>
        told(await call.elicitUrl({ message: 'Sure?', page: confirm(), assurance: 'in-band', asError })),
      );
      const [alice, bob] = [await served.enter(era, 'alice'), await served.enter(era, 'bob')];
      let page: Params;
      let result: Promise<unknown> = Promise.resolve();
      if (asError) {
        const error = (await alice.call().catch(each => each)) as { data: { elicitations: Params[] } };
        page = error.data.elicitations[0]!;
      } else {
        result = alice.call();
        page = await alice.asked(1);
      }
      await finish(page);
      await result;
      const heard = ({ frames }: typeof alice) => frames.filter(({ message }) => message['method'] === complete);
      if (era === '2025-11-25') {
        await grown(alice.frames, () => heard(alice).length > 0);
        const { message } = heard(alice)[0]!;
        expect(message).toEqual({ jsonrpc: '2.0', method: complete, params: { elicitationId: page['elicitationId'] } });
      } else expect(heard(alice)).toEqual([]);
      await bob.client.listTools();
      expect(heard(bob)).toEqual([]);
      expect(JSON.stringify(bob.frames)).not.toContain(page['url']);
    }
  });
});

describe('2025-11-25', () => {
  it('elicit-url-09: many pages have as many ids, and nobody guesses one', { tags: 'thorough' }, async () => {
    const made = await fixture({
      era: '2025-11-25',
      answers: [{ action: 'decline' }],
      connect: { maxOpen: 200 },
      handler: async call => {
        const pages = Array.from({ length: inSoak(200, 50) }, (_, n) =>
          call.elicitUrl({ message: `Page ${n}`, page: confirm() }),
        );
        return (await Promise.all(pages)).length === pages.length ? 'done' : '';
      },
    });
    const calls = inSoak(5, 1);
    for (let n = 0; n < calls; n += 1) expect(await made.call()).toBe('done');
    const ids = made.asked.map(({ params }) => params['elicitationId'] as string);
    expect(new Set(ids).size).toBe(inSoak(1_000, 50));
    // 128 random bits, as text.
    for (const id of ids) expect(id).toMatch(/^[\w-]{22}$/);
  });

  it('elicit-url-29, elicit-url-33: only a call that waits for a page ends with -32042, and it does so until the page is done', async () => {
    const made = await fixture({
      era: '2025-11-25',
      capabilities: { elicitation: { form: {}, url: {} } },
      answers: [{ action: 'decline' }, { action: 'decline' }],
      handler: async (call, { how }) => {
        if (how === 'form') return (await call.elicit({ message: 'Sure?', form: Boolean })).action;
        if (how === 'throws') throw new Error('It broke.');
        const page = { message: 'Sure?', page: confirm(), assurance: 'in-band' } as const;
        if (how === 'asked') return told(await call.elicitUrl(page));
        return told(await call.elicitUrl({ ...page, asError: true }));
      },
    });
    expect(await made.call({ how: 'form' })).toBe('decline');
    expect(await made.call({ how: 'throws' })).toContain('It broke.');
    expect(await made.call({ how: 'asked' })).toContain('decline');
    const unknown = (await made.callTool('nothing', {}).catch(error => error)) as { code?: number };
    expect(unknown.code).not.toBe(-32042);
    const failed = (await made.call().catch(error => error)) as { code: number; data: { elicitations: Params[] } };
    expect([failed.code, failed.data.elicitations.length]).toEqual([-32042, 1]);
    expect(((await made.call().catch(error => error)) as { code: number }).code).toBe(-32042);
    await finish(failed.data.elicitations[0]!);
    expect(await made.call()).toContain('accept');
  });

  it('elicit-url-05: a client of an earlier revision is not sent to a page, though it declares that it could be', async () => {
    const seen: boolean[] = [];
    const mid = midcall({ warn: () => {} });
    const [near, far] = InMemoryTransport.createLinkedPair();
    const handle = serveStdio(
      () => {
        const server = new McpServer({ name: 'notes', version: '1.0.0' });
        mid.tool(server, 'act', {}, (_, call) => {
          seen.push(call.can.form, call.can.url);
          return { content: [] };
        });
        return server;
      },
      { transport: far },
    );
    onTestFinished(() => handle.close());
    for (const [protocolVersion, expected] of [['2025-06-18', [true, false]]] as const) {
      const answers = new Map<unknown, (message: JSONRPCMessage) => void>();
      near.onmessage = message => answers.get((message as { id?: unknown }).id)?.(message);
      await near.start();
      const send = (id: number, method: string, params: object) =>
        new Promise<JSONRPCMessage>(resolve => {
          answers.set(id, resolve);
          void near.send({ jsonrpc: '2.0', id, method, params } as JSONRPCMessage);
        });
      const capabilities = { elicitation: { form: {}, url: {} } };
      const hello = { protocolVersion, capabilities, clientInfo: { name: 'old', version: '1' } };
      expect(await send(1, 'initialize', hello)).toMatchObject({ result: { protocolVersion } });
      await near.send({ jsonrpc: '2.0', method: 'notifications/initialized' });
      await send(2, 'tools/call', { name: 'act', arguments: {} });
      expect(seen.splice(0)).toEqual(expected);
    }
  });
});

describe('2026-07-28', () => {
  it('elicit-url-17, elicit-url-34, elicit-url-38, mrtr-21: a retry before the page is done is told to come again, by its state alone, after it the result', async () => {
    const pages = connect({ name: 'Notes', reach: { kind: 'here', browser: false } });
    onTestFinished(() => pages.close());
    const mid = midcall({ pages, suspectBelowMs: 0, warn: () => {}, holdMs: 5, clock: shortWaits() });
    await using client = await rawClient(() => {
      const server = new McpServer({ name: 'notes', version: '1.0.0' });
      mid.tool(server, 'act', {}, async (_, call) => ({ content: [{ type: 'text', text: await sure(call) }] }));
      return server;
    }, 'memory');
    const url = { capabilities: { elicitation: { url: {} } } };
    const first = await client.act({}, url);
    const [key, { params }] = Object.entries(first.result!.inputRequests!)[0]!;
    const accepted = { requestState: first.result!.requestState, inputResponses: { [key]: { action: 'accept' } } };
    const waiting = await client.act(accepted, url);
    expect(waiting.result?.resultType).toBe('input_required');
    const still = await client.act({ requestState: waiting.result!.requestState }, url);
    expect(still.result?.resultType).toBe('input_required');
    await finish(params);
    const done = await client.act({ requestState: still.result!.requestState }, url);
    expect([done.result?.resultType, textOf(done)]).toEqual(['complete', 'accept {"approved":true} page out-of-band']);
    expect(JSON.stringify([first, waiting, still, done])).not.toMatch(/-32042|elicitationId/);
    // What is still to be asked is there, and where only the page is waited for, the field is not.
    expect(Object.keys(first.result!).sort()).toContain('inputRequests');
    for (const { result } of [waiting, still, done]) expect(result).not.toHaveProperty('inputRequests');
  });
});

/** A server over HTTP whose people are known by their tokens, and clients of theirs with everything that crossed. */
async function serve(handler: (call: Call) => Promise<string>) {
  const pages = connect({ name: 'Notes', reach: { kind: 'here', browser: false } });
  const mid = midcall({
    pages,
    suspectBelowMs: 0,
    warn: () => {},
    principal: ctx => ({ issuer: 'https://id.example', subject: String(ctx.http?.authInfo?.extra?.['sub']) }),
  });
  const serving = await serveHttp(
    () => {
      const server = new McpServer({ name: 'notes', version: '1.0.0' });
      mid.tool(server, 'act', { inputSchema: z.looseObject({}) }, async (_, call) => ({
        content: [{ type: 'text', text: await handler(call) }],
      }));
      return server;
    },
    {
      port: 0,
      authenticate: async request => {
        const token = request.headers.get('authorization')?.slice('Bearer '.length) ?? '';
        return { token, clientId: 'app', scopes: [], extra: { sub: token } };
      },
    },
  );
  onTestFinished(async () => {
    await serving.stop({ within: 0 });
    await pages.close();
  });
  async function enter(era: Era, token: string) {
    const capabilities = { elicitation: { url: {} } };
    const client = new Client(
      { name: token, version: '1.0.0' },
      { capabilities, versionNegotiation: negotiation(era) },
    );
    const asked: Params[] = [];
    client.setRequestHandler('elicitation/create', ({ params }) => {
      asked.push(params);
      return { action: 'accept' as const };
    });
    const frames: Frame[] = [];
    const tokens: (string | null)[] = [];
    const transport = new StreamableHTTPClientTransport(serving.url, {
      requestInit: { headers: { authorization: `Bearer ${token}` } },
      fetch: (input, init) => {
        tokens.push(new Headers(init?.headers).get('authorization'));
        return fetch(input, init);
      },
    });
    await client.connect(recorded(transport, frames));
    onTestFinished(() => client.close());
    return {
      client,
      frames,
      tokens,
      asked: async (count: number) => {
        await grown(asked, all => all.length >= count);
        return asked[count - 1]!;
      },
      call: async () => ((await client.callTool({ name: 'act', arguments: {} })).content[0] as { text: string }).text,
    };
  }
  return { enter };
}
