/** What somebody is told whose page fails, or whose store is away for a moment, and what becomes of what they sent. */
import { randomBytes } from 'node:crypto';
import { MidcallError } from '@midcall/core/errors';
import { html } from '@midcall/core/page';
import { midcall } from '@midcall/server';
import { confirm, connect, type PageKind, pageOf } from '@midcall/server/connect';
import { memoryStore } from '@midcall/server/stores/memory';
import { eras } from '@midcall/testing';
import { describe, expect, it } from 'vitest';
import { noWake } from '../../packages/server/src/base/wake.ts';
import { newPageId, PageRecords } from '../../packages/server/src/connect/page-records.ts';
import type { PageAsk } from '../../packages/server/src/request/pages.ts';
import { keyRing } from '../../packages/server/src/state/keys.ts';
import { createSealer } from '../../packages/server/src/state/seal.ts';
import { fixture, told } from './fixture.ts';
import { shortWaits } from './short-waits.ts';
import { pastCode } from './visitor.ts';

const away = () => new MidcallError('store/unavailable', 'The store cannot be reached.');

/** A clock on which the waits between two attempts at a store that is away are over at once, and no other wait ever is. */
const noWaits = () => ({
  now: Date.now,
  after(ms: number, fn: () => void) {
    if (![100, 400, 1_500, 4_000].includes(ms)) return () => {};
    const turn = setImmediate(fn);
    return () => clearImmediate(turn);
  },
});

/** A store of which the test can break each operation. */
function breakable() {
  const memory = memoryStore();
  const breaks = {
    get: (_key: string): void => {},
    beforeSet: (_key: string): void => {},
    afterSet: (_key: string): void => {},
  };
  const store: typeof memory = {
    ...memory,
    async get(key) {
      breaks.get(key);
      return memory.get(key);
    },
    async set(key, ...rest) {
      breaks.beforeSet(key);
      const isWritten = await memory.set(key, ...rest);
      breaks.afterSet(key);
      return isWritten;
    },
  };
  return { store, breaks };
}

/** A kind of page with one field. */
const kindOf = (finish: () => Promise<null> | null, check = (): void => {}): PageKind => ({
  name: 'tried',
  show: () => ({ title: 'Enter it', body: html`<input name="it">`, send: 'Send' }),
  submit() {
    check();
    return { finish };
  },
});

async function opened(era: (typeof eras)[number], kind: PageKind, more: object = {}) {
  const made = await fixture({
    era,
    connect: { kinds: [kind] },
    midcall: more,
    handler: async call => told(await call.elicitUrl({ message: 'Sure?', page: pageOf(kind, null) })),
  });
  const result = made.call();
  const asked = await made.whenAsked(1);
  return { ...made, result, asked, url: asked.params['url'] as string, person: await pastCode(asked) };
}

describe.each(eras)('%s: the end of a page', era => {
  it('a page whose form could not be judged takes the same form when it is sent again', async () => {
    let isDown = true;
    const check = () => {
      if (isDown) throw new Error('the network is down');
    };
    const { person, result } = await opened(
      era,
      kindOf(() => null, check),
    );
    const sent = { it: 'typed' };
    const form = await person.get();
    const token = /name="form-token" value="([^"]*)"/u.exec(form.text)![1]!;
    const failed = await person.send(sent);
    expect([failed.status, failed.title]).toEqual([500, 'Something went wrong here']);
    expect(failed.text).toContain('Nothing was done with what you entered, and the link still works.');
    isDown = false;
    // As a browser reloads the answer to a form.
    expect((await person.send({ ...sent, 'form-token': token })).title).toBe('This is done');
    expect(await result).toBe('accept null page out-of-band');
  });

  it('a page that is being finished is looked at again by itself, until it is done', async () => {
    let begin = (): void => {};
    const begun = new Promise<void>(resolve => {
      begin = resolve;
    });
    let end = (_: null): void => {};
    const { person, asked, url, result } = await opened(
      era,
      kindOf(() => {
        begin();
        return new Promise<null>(resolve => {
          end = resolve;
        });
      }),
    );
    const other = await pastCode(asked);
    const first = person.send({});
    await begun;
    const { pathname } = new URL(url);
    for (const look of [await other.send({}), await other.get()]) {
      expect(look.title).toBe('This was sent');
      expect(look.headers.get('refresh')).toBe(`5; url=${pathname}`);
      expect(look.text).toContain(`<a href="${pathname}">Look again</a>`);
    }
    end(null);
    await first;
    const done = await other.get();
    expect([done.title, done.headers.get('refresh')]).toEqual(['This is done', null]);
    expect(await result).toBe('accept null page out-of-band');
  });

  it('a page whose effect failed is not said to be open where that cannot be recorded', async () => {
    const { store, breaks } = breakable();
    breaks.beforeSet = key => {
      if (key.startsWith('page-result:')) throw away();
    };
    const failing = kindOf(() => {
      throw new Error('no');
    });
    const { person, result, warned } = await opened(era, failing, { store, clock: noWaits() });
    // It waits until the page is due.
    result.catch(() => {});
    const look = await person.send({});
    expect(look.title).toBe('This could not be finished');
    expect((await person.get()).title).toBe('This was sent');
    expect(warned).toEqual([
      'midcall connect: a page could not be finished (Error).',
      'midcall connect: the end of a page could not be recorded (The store cannot be reached.).',
    ]);
  });

  it('a form whose turn was taken without the store saying so has its effect, once', async () => {
    const { store, breaks } = breakable();
    let effects = 0;
    const { person, result } = await opened(
      era,
      kindOf(() => {
        effects += 1;
        return null;
      }),
      { store, clock: noWaits() },
    );
    let times = 0;
    breaks.afterSet = key => {
      if (key.startsWith('page-turn:') && ++times === 1) throw away();
    };
    expect((await person.send({})).title).toBe('This is done');
    expect(await result).toBe('accept null page out-of-band');
    expect((await person.send({})).title).toBe('This is done');
    expect([effects, times]).toEqual([1, 1]);
  });

  it('an answer that was taken is not said to be undone where the store is away when its page is looked at', async () => {
    const { store, breaks } = breakable();
    const { person, result } = await opened(
      era,
      kindOf(() => null),
      { store },
    );
    breaks.afterSet = key => {
      if (!key.startsWith('page-result:')) return;
      breaks.get = name => {
        if (name.startsWith('page:')) throw away();
      };
    };
    const look = await person.send({});
    expect([look.status, look.title]).toEqual([503, 'This page cannot be shown right now']);
    expect(look.text).toContain('What you sent before is kept if it arrived.');
    breaks.get = () => {};
    expect((await person.get()).title).toBe('This is done');
    expect(await result).toBe('accept null page out-of-band');
  });

  it('a form that is sent where the store is away is taken when it is sent again', async () => {
    const { store, breaks } = breakable();
    const { person, result } = await opened(
      era,
      kindOf(() => null),
      { store },
    );
    const form = await person.get();
    const token = /name="form-token" value="([^"]*)"/u.exec(form.text)![1]!;
    breaks.get = name => {
      if (name.startsWith('page:')) throw away();
    };
    const look = await person.send({});
    expect([look.status, look.title]).toEqual([503, 'This cannot be done right now']);
    expect(look.text).toContain('Nothing was done with what you entered.');
    expect(look.text).toContain('Reload this page');
    breaks.get = () => {};
    expect((await person.send({ 'form-token': token })).title).toBe('This is done');
    expect(await result).toBe('accept null page out-of-band');
  });
});

const keys = randomBytes(32);

/** A page in a store, and a server that shows what is there. */
async function stored(more: Partial<PageAsk>) {
  const store = memoryStore();
  const warned: string[] = [];
  const warn = (message: string) => void warned.push(message);
  const baseUrl = 'https://notes.example/connect';
  const pages = connect({ name: 'Notes', baseUrl });
  midcall({ key: keys.toString('base64'), store, pages, warn });
  const host = { store, sealer: createSealer(keyRing(keys)), clock: shortWaits(), wake: noWake, warn, audit() {} };
  const page: PageAsk = {
    ...{ pageId: newPageId(), kind: 'confirm', data: {}, message: 'Sure?', check: 'none', arguments: {} },
    ...{ call: { method: 'tools/call', name: 'act' } as PageAsk['call'], askedAt: 0, dueAt: Date.now() + 60_000 },
    ...more,
  };
  const records = new PageRecords(host);
  await records.issue(page);
  const look = async (pageId = page.pageId) => {
    const response = await pages.fetch(new Request(`${baseUrl}/${pageId}`));
    return { status: response.status, text: await response.text() };
  };
  return { look, warned, records, page };
}

describe('a page of another server', () => {
  it('a page of a kind that this server lacks stays open, and the operator learns which kind it is', async () => {
    const { look, warned, records, page } = await stored({ kind: 'elsewhere' });
    const { status, text } = await look();
    expect(status).toBe(500);
    expect(text).toContain('the link still works');
    expect(await records.standing(page)).toBe('open');
    expect(warned).toEqual([expect.stringMatching(/a page of kind 'elsewhere' .* has no such kind\. Give the same/u)]);
  });

  it('a page on which nobody can sign in says so, and whom to tell', async () => {
    const { look } = await stored({ check: 'sign-in' });
    const { status, text } = await look();
    expect(status).toBe(503);
    expect(text).toMatch(/Nothing was sent\..*Tell whoever runs this server/su);
  });

  it('a page that is not known, or no longer needed, says that nothing was sent, and what to do', async () => {
    const { look, records, page } = await stored({});
    const unknown = await look(newPageId());
    expect(unknown.status).toBe(404);
    expect(unknown.text).toMatch(/the server was started again.*Nothing was sent now\..*ask your assistant/su);
    await records.takeTurn(page, 'withdrawn');
    const { status, text } = await look();
    expect(status).toBe(410);
    expect(text).toMatch(/Nothing was sent from here\..*go back to your assistant/su);
  });
});

it('two who take the turn of a page at a store that acknowledges neither know which of them has it', async () => {
  const { store, breaks } = breakable();
  const host = { store, sealer: createSealer(keyRing(keys)), clock: noWaits(), wake: noWake, warn() {}, audit() {} };
  const [one, two] = [new PageRecords(host), new PageRecords(host)];
  const page = { pageId: newPageId(), ...confirm(), dueAt: Date.now() + 60_000 } as unknown as PageAsk;
  await one.issue(page);
  let times = 0;
  breaks.afterSet = () => {
    if (++times <= 2) throw away();
  };
  const taken = await Promise.all([one.takeTurn(page, 'accept'), two.takeTurn(page, 'accept')]);
  expect(taken.filter(Boolean)).toHaveLength(1);
  expect(await one.takeTurn(page, 'accept')).toBe(false);
});
