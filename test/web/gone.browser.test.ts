/** A desk that has died: its pages say so, say what to do, and keep what was typed. */
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { browsersFile } from '@midcall/host/web';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { intercept, known, launch, leaveBrowser, type Visitor, violations, visitor } from './browser.ts';
import { builtClient, everyField, openPage, type Stage, stage } from './stage.ts';

let browser: Browser;
beforeAll(async () => {
  browser = await launch();
});
afterAll(() => leaveBrowser(browser));

/** Counts on every page, as `data-failed`, how often its stream of events has failed. */
async function countFailures(context: BrowserContext): Promise<void> {
  await context.addInitScript(() => {
    const Real = window.EventSource;
    window.EventSource = class extends Real {
      constructor(url: string | URL) {
        super(url);
        this.addEventListener('error', () => {
          const { dataset } = document.documentElement;
          dataset['failed'] = `${dataset['failed'] ?? ''}x`;
        });
      }
    };
  });
}

const failed = (page: Page, times: number) =>
  page.locator(`html[data-failed^="${'x'.repeat(times)}"]`).waitFor({ state: 'attached' });

/** What the one box of a page says, of which only that is visible. */
const gone = (page: Page) => page.getByText('The desk has stopped or is not responding.');
const notSent = (page: Page) => page.getByText('This was not sent.', { exact: true });
const inDoubt = (page: Page) => page.getByText('The desk may not have received this.');

/** Somebody on the page of a question, whose clock only goes when it is told to. */
async function waiting(on: Stage, path: string): Promise<Visitor> {
  const me = await visitor(browser);
  // Stopped before there is a page, which takes a clock that leaps ahead for a device that has slept.
  await me.context.clock.install();
  await me.context.clock.pauseAt(Date.now() + 3_600_000);
  await countFailures(me.context);
  await me.page.goto(on.desk.startUrl());
  await me.page.goto(new URL(path, on.desk.url).href);
  await me.page.getByRole('article').first().waitFor();
  return me;
}

it('a desk that has died is said to be so on every page, however often the browser tries to reach it', async () => {
  await using on = await stage({ client: builtClient });
  void on.inbox.ask(everyField('g-1'));
  await using me = await waiting(on, 'calls/g-1');
  const other = await me.context.newPage();
  await other.goto(me.page.url());
  await other.getByRole('article').waitFor();
  await on.desk.stop({ within: 0 });
  await failed(me.page, 1);
  // It is not said before the stream was opened in vain a second time.
  for (const [times, ms] of [
    [2, 1_000],
    [3, 2_000],
  ] as const) {
    await me.context.clock.runFor(ms);
    await failed(me.page, times);
    for (const page of [me.page, other]) expect(await gone(page).isVisible()).toBe(false);
  }
  await me.context.clock.runFor(5_000);
  for (const page of [me.page, other]) {
    await gone(page).waitFor();
    const notice = page.getByRole('alert');
    expect(await notice.getByText('start the desk again in its terminal').isVisible()).toBe(true);
    expect(await notSent(page).isVisible()).toBe(false);
    expect(await inDoubt(page).isVisible()).toBe(false);
  }
  expect(await violations(me.page)).toEqual([]);
});

it('the form and what is in it stay when the desk has died, whatever is pressed', async () => {
  await using on = await stage({ client: builtClient });
  void on.inbox.ask(everyField('g-2'));
  await using me = await waiting(on, 'calls/g-2');
  const { page } = me;
  const url = page.url();
  const name = page.getByLabel('Full name');
  await name.fill('Ada Lovelace');
  await on.desk.stop({ within: 0 });
  await failed(page, 1);
  await page.getByRole('button', { name: 'Send answer' }).click();
  await inDoubt(page).waitFor();
  for (const [part, button] of [
    ['history', page.getByRole('link', { name: 'History' })],
    ['cancel', page.getByRole('button', { name: 'Cancel the call' })],
    ['add', page.getByRole('link', { name: 'Add a server' })],
  ] as const) {
    const tried = page.waitForEvent('requestfailed', each => each.url().endsWith(part));
    await button.click();
    await tried;
  }
  await gone(page).waitFor();
  expect([page.url(), await name.inputValue()]).toEqual([url, 'Ada Lovelace']);
  expect(await violations(page)).toEqual([]);
});

it('the page says that nobody knows what became of an answer that was lost, and sends it no second time', async () => {
  await using on = await stage({ client: builtClient });
  void on.inbox.ask(everyField('g-3'));
  await using me = await waiting(on, 'calls/g-3');
  let sent = 0;
  await intercept(me.page, me.page.url(), route => route.abort());
  await intercept(me.page, /\/questions\/[^/]+$/, route => {
    sent += 1;
    return route.abort('connectionreset');
  });
  await me.page.getByLabel('Full name').fill('Ada Lovelace');
  await me.page.getByRole('button', { name: 'Send answer' }).click();
  await inDoubt(me.page).waitFor();
  expect(await gone(me.page).isVisible()).toBe(false);
  expect([sent, await me.page.getByLabel('Full name').inputValue()]).toEqual([1, 'Ada Lovelace']);
  await me.page.unrouteAll();
  await me.page.getByRole('button', { name: 'Decline' }).click();
  await me.page.locator('.ending-declined').waitFor();
  expect(await me.page.getByRole('alert').isVisible()).toBe(false);
});

it('an answer that was lost is said to be in doubt until the page shows what became of its question', async () => {
  await using on = await stage({ client: builtClient });
  const question = everyField('g-4');
  void on.inbox.ask(question);
  await using me = await waiting(on, 'calls/g-4');
  const { page } = me;
  let showPage = (): void => {};
  const mayShow = new Promise<void>(resolve => (showPage = resolve));
  await intercept(page, page.url(), async route => {
    await mayShow;
    await route.continue();
  });
  await intercept(page, /\/questions\/[^/]+$/, route => {
    on.inbox.end(question.id, { how: 'withdrawn' });
    return route.abort('connectionreset');
  });
  await page.getByLabel('Full name').fill('Ada Lovelace');
  await page.getByRole('button', { name: 'Send answer' }).click();
  await inDoubt(page).waitFor();
  showPage();
  await page.locator('.ending-withdrawn').waitFor();
  expect(await inDoubt(page).isVisible()).toBe(false);
});

it('what was typed stays when the desk was started again, and the page leads to that desk in another tab', async () => {
  const browsers = browsersFile(join(mkdtempSync(join(tmpdir(), 'midcall-gone-')), 'browsers.json'));
  let port = 0;
  await using me = await visitor(browser);
  await countFailures(me.context);
  // A desk that stops ends its questions, of which this page is not told.
  await me.page.route(/\/events\?/, route => route.abort());
  const name = me.page.getByLabel('Full name');
  {
    await using before = await stage({ client: builtClient, browsers });
    port = Number(new URL(before.desk.url).port);
    void before.inbox.ask(everyField('g-6'));
    await me.page.goto(before.desk.startUrl());
    await me.page.goto(new URL('calls/g-6', before.desk.url).href);
    await known(me.page);
    await name.fill('Ada Lovelace');
    await failed(me.page, 1);
  }
  await using after = await stage({ client: builtClient, browsers, port });
  await me.page.getByRole('button', { name: 'Send answer' }).click();
  const box = me.page.getByRole('alert').filter({ hasText: 'The desk no longer knows this page.' });
  await box.waitFor();
  expect(await name.inputValue()).toBe('Ada Lovelace');
  expect(await violations(me.page)).toEqual([]);
  const opened = me.context.waitForEvent('page');
  await box.getByRole('link', { name: 'Open the desk' }).click();
  await (await opened).waitForURL(after.desk.url);
  expect(await name.inputValue()).toBe('Ada Lovelace');
});

it('what was typed in a question that has ended stays to be copied when the desk was started again', async () => {
  let port = 0;
  await using me = await visitor(browser);
  const left = me.page.locator('.left-over').filter({ hasText: 'Ada Lovelace' });
  const question = everyField('g-7');
  {
    await using before = await stage({ client: builtClient });
    port = Number(new URL(before.desk.url).port);
    void before.inbox.ask(question);
    await me.page.goto(before.desk.startUrl());
    await me.page.goto(new URL('calls/g-7', before.desk.url).href);
    await me.page.getByLabel('Full name').fill('Ada Lovelace');
    before.inbox.end(question.id, { how: 'withdrawn' });
    await left.waitFor();
  }
  await using _after = await stage({ client: builtClient, port });
  const refused = me.page.waitForResponse(each => each.status() === 401 && each.url().endsWith('/calls/g-7'));
  await me.page.evaluate(() => window.dispatchEvent(new Event('online')));
  await refused;
  await me.page.evaluate(() => fetch(location.href));
  expect(await left.isVisible()).toBe(true);
});

it('no tab of the browser’s own error is opened where a page was to be opened', async () => {
  await using on = await stage({ client: builtClient });
  const question = openPage('https://pages.example/connect');
  void on.inbox.ask(question);
  await using me = await waiting(on, `questions/${question.id}`);
  await on.desk.stop({ within: 0 });
  await failed(me.page, 1);
  await me.page.getByRole('button', { name: 'Open the page' }).click();
  await notSent(me.page).waitFor();
  await gone(me.page).waitFor();
  expect(me.context.pages()).toHaveLength(1);
});

it('the notice that the desk has died is taken back once it answers again', async () => {
  await using on = await stage({ client: builtClient });
  void on.inbox.ask(everyField('g-5'));
  await using me = await visitor(browser);
  await me.context.clock.install();
  await countFailures(me.context);
  await me.context.route(/\/events\?/, route => route.abort());
  await me.page.goto(on.desk.startUrl());
  await failed(me.page, 1);
  await me.context.clock.runFor(5_000);
  await gone(me.page).waitFor();
  await me.context.unrouteAll();
  await gone(me.page).waitFor({ state: 'hidden' });
});
