/** Links and the way back: the next page is shown in place of this one, as if it had been loaded. */
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { launch, nextPage, type Visitor, visitor } from './browser.ts';
import { builtClient, everyField, pickOne, stageOfFile } from './stage.ts';

const on = await stageOfFile({ client: builtClient });
let browser: Browser;
let person: Visitor;
beforeAll(async () => {
  browser = await launch();
  person = await visitor(browser);
  await person.page.goto(on.desk.startUrl());
  await person.page.goto('about:blank');
});
afterAll(() => browser.close());

const at = (path: string): string => new URL(path.replace(/^\//, ''), on.desk.url).href;

/** Opens a page, and marks it, so that it can be told from one that is loaded. */
async function open(page: Page, path: string): Promise<void> {
  await page.goto(at(path));
  await page.locator('body.scripted').waitFor();
  await page.evaluate(() => Object.assign(window, { same: true }));
}
const isSame = (page: Page): Promise<boolean> => page.evaluate(() => 'same' in window);
const what = (page: Page) => page.locator('[name=what]').first();
const pages = (page: Page, name: string) => page.locator('.pages').getByRole('link', { name, exact: true });

it('shows the page of a link in place of this one, from its top and with the cursor where one types', async () => {
  await using me = await nextPage(person);
  const { page } = me;
  await page.setViewportSize({ width: 1000, height: 500 });
  await open(page, '/add');
  await what(page).fill('typed here');
  await page.evaluate(() => window.scrollTo(0, 120));
  // A pointer would be brought to the link first, and the page with it.
  await pages(page, 'Policy').dispatchEvent('click');
  await page.waitForURL(at('/policy'));
  expect(await page.title()).toContain('Policy');
  expect(await page.locator('#announce').textContent()).toBe(await page.title());
  expect(await page.evaluate(() => [window.scrollY, document.activeElement?.id])).toEqual([0, 'main']);
  // The browser's way back leads to where one had scrolled to, and forward again to the page that was left.
  await page.goBack();
  await page.locator('[name=what]:focus').waitFor();
  expect(await what(page).inputValue()).toBe('');
  await page.waitForFunction(() => window.scrollY === 120);
  await page.goForward();
  await page.locator('h1', { hasText: 'Policy' }).waitFor();
  expect(await isSame(page)).toBe(true);
  expect(me.troubles).toEqual([]);
});

it('follow-F3: leads to the place that an address names, and to the call of a question', async () => {
  await using me = await nextPage(person);
  const { page } = me;
  const question = everyField('follow-1');
  void on.inbox.ask(question);
  await open(page, '/history');
  await page.locator('.inbox-item').first().click();
  await page.waitForURL(`${at('/calls/follow-1')}#q-${question.id}`);
  await page.locator('[name=f0]:focus').waitFor();
  // What was typed reaches the desk before the page is left.
  await page.locator('[name=f0]').fill('Ada Lovelace');
  await pages(page, 'History').click();
  await page.waitForURL(at('/history'));
  await page.goBack();
  await page.waitForFunction(() => document.querySelector<HTMLInputElement>('[name=f0]')?.value === 'Ada Lovelace');
  expect(await isSame(page)).toBe(true);
  on.inbox.end(question.id, { how: 'withdrawn' });
  await page.locator('.ending-withdrawn').waitFor();
  expect(me.troubles).toEqual([]);
});

it('follow-F2: shows the last of the links that are followed quickly, and stays where somebody goes on with this page', async () => {
  await using me = await nextPage(person);
  const { page } = me;
  await open(page, '/add');
  const held: (() => void)[] = [];
  await page.route('**/roots', async route => {
    await new Promise<void>(resolve => held.push(resolve));
    await route.continue().catch(() => {});
  });
  const asked = () => page.waitForRequest(/\/roots$/);
  await Promise.all([asked(), pages(page, 'Roots').click()]);
  await pages(page, 'Policy').click();
  await page.waitForURL(at('/policy'));
  await open(page, '/add');
  await Promise.all([asked(), pages(page, 'Roots').click()]);
  await what(page).fill('node server.mjs');
  for (const release of held) release();
  await pages(page, 'Audit log').click();
  await page.waitForURL(at('/audit'));
  await page.goBack();
  await what(page).waitFor();
  expect(page.url()).toBe(at('/add'));
  expect(me.troubles).toEqual([]);
});

it('follow-F1: leaves to the browser what is no page, and what is to open elsewhere', async () => {
  await using me = await nextPage(person);
  const { page } = me;
  await open(page, '/audit');
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByText('Export', { exact: false }).first().click(),
  ]);
  expect(download.suggestedFilename()).toBe('midcall-audit.jsonl');
  const [tab] = await Promise.all([
    me.context.waitForEvent('page'),
    pages(page, 'Roots').click({ modifiers: ['Control'] }),
  ]);
  await tab.waitForURL(at('/roots'));
  expect([page.url(), await isSame(page)]).toEqual([at('/audit'), true]);
  expect(me.troubles).toEqual([]);
});

it('follow-F4: stays where it is, and says so, where the desk does not answer', async () => {
  await using me = await nextPage(person);
  const { page } = me;
  await open(page, '/add');
  await page.route('**/roots', route => route.abort());
  await pages(page, 'Roots').click();
  await page.locator('#offline').waitFor();
  expect([page.url(), await isSame(page)]).toEqual([at('/add'), true]);
});

it('fetches the page that came with a question if something was left out of it that this one does not have', async () => {
  await using me = await nextPage(person);
  const { page } = me;
  await open(page, '/calls/follow-1');
  const put = async (): Promise<number> => {
    const question = pickOne('follow-1');
    void on.inbox.ask(question);
    await page.locator(`[id="q-${question.id}"]`).waitFor();
    const links = await pages(page, 'Roots').count();
    on.inbox.end(question.id, { how: 'withdrawn' });
    await page.locator(`[id="q-${question.id}-end"]`).waitFor();
    return links;
  };
  expect(await put()).toBe(1);
  await page.evaluate(() => document.querySelector('.pages')!.remove());
  expect(await put()).toBe(1);
  expect(me.troubles).toEqual([]);
});
