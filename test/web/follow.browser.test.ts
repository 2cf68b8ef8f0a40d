/** Links and the way back: the next page is shown in place of this one, as if it had been loaded. */
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { commandTarget } from '@midcall/host';
import type { Browser, Page, Route } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { intercept, launch, leaveBrowser, nextPage, type Visitor, visitor } from './browser.ts';
import { builtClient, everyField, pickOne, stageOfFile, whenSo } from './stage.ts';

const server = join(mkdtempSync(join(tmpdir(), 'midcall-follow-')), 'server.mjs');
writeFileSync(
  server,
  `import { createInterface } from 'node:readline';
const property = { type: 'string' };
const inputSchema = { type: 'object', properties: { what: property, password: property } };
const tools = ['look', ...Array.from({ length: Number(process.argv[2] ?? 0) }, (_, at) => 'look-' + at)].map(name => ({ name, inputSchema }));
for await (const line of createInterface({ input: process.stdin })) {
  const { id, method, params } = JSON.parse(line);
  const reply = result => process.stdout.write(JSON.stringify({ jsonrpc: '2.0', id, result }) + '\\n');
  if (method === 'initialize') reply({ protocolVersion: '2025-11-25', capabilities: { tools: {} }, serverInfo: { name: 's', version: '1' } });
  else if (method === 'tools/list') reply({ tools });
  else if (method === 'tools/call') reply({ content: [{ type: 'text', text: 'Looked at ' + params.arguments.what }] });
  else if (id !== undefined) process.stdout.write(JSON.stringify({ jsonrpc: '2.0', id, error: { code: -32601, message: 'no' } }) + '\\n');
}`,
);

const on = await stageOfFile({ client: builtClient });
let browser: Browser;
let person: Visitor;
beforeAll(async () => {
  browser = await launch();
  person = await visitor(browser);
  await person.page.goto(on.desk.startUrl());
  await person.page.goto('about:blank');
});
afterAll(() => leaveBrowser(browser));

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

it('a link shows its page in place of this one, from its top and with the cursor where one types', async () => {
  await using me = await nextPage(person);
  const { page } = me;
  await page.setViewportSize({ width: 1000, height: 300 });
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

it('follow-F3: a link leads to the place that its address names, and to the call of a question', async () => {
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

/** Holds back what a path answers with, until it is let go. */
async function slow(page: Page, path: string | RegExp): Promise<() => void> {
  const held: (() => void)[] = [];
  await intercept(page, path, async route => {
    await new Promise<void>(resolve => held.push(resolve));
    await route.continue().catch(() => {});
  });
  return () => {
    for (const release of held) release();
  };
}

it('follow-F4: a page that takes its time is said to be on its way, and not to answer if that does not end', async () => {
  // The clock is that of all pages of a browser.
  await using me = await visitor(browser);
  const { page } = me;
  await page.goto(on.desk.startUrl());
  await open(page, '/add');
  await what(page).fill('node server.mjs');
  await intercept(page, '**/roots', () => {});
  await page.clock.install();
  await page.clock.pauseAt(Date.now() + 3_600_000);
  const line = page.getByRole('status').filter({ hasText: 'Opening…' });
  await Promise.all([page.waitForRequest(/\/roots$/), pages(page, 'Roots').click()]);
  expect(await line.isVisible()).toBe(false);
  await page.clock.runFor(300);
  await line.waitFor();
  await page.clock.runFor(30_000);
  await page.getByText('The desk has stopped or is not responding.').waitFor();
  expect(await line.isVisible()).toBe(false);
  await what(page).fill('node server.mjs --now');
  expect(await page.locator('#main').evaluate((main: HTMLElement) => main.inert)).toBe(false);
});

it('follow-F2: only the last of links followed quickly is shown, and none after Esc or where somebody goes on beside the page', async () => {
  await using me = await nextPage(person);
  const { page } = me;
  await open(page, '/add');
  const release = await slow(page, '**/roots');
  // A pointer would take the focus along.
  const leave = () => Promise.all([page.waitForRequest(/\/roots$/), pages(page, 'Roots').dispatchEvent('click')]);
  await leave();
  await pages(page, 'Policy').click();
  await page.waitForURL(at('/policy'));
  await open(page, '/add');
  await what(page).fill('node server.mjs');
  await leave();
  await page.keyboard.press('Escape');
  // The cursor is where it was, behind what was typed.
  await page.locator('[name=what]:focus').first().waitFor();
  await page.keyboard.type(' --loud');
  await leave();
  await page.locator('#side-find').fill('pol');
  expect(await page.locator('main').evaluate((main: HTMLElement) => main.inert)).toBe(false);
  release();
  expect(await what(page).inputValue()).toBe('node server.mjs --loud');
  await pages(page, 'Audit log').click();
  await page.waitForURL(at('/audit'));
  await page.goBack();
  await what(page).waitFor();
  expect(page.url()).toBe(at('/add'));
  expect(me.troubles).toEqual([]);
});

it('follow-F2: a link goes on to its page after an Esc that something else on this page has taken', async () => {
  await using me = await nextPage(person);
  const { page } = me;
  await open(page, '/add');
  const release = await slow(page, '**/roots');
  await Promise.all([page.waitForRequest(/\/roots$/), pages(page, 'Roots').dispatchEvent('click')]);
  const isLeft = await page.locator('main').evaluate((main: HTMLElement) => {
    document.body.addEventListener('keydown', event => event.preventDefault(), { once: true });
    document.body.dispatchEvent(new KeyboardEvent('keydown', { key: 'Escape', bubbles: true, cancelable: true }));
    return main.inert;
  });
  expect(isLeft).toBe(true);
  release();
  await page.waitForURL(at('/roots'));
  expect(await isSame(page)).toBe(true);
  expect(me.troubles).toEqual([]);
});

it('follow-F5: a page that is being left takes no input, also where it changes meanwhile', async () => {
  await using me = await nextPage(person);
  const { page } = me;
  await open(page, '/audit');
  const release = await slow(page, '**/history');
  const box = page.getByRole('searchbox').and(page.locator('main *'));
  await box.fill('old');
  await Promise.all([page.waitForRequest(/\/history$/), pages(page, 'History').click()]);
  const main = page.locator('main');
  expect(
    await main.evaluate(({ inert, ariaBusy, ariaDisabled }: HTMLElement) => [inert, ariaBusy, ariaDisabled]),
  ).toEqual([true, 'true', 'true']);
  const question = pickOne(undefined);
  void on.inbox.ask(question);
  await page.locator('.inbox-item').first().waitFor();
  expect(await main.evaluate(({ inert }: HTMLElement) => inert)).toBe(true);
  // Both pages have the field; it is filled in on the one that the link leads to.
  const filled = box.fill('new');
  release();
  await filled;
  expect([await box.inputValue(), page.url()]).toEqual(['new', at('/history')]);
  expect(await main.evaluate(({ inert, ariaBusy }: HTMLElement) => [inert, ariaBusy])).toEqual([false, null]);
  on.inbox.end(question.id, { how: 'withdrawn' });
  expect(me.troubles).toEqual([]);
});

it('follow-F5: the Esc that stays on its page dismisses no question', async () => {
  await using me = await nextPage(person);
  const { page } = me;
  const question = pickOne('follow-esc');
  void on.inbox.ask(question);
  await open(page, '/calls/follow-esc');
  await page.getByRole('radio').first().focus();
  await slow(page, '**/roots');
  const sent: string[] = [];
  page.on('request', request => request.method() === 'POST' && sent.push(request.url()));
  await Promise.all([page.waitForRequest(/\/roots$/), pages(page, 'Roots').dispatchEvent('click')]);
  await page.keyboard.press('Escape');
  await page.locator('main:not([inert])').waitFor();
  // Also where the key comes before the browser has rendered that the page is being left.
  await pages(page, 'Roots').evaluate((link: HTMLElement) => {
    link.click();
    document.activeElement!.dispatchEvent(
      new KeyboardEvent('keydown', { key: 'Escape', bubbles: true, cancelable: true }),
    );
  });
  expect(await page.locator('main').evaluate(({ inert }: HTMLElement) => inert)).toBe(false);
  // What was sent before is known by the time that this is answered.
  await page.evaluate(async () => (await fetch(location.href)).text());
  expect(sent).toEqual([]);
  await page.locator('input[type=radio]:focus').waitFor();
  expect(on.inbox.list().map(({ id }) => id)).toEqual([question.id]);
  on.inbox.end(question.id, { how: 'withdrawn' });
  expect(me.troubles).toEqual([]);
});

it('what a search finds is shown in place of this page, with the cursor where the next one is typed', async () => {
  await using me = await nextPage(person);
  const { page } = me;
  await open(page, '/history');
  await page.locator('#history-q').fill('sharp');
  await page.keyboard.press('Enter');
  await page.waitForURL(/history\?q=sharp&server=&outcome=$/);
  await page.locator('#history-q:focus').waitFor();
  await page.keyboard.type('en');
  await page.keyboard.press('Enter');
  await page.waitForURL(/history\?q=sharpen&/);
  expect(await page.locator('#announce').textContent()).toBe(await page.title());
  // The same once more is no other page.
  await page.locator('#history-q').press('Enter');
  await page.waitForFunction(() => !document.getElementById('main')!.inert);
  await page.locator('#history-q:focus').waitFor();
  // A search by its button leads to the page, as a link does.
  await page.locator('#history-outcome').selectOption('running');
  await page.locator('main').getByRole('button', { name: 'Search' }).click();
  await page.waitForURL(/outcome=running$/);
  await page.locator('main:focus').waitFor();
  await page.goBack();
  await page.waitForURL(/history\?q=sharpen&server=&outcome=$/);
  // The page that is left has the same words in its box, and another outcome.
  await page.waitForFunction(() => document.querySelector<HTMLSelectElement>('#history-outcome')?.value === '');
  expect(await page.locator('#history-q').inputValue()).toBe('sharpen');
  // The box beside every page, where nothing is found before it is typed out.
  await page.locator('#side-find').evaluate((box: HTMLInputElement) => box.form!.requestSubmit());
  await page.waitForURL(at('/find?q='));
  expect(await isSame(page)).toBe(true);
  expect(me.troubles).toEqual([]);
});

it('n and p lead from question to question in place of this page, from the one with the focus, however fast', async () => {
  await using me = await nextPage(person);
  const { page } = me;
  const asked = [pickOne('follow-n'), pickOne('follow-n'), pickOne('follow-o')];
  for (const question of asked) void on.inbox.ask(question);
  await open(page, '/history');
  const heading = (index: number) => page.locator(`[id="q-${asked[index]!.id}-who"]:focus`);
  await page.keyboard.press('n');
  await heading(0).waitFor();
  await page.keyboard.press('n');
  await heading(1).waitFor();
  await page.keyboard.press('n');
  await heading(2).waitFor();
  expect(new URL(page.url()).pathname).toBe(new URL(at('/calls/follow-o')).pathname);
  await page.evaluate(() => {
    for (const key of ['p', 'p']) document.body.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true }));
  });
  await heading(0).waitFor();
  expect(await isSame(page)).toBe(true);
  for (const { id } of asked) on.inbox.end(id, { how: 'withdrawn' });
  expect(me.troubles).toEqual([]);
});

it('follow-F1: what is no page, and what is to open elsewhere, is left to the browser', async () => {
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

it.each([
  ['the desk does not answer', (route: Route) => route.abort()],
  ['a proxy answers for it', (route: Route) => route.fulfill({ status: 502, contentType: 'text/html', body: 'Bad' })],
])('follow-F4: a page stays where it is, and says so, where %s', async (_, answer) => {
  await using me = await nextPage(person);
  const { page } = me;
  await open(page, '/add');
  await intercept(page, '**/roots', answer);
  await pages(page, 'Roots').click();
  await page.getByText('The desk has stopped or is not responding.').waitFor();
  expect([page.url(), await isSame(page)]).toEqual([at('/add'), true]);
  const main = page.locator('main');
  expect(
    await main.evaluate(({ inert, ariaBusy, ariaDisabled }: HTMLElement) => [inert, ariaBusy, ariaDisabled]),
  ).toEqual([false, null, null]);
  await what(page).fill('typed on');
});

it('the page that came with a question is fetched if something was left out of it that this one does not have', async () => {
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

it('the form of a call is filled in again but for secrets on the way back to it, and empty by a link', async () => {
  await using me = await nextPage(person);
  const { page } = me;
  await on.desk.workspace.servers.add({
    id: 'pond',
    target: { kind: 'command', command: process.execPath, args: [server] },
  });
  await whenSo(on.desk, () => on.desk.workspace.servers.get('pond')?.tools[0]);
  await open(page, '/servers/pond/tools/look');
  await page.locator('[name=f0]').fill('the heron');
  await page.locator('[name=f1]').fill('heron-pass-7715');
  await page.locator('main').getByRole('button', { name: 'Run' }).click();
  await page.waitForURL(/calls/);
  await page.goBack();
  await page.locator('.split-empty').waitFor();
  await page.waitForFunction(() => document.querySelector<HTMLInputElement>('[name=f0]')?.value === 'the heron');
  expect(await page.content()).not.toContain('heron-pass-7715');
  expect(await page.locator('[name=f1]').inputValue()).toBe('');
  expect(await isSame(page)).toBe(true);
  await page.reload();
  expect(await page.locator('[name=f0]').inputValue()).toBe('the heron');
  await page.locator('#side').getByRole('link', { name: 'look' }).click();
  await page.waitForURL(at('/servers/pond/tools/look'));
  expect(await page.locator('[name=f0]').inputValue()).toBe('');
  expect(me.troubles).toEqual([]);
});

it('the tools beside the page are folded once there are too many to list, and what the person unfolds stays', async () => {
  await using me = await nextPage(person);
  const { page } = me;
  const add = (id: string, ...more: readonly string[]) =>
    on.desk.workspace.servers.add({
      id,
      target: { kind: 'command', command: process.execPath, args: [server, ...more] },
    });
  await add('few');
  await open(page, '/policy');
  const group = page.locator('[data-fold=few]');
  await group.getByRole('link', { name: 'look' }).waitFor();
  await add('many', '40');
  await page.locator('[data-fold=few]:not([open])').waitFor({ state: 'attached' });
  await group.locator('summary').click();
  await group.getByRole('link', { name: 'look', exact: true }).waitFor();
  await on.desk.workspace.servers.remove('many');
  await page.locator('[data-fold=many]').waitFor({ state: 'detached' });
  expect(await group.getByRole('link', { name: 'look', exact: true }).isVisible()).toBe(true);
  expect(me.troubles).toEqual([]);
});

it('a call that fails after its page was left is said to, and what was typed is there again on the way back', async () => {
  await using me = await nextPage(person);
  const { page, troubles } = me;
  await on.desk.addServer({ id: 'left', target: commandTarget([process.execPath, server]) });
  await whenSo(on.desk, () => on.desk.workspace.servers.get('left')?.tools[0]);
  const calls = on.desk.workspace.calls.list().length;
  await open(page, '/servers/left/tools/look');
  await page.locator('[name=f0]').fill('the moon');
  let failNow = (): void => {};
  await intercept(page, '**/tools/look', async route => {
    if (route.request().method() !== 'POST') return route.continue();
    await new Promise<void>(resolve => {
      failNow = resolve;
    });
    await route.fulfill({ status: 500, contentType: 'text/html', body: 'Broken' });
  });
  await Promise.all([
    page.waitForRequest(each => each.method() === 'POST' && each.url().endsWith('/tools/look')),
    page.locator('#arguments-form .primary').click(),
  ]);
  await pages(page, 'Policy').click();
  await page.waitForURL(at('/policy'));
  failNow();
  const notice = page.getByRole('alert').filter({ hasText: 'What you sent from another page' });
  await notice.getByRole('link', { name: 'Go back to that page' }).click();
  await page.waitForURL(at('/servers/left/tools/look'));
  await page.waitForFunction(() => document.querySelector<HTMLInputElement>('[name=f0]')?.value === 'the moon');
  expect(await notice.isVisible()).toBe(false);
  expect(on.desk.workspace.calls.list()).toHaveLength(calls);
  troubles.length = 0;
});

it('a call is made once, however often it is asked for while the page is updated', async () => {
  await using me = await nextPage(person);
  const { page } = me;
  await on.desk.addServer({ id: 'once', target: commandTarget([process.execPath, server]) });
  await whenSo(on.desk, () => on.desk.workspace.servers.get('once')?.tools[0]);
  await open(page, '/servers/once/tools/look');
  let posts = 0;
  let answerNow = (): void => {};
  await intercept(page, '**/tools/look', async route => {
    if (route.request().method() !== 'POST') return route.continue();
    posts += 1;
    await new Promise<void>(resolve => {
      answerNow = resolve;
    });
    await route.continue();
  });
  const run = page.locator('#arguments-form .primary');
  await Promise.all([
    page.waitForRequest(each => each.method() === 'POST' && each.url().endsWith('/tools/look')),
    run.click(),
  ]);
  // A change has the page look again, before the answer is there.
  const shown = await page.locator('body').getAttribute('data-event');
  const question = pickOne('once');
  void on.inbox.ask(question);
  await page.waitForFunction(before => document.body.dataset['event'] !== before, shown);
  await run.click();
  answerNow();
  await page.waitForURL(/\/calls\//);
  expect(posts).toBe(1);
  on.inbox.end(question.id, { how: 'withdrawn' });
});
