/** Pages on a Redis that is stopped and started again in the middle of a flow. */
import { confirm, type PageKind, pageOf } from '@midcall/server/connect';
import { redisStore } from '@midcall/server/stores/redis';
import { eras } from '@midcall/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type RedisServer, redisServer, startRedis } from '../stores/redis-server.ts';
import { fixture, told } from './fixture.ts';
import { type PagesUnderTest, startPages } from './oauth-pages.ts';
import { Browser } from './sign-in-flow.ts';
import { pastCode } from './visitor.ts';

describe.runIf(redisServer)('Redis', () => {
  let redis: RedisServer;
  let client: ReturnType<RedisServer['connect']>;
  const store = () => redisStore({ send: args => client.call(...args) });

  /** Started, and connected to again. */
  async function start(): Promise<void> {
    const back = client.status === 'ready' ? undefined : new Promise(resolve => client.once('ready', resolve));
    await redis.start();
    await back;
  }
  /** Stopped, and known to be. */
  async function stop(): Promise<void> {
    const gone = new Promise(resolve => client.once('close', resolve));
    await redis.stop();
    await gone;
  }

  beforeAll(async () => {
    redis = await startRedis();
    client = redis.connect();
  });
  afterAll(async () => {
    client?.disconnect();
    await redis?.remove();
  });

  describe('away in the middle of connecting an account', () => {
    let under: PagesUnderTest;
    beforeAll(async () => {
      under = await startPages({ store: store() });
    });
    afterAll(() => under?.close());

    it('every page says that Redis is away, nothing is spent, and the flow goes on from where it was', async () => {
      const alice = under.principal('alice');
      const { url, pageId } = await under.ask(alice);
      const browser = new Browser();
      await browser.follow(url);
      const page = await (await browser.submit(url)).text();
      const leads = /<a href="([^"]+)" rel="noreferrer">Continue/u.exec(page)?.[1]?.replaceAll('&amp;', '&') ?? '';
      const { url: callback } = await browser.follow(leads, `${under.origin}/connect/callback/`);
      const waiting = under.service.outcome(pageId, 30_000);

      await stop();
      for (const address of [url, callback.href]) {
        const response = await browser.send(address);
        expect(response.status).toBe(503);
        expect(await response.text()).toContain('This page cannot be shown right now');
      }
      await expect(under.outcome(pageId)).rejects.toMatchObject({ code: 'store/unavailable' });
      await expect(under.ask(alice)).rejects.toMatchObject({ code: 'store/unavailable' });
      await expect(under.vault.token(alice, under.notes)).rejects.toMatchObject({ code: 'store/unavailable' });
      await start();

      expect(await (await browser.follow(callback)).response?.text()).toContain('This is done');
      expect(await waiting).toMatchObject({ action: 'accept', content: { provider: 'notes' } });
      expect(await under.vault.signedIn(alice, under.notes)).toBeDefined();
      expect(await (await browser.follow(callback)).response?.text()).toContain('This is done');
    });
  });

  describe.each(eras)('%s', era => {
    it('a call waits on where Redis is away while the person is on the page, and its answer arrives', async () => {
      const { call, whenAsked } = await fixture({
        era,
        handler: async c => told(await c.elicitUrl({ message: 'Sure?', page: confirm() })),
        midcall: { store: store() },
      });
      const result = call();
      const person = await pastCode(await whenAsked(1));
      await stop();
      expect(await person.send({})).toMatchObject({ status: 503, title: 'This cannot be done right now' });
      await start();
      await person.get();
      expect((await person.send({})).title).toBe('This is done');
      expect(await result).toBe('accept {"approved":true} page out-of-band');
    });

    it('a caller is told where Redis is away before anything is asked, and nobody is asked', async () => {
      const { callTool, asked } = await fixture({
        era,
        handler: async c => told(await c.elicitUrl({ message: 'Sure?', page: confirm() })),
        midcall: { store: store() },
      });
      await stop();
      const result = await callTool('act', {}).catch((error: Error) => ({ isError: true, content: [error] }));
      expect(JSON.stringify(result, ['isError', 'content', 'text', 'message'])).toMatch(/Redis did not run/u);
      expect(result.isError).toBe(true);
      expect(asked).toEqual([]);
      await start();
    });
  });

  it('an effect after which Redis is away is done once, and what became of it is written as soon as Redis is back', async () => {
    let effects = 0;
    const kind: PageKind = {
      name: 'effect',
      show: () => ({ title: 'Now', send: 'Go', body: '' as never }),
      submit: () => ({
        async finish() {
          effects += 1;
          await stop();
          setImmediate(() => void start());
          return { done: true };
        },
      }),
    };
    const { call, whenAsked } = await fixture({
      era: '2025-11-25',
      handler: async c => told(await c.elicitUrl({ message: 'Sure?', page: pageOf(kind, null) })),
      connect: { kinds: [kind] },
      midcall: { store: store() },
    });
    const result = call();
    const person = await pastCode(await whenAsked(1));
    expect((await person.send({})).title).toBe('This is done');
    expect(await result).toContain('accept {"done":true}');
    expect(effects).toBe(1);
  });
});
