/** Pages that an error announces (2025-11-25): which attempt opens one, which gets its answer, and what is kept for the next. */
import { MidcallError } from '@midcall/core/errors';
import { expect, it } from 'vitest';
import type { Announced } from '../../../packages/server/src/questions/page/plan.ts';
import { ask, finished, NOW, scene } from './page-scene.ts';

const urlMode = { can: { url: true } };
const told = { ...ask, asError: true };
const done = { action: 'accept', content: 7, assurance: 'in-band', at: NOW + 9 } as const;

type Handler = Parameters<ReturnType<typeof scene>['begin']>[0];
/** Makes the call once more, as its client does that was told of a page. */
async function attempt(on: ReturnType<typeof scene>, handler: Handler = put => put(told)) {
  const run = on.begin(handler);
  for (let outcome = await run.next(); ; outcome = await run.next()) {
    if (outcome.kind !== 'needs') return outcome;
    run.settle(new Map(outcome.asks.map(({ id }) => [id, finished() as never])));
  }
}
const urlIn = (outcome: { kind: string; error?: unknown }): string | undefined =>
  (outcome.error as { elicitations?: { url: string }[] } | undefined)?.elicitations?.[0]?.url;

it('the first attempt ends with the link, and asks for word of the end; the next names the same page', async () => {
  const on = scene(urlMode);
  const first = await attempt(on);
  expect(on.audited).toEqual([{ kind: 'asked', ask: expect.any(String), channel: 'native' }]);
  const second = await attempt(on);
  expect(first).toMatchObject({
    kind: 'failed',
    error: { code: -32042, elicitations: [{ mode: 'url', message: 'Sign', elicitationId: 'id-2' }] },
  });
  expect([urlIn(first), urlIn(second)]).toEqual(['https://p.example/page-1', 'https://p.example/page-1']);
  expect([on.opened.length, on.log]).toEqual([1, ['notify page-1 id-2 120000']]);
  expect(on.audited).toEqual([{ kind: 'asked', ask: expect.any(String), channel: 'native' }]);
});

it('the attempt after the page was finished gets its answer, once; the one after opens another page', async () => {
  const on = scene(urlMode);
  await attempt(on);
  on.outcomes.set('page-1', done);
  expect(await attempt(on)).toMatchObject({ kind: 'done', result: { action: 'accept', content: 7 } });
  expect(urlIn(await attempt(on))).toMatch(/page-\d/);
  expect(on.opened.length).toBe(2);
});

it('a replay goes on with the answer that was recorded, whatever has become of the page since', async () => {
  const on = scene(urlMode);
  await attempt(on);
  on.outcomes.set('page-1', done);
  const run = on.begin(put => put(told));
  const outcome = await run.next();
  if (outcome.kind !== 'needs') throw new Error(outcome.kind);
  run.settle(new Map(outcome.asks.map(({ id }) => [id, finished() as never])));
  expect((await run.next()).kind).toBe('done');
  on.outcomes.clear();
  const again = await on.begin(put => put(told), run.journal).next();
  expect(again).toMatchObject({ kind: 'done', result: { action: 'accept', content: 7 } });
});

it('a page that cannot be opened, or is announced in another way, is nothing to come back for', async () => {
  const away = scene({
    ...urlMode,
    open: () => Promise.reject(new MidcallError('connect/unavailable', 'No address.')),
  });
  expect(await attempt(away)).toMatchObject({ kind: 'done', result: { action: 'cancel', reason: 'unavailable' } });
  const form = scene({ can: { form: true } });
  const run = form.begin(put => put(told));
  expect([(await run.next()).kind, form.log]).toEqual(['needs', []]);
  expect(urlIn(await attempt(scene(urlMode)))).toBeDefined();
});

it('a page whose time is up is opened anew', async () => {
  const on = scene(urlMode);
  await attempt(on);
  on.clock.now = NOW + 59_999;
  expect(urlIn(await attempt(on))).toBe('https://p.example/page-1');
  on.clock.now = NOW + 60_000;
  expect(urlIn(await attempt(on))).toBe('https://p.example/page-3');
  expect([on.opened.length, on.opened[1]!.dueAt]).toEqual([2, NOW + 120_000]);
});

it('a page that was sent in time is not asked anew when its time is up: the attempt waits for what becomes of it', async () => {
  const on = scene({ ...urlMode, answered: () => true });
  await attempt(on);
  on.clock.now = NOW + 59_999;
  expect(urlIn(await attempt(on))).toBe('https://p.example/page-1');
  on.clock.now = NOW + 60_000;
  expect(await attempt(on)).toMatchObject({ kind: 'done', result: { action: 'accept', content: 7 } });
  expect(on.opened.length).toBe(1);
});

it('two attempts at once share one page: the one that comes later withdraws its own', async () => {
  let go = (): void => {};
  const both = new Promise<void>(resolve => {
    go = resolve;
  });
  const on = scene({
    ...urlMode,
    async open({ pageId }) {
      if (on.opened.length === 2) go();
      await both;
      return { url: `https://p.example/${pageId}` };
    },
  });
  const urls = (await Promise.all([attempt(on), attempt(on)])).map(urlIn);
  expect([on.opened.length, new Set(urls).size]).toEqual([2, 1]);
  const [kept] = on.opened.filter(({ pageId }) => urls[0]!.endsWith(pageId));
  const [other] = on.opened.filter(each => each !== kept);
  const notified = on.log.filter(each => each.startsWith('notify'));
  expect(notified).toEqual([expect.stringMatching(new RegExp(`^notify ${kept!.pageId} `))]);
  expect(on.log.filter(each => each.startsWith('withdraw'))).toEqual([`withdraw ${other!.pageId}`]);
});

it('other questions have pages of their own', async () => {
  const on = scene(urlMode);
  const urls: (string | undefined)[] = [];
  for (const differs of [
    {},
    { message: 'Other' },
    { key: 'k' },
    { page: { kind: 'confirm', data: { a: 2 } } },
    { page: { kind: 'secret', data: { a: 1 } } },
  ])
    urls.push(urlIn(await attempt(on, put => put({ ...told, ...differs }))));
  expect(new Set(urls).size).toBe(5);
});

const step = (run: Parameters<Handler>[1]) => run.step('act', () => ({ run: () => 1, idempotent: false }));

it('after a step the client is asked in URL mode, since its next call would do the step again', async () => {
  const on = scene(urlMode);
  const run = on.begin(async (put, own) => {
    await step(own);
    return put(told);
  });
  const outcome = await run.next();
  expect(outcome).toMatchObject({ kind: 'needs', asks: [{ detail: { params: { mode: 'url', message: 'Sign' } } }] });
  expect(run.journal.at(-1)!.value).toMatchObject({ at: { announce: 'url' } });
  // No attempt comes for this page, and nobody is notified of its end.
  expect(on.log).toEqual([]);
});

it('a finished page is put back where the call ends with another page, unless a step acted on its answer', async () => {
  for (const acts of [false, true]) {
    let begin = (): void => {};
    let acted: Promise<unknown> = Promise.resolve();
    const on = scene({
      ...urlMode,
      async open({ pageId, message }) {
        if (message === 'Then this') begin();
        await acted;
        return { url: `https://p.example/${pageId}` };
      },
    });
    const go = () =>
      attempt(on, async (put, run) => {
        const first = await put(told);
        // By something else than the handler's own course, while the page is opened.
        begin = () => {
          if (acts) acted = step(run);
        };
        return [first, await put({ ...told, message: 'Then this' })];
      });
    await go();
    on.outcomes.set('page-1', done);
    const second = await go();
    expect(second).toMatchObject({ kind: 'failed', error: { code: -32042, elicitations: [{ message: 'Then this' }] } });
    on.outcomes.set(on.opened[1]!.pageId, done);
    const third = await go();
    expect([third.kind, on.opened.length]).toEqual(acts ? ['failed', 3] : ['done', 2]);
  }
});

it('a page that was announced is kept where another attempt took it for unfinished, until its time is up', async () => {
  const on = scene(urlMode);
  await attempt(on);
  // Finished as it is looked at first, and not any more once it is taken: as where a store answers late.
  let looks = 0;
  const { outcome } = on.config.pages!;
  on.config.pages!.outcome = async (id, ms) => {
    looks += 1;
    return looks === 1 ? done : outcome(id, ms);
  };
  expect(urlIn(await attempt(on))).toBe('https://p.example/page-1');
  expect(on.opened.length).toBe(1);
});

it('an error is only for clients that open pages and are asked by requests; a code is shown where it can be', async () => {
  const announce = async (given: Parameters<typeof scene>[0], asked = told) => {
    const on = scene(given);
    const run = on.begin(put => put(asked));
    await run.next();
    const plan = run.journal[0]?.value as unknown as { at?: Announced };
    return plan?.at?.announce;
  };
  expect(await announce(urlMode)).toBe('error');
  expect(await announce({ ...urlMode, asks: 'rounds' })).toBe('url');
  expect(await announce({ ...urlMode, check: 'code' }, { ...told, assurance: 'out-of-band' } as never)).toBe('url');
  expect(await announce({ can: { form: true } })).toBe('form');
  expect(await announce({ can: { form: true, url: true }, channels: ['page'] })).toBe('form');
  expect(await announce({ ...urlMode, channels: ['page'] })).toBe('link');
  expect(await announce({ ...urlMode, channels: ['native'], asks: 'none' })).toBeUndefined();
  expect(await announce({ ...urlMode, asks: 'none' })).toBe('link');
  expect(await announce({ local: true, browser: true })).toBe('browser');
  expect(await announce({ local: true, browser: true, http: true })).toBe('link');
  // Named by the question: a page where the server has it switched off, and no other channel.
  expect(
    await announce({ can: { form: true, url: true }, channels: ['native'] }, { ...told, channels: ['page'] } as never),
  ).toBe('form');
  expect(await announce({ can: { form: true, url: true } }, { ...told, channels: ['native'] } as never)).toBe('error');
  // Switched off, a channel is taken for no question that names it beside another.
  const both = { ...told, channels: ['native', 'page'] } as never;
  expect(await announce({ can: { form: true, url: true }, channels: ['page'] }, both)).toBe('form');
});
