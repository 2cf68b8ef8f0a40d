/** An open page of the inbox or the desk shows what is so, whatever becomes of its stream of changes and of single answers. */
import type { FormQuestion } from '@midcall/host';
import type { Browser, Page, Route } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { intercept, launch, leaveBrowser, visitor } from './browser.ts';
import { personStage } from './person-stage.ts';
import { builtClient, everyField, pickOne, stage } from './stage.ts';

let browser: Browser;
beforeAll(async () => {
  browser = await launch();
});
afterAll(() => leaveBrowser(browser));

const events = /\/events\?/;

/** Somebody who is signed in to an inbox; the clock of their pages can be moved on. */
async function enter() {
  const on = await personStage({ client: builtClient });
  const me = await visitor(browser);
  onTestFinished(async () => {
    await me[Symbol.asyncDispose]();
    await on[Symbol.asyncDispose]();
    expect(on.errors).toEqual([]);
  });
  await me.context.clock.install();
  const ask = (message: string) => void on.questions.ask(oneLine(message));
  /** Resolves when as many streams are open. */
  const listeners = (count: number) => expect.poll(() => on.questions.listeners, { timeout: 120_000 }).toBe(count);
  return { on, ...me, ask, listeners };
}

/** A form with one line of text. */
const oneLine = (message: string): FormQuestion => ({
  ...pickOne(undefined),
  message,
  fields: [{ kind: 'text', name: 'colour', title: 'Colour', required: true }],
});

const asked = (page: Page, message: string) => page.locator('.person-list .inbox-item').filter({ hasText: message });
const waiting = (page: Page, count: number) => page.locator('.inbox-count').filter({ hasText: `${count}` });
const signedOut = (page: Page) => page.getByText('You are signed out.').filter({ visible: true });
const cannotBeReached = (page: Page) => page.getByText('The inbox cannot be reached.');

/** Marks a page, to tell whether it is loaded anew. @returns whether it still has the mark */
async function mark(page: Page): Promise<() => Promise<boolean>> {
  await page.evaluate(() => Object.assign(window, { marked: true }));
  return () => page.evaluate(() => 'marked' in window);
}

/** Opens the page of a question and types into it. */
async function typeIn({ on, page }: Awaited<ReturnType<typeof enter>>): Promise<() => Promise<string>> {
  const question = oneLine('Which colour?');
  void on.questions.ask(question);
  await page.goto(`${on.url}/questions/${question.id}`);
  const colour = page.getByLabel('Colour');
  await colour.fill('half a wo');
  return () => colour.inputValue();
}

/** Answers the first requests as told, and lets the others pass. */
function firstly(times: number, answer: (route: Route) => unknown): (route: Route) => unknown {
  let left = times;
  return route => {
    left -= 1;
    return left >= 0 ? answer(route) : route.continue();
  };
}

const refuse = (route: Route) => route.fulfill({ status: 502, body: 'Bad gateway' });
const never = () => {};

/** What only a browser does by itself. */
const fire = (page: Page, type: 'pagehide' | 'pageshow') =>
  page.evaluate(name => void window.dispatchEvent(new PageTransitionEvent(name, { persisted: true })), type);

describe('a stream that is refused', () => {
  it('listening-E1: is opened again, and the page is not loaded anew', async () => {
    const { on, page, ask, listeners } = await enter();
    await page.goto(`${on.url}/`);
    const isSame = await mark(page);
    await listeners(1);
    await intercept(page, events, firstly(2, refuse));
    on.pages.close();
    await listeners(1);
    ask('After the refusal');
    await asked(page, 'After the refusal').waitFor();
    expect(await isSame()).toBe(true);
  });

  it('is opened again where somebody is typing, and the page says only for so long that the inbox cannot be reached', async () => {
    const me = await enter();
    const { on, page, ask, listeners } = me;
    const typed = await typeIn(me);
    await listeners(1);
    for (const each of [events, page.url()]) await intercept(page, each, refuse);
    on.pages.close();
    await cannotBeReached(page).waitFor();
    await page.unrouteAll();
    await cannotBeReached(page).waitFor({ state: 'hidden' });
    await listeners(1);
    ask('After the refusal');
    await waiting(page, 2).waitFor();
    expect(await typed()).toBe('half a wo');
  });

  it.each([
    ['refused', refuse, 0],
    ['not answered', never, 60_000],
  ])(
    'listening-E4: where it is always %s, the page fetches itself, and is not loaded anew',
    async (_, answer, after) => {
      const { on, page, context, ask } = await enter();
      await page.route(events, answer);
      const tried = page.waitForRequest(events);
      await page.goto(`${on.url}/`);
      const isSame = await mark(page);
      await tried;
      ask('Without a stream');
      await context.clock.fastForward(after);
      await asked(page, 'Without a stream').waitFor();
      await cannotBeReached(page).waitFor({ state: 'hidden' });
      expect(await isSame()).toBe(true);
    },
  );

  it('says that the session has ended where somebody is typing, and not that the inbox cannot be reached', async () => {
    const me = await enter();
    const { on, page, context, listeners } = me;
    const typed = await typeIn(me);
    await listeners(1);
    on.isSignedIn = false;
    on.pages.close();
    await signedOut(page).waitFor();
    // Nor while it is not known yet whether that is still so.
    await intercept(page, page.url(), never);
    const again = page.waitForResponse(events);
    await context.clock.runFor(20_000);
    await again;
    await context.clock.runFor(2_000);
    expect(await cannotBeReached(page).isVisible()).toBe(false);
    expect(await signedOut(page).isVisible()).toBe(true);
    expect(await typed()).toBe('half a wo');
  });
});

describe('an answer that does not come', () => {
  it('a page that was answered with anything else is fetched again, and says that it cannot be reached until then', async () => {
    const { on, page, ask, listeners } = await enter();
    await page.goto(`${on.url}/`);
    await listeners(1);
    await intercept(page, `${on.url}/`, refuse);
    ask('Once only');
    await cannotBeReached(page).waitFor();
    await page.unrouteAll();
    await asked(page, 'Once only').waitFor();
    await cannotBeReached(page).waitFor({ state: 'hidden' });
  });

  it('a page that is not answered is fetched again after a while', async () => {
    const { on, page, context, ask, listeners } = await enter();
    await page.goto(`${on.url}/`);
    await listeners(1);
    let isHeld = true;
    let held = (): void => {};
    const hangs = new Promise<void>(resolve => (held = resolve));
    await intercept(page, `${on.url}/`, route => (isHeld ? held() : route.continue()));
    ask('After a while');
    await hangs;
    isHeld = false;
    await context.clock.fastForward(20_000);
    await asked(page, 'After a while').waitFor();
  });

  it('a check of what is typed that is not answered holds the page up only for a while', async () => {
    const me = await enter();
    const { on, page, context, ask, listeners } = me;
    await page.route(/\/check$/, never);
    const hangs = page.waitForRequest(/\/check$/);
    const typed = await typeIn(me);
    await listeners(1);
    await hangs;
    ask('After a while');
    await context.clock.fastForward(20_000);
    await waiting(page, 2).waitFor();
    expect([await typed(), on.questions.listeners]).toEqual(['half a wo', 1]);
  });
});

describe('silence', () => {
  it('listening-E2: a stream that has ended without a sign is opened again, and what was missed is shown', async () => {
    const { on, page, context, ask, listeners } = await enter();
    await page.goto(`${on.url}/`);
    await listeners(1);
    ask('Heard');
    await asked(page, 'Heard').waitFor();
    on.questions.deafen();
    ask('Missed');
    await context.clock.fastForward(60_000);
    await listeners(1);
    await asked(page, 'Missed').waitFor();
  });

  it('listening-E2: a page listens in the place of one that was stopped', async () => {
    const { on, page, context, ask } = await enter();
    const stopped = await context.newPage();
    await context.route(`${on.origin}/stopped`, route => route.fulfill({ contentType: 'text/html', body: '' }));
    await stopped.goto(`${on.origin}/stopped`);
    await stopped.evaluate(
      name =>
        new Promise<void>(resolve => {
          const hold = () => {
            resolve();
            return new Promise(() => {});
          };
          navigator.locks.request(name, hold).catch(() => {});
        }),
      `midcall-events ${new URL(on.url).pathname}`,
    );
    await page.goto(`${on.url}/`);
    await page.locator('body.scripted').waitFor();
    ask('Unheard');
    await context.clock.fastForward(60_000);
    await asked(page, 'Unheard').waitFor();
  });

  it('listening-E2: a page that is looked at again listens if it has heard nothing, and the one that listened no longer does', async () => {
    const { on, page, context, ask, listeners } = await enter();
    await page.goto(`${on.url}/`);
    await listeners(1);
    const other = await context.newPage();
    await other.goto(`${on.url}/`);
    await other.locator('body.scripted').waitFor();
    const taken = other.waitForResponse(events);
    await other.evaluate(() => {
      const { now } = Date;
      Date.now = () => now() + 60_000;
      document.dispatchEvent(new Event('visibilitychange'));
      Date.now = now;
    });
    await taken;
    await listeners(1);
    ask('Heard by both');
    for (const each of [page, other]) await asked(each, 'Heard by both').waitFor();
  });
});

describe('a page that the browser has kept', () => {
  it('keeps what was typed, and listens again', async () => {
    const me = await enter();
    const { page, ask, listeners } = me;
    const typed = await typeIn(me);
    const isSame = await mark(page);
    await listeners(1);
    await fire(page, 'pagehide');
    await listeners(0);
    ask('While away');
    await intercept(
      page,
      page.url(),
      firstly(1, route => route.abort()),
    );
    await fire(page, 'pageshow');
    await waiting(page, 2).waitFor();
    await listeners(1);
    ask('Since');
    await waiting(page, 3).waitFor();
    expect([await typed(), await isSame()]).toEqual(['half a wo', true]);
  });

  it('leads to signing in once the person has signed out on it', async () => {
    const { on, page, listeners } = await enter();
    await page.goto(`${on.url}/sign-out`);
    await listeners(1);
    await page.route('**/sign-out', route => {
      if (route.request().method() === 'GET') return route.continue();
      on.isSignedIn = false;
      // Where nothing takes the place of a page, it stays as it was, like one that is kept.
      return route.fulfill({ status: 204 });
    });
    const isAnswered = page.waitForResponse(each => each.request().method() === 'POST');
    await page.getByRole('button', { name: 'Sign out of this browser' }).click();
    await isAnswered;
    // A page that has only now been loaded whole is shown for the first time: to load it anew would break off the signing out.
    await page.evaluate(async () => {
      window.dispatchEvent(new PageTransitionEvent('pageshow', { persisted: false }));
      await fetch(location.href);
    });
    await fire(page, 'pagehide');
    await fire(page, 'pageshow');
    await page.getByText('Your session has ended.').waitFor();
  });
});

it('listening-E3: a page of the desk that listens in the place of a closed one sounds no alert for what that one has said', async () => {
  await using on = await stage({ client: builtClient });
  await using me = await visitor(browser);
  await me.context.addInitScript(() => {
    localStorage.setItem('midcall.alerts', 'on');
    const sink = { connect() {}, gain: { setValueAtTime() {}, exponentialRampToValueAtTime() {} } };
    const sound = () => {
      const { dataset } = document.documentElement;
      dataset['tones'] = `${dataset['tones'] ?? ''}x`;
    };
    class Audio {
      resume = async () => {};
      createGain = () => sink;
      createOscillator = () => ({ ...sink, frequency: {}, start: sound, stop() {} });
    }
    Object.assign(window, { AudioContext: Audio });
  });
  await me.page.goto(on.desk.startUrl());
  const other = await me.context.newPage();
  await other.goto(on.desk.url);
  const said = (text: string) => other.locator('#announce', { hasText: text }).waitFor({ state: 'attached' });
  const old = pickOne('old');
  void on.inbox.ask(old);
  await said('for notes_delete');
  on.inbox.end(old.id, { how: 'withdrawn' });
  await other.locator(`[data-key="i-${old.id}"]`).waitFor({ state: 'detached' });
  const taken = other.waitForResponse(events);
  await me.page.close();
  await taken;
  const next = everyField('next');
  void on.inbox.ask(next);
  await said('for profile_edit');
  expect(await other.evaluate(() => document.documentElement.dataset['tones'])).toBe('xx');
  on.inbox.end(next.id, { how: 'withdrawn' });
});
