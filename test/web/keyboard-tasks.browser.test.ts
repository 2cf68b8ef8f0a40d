/** Eight things that people do with a desk, one after another, with no mouse. */
import { mkdtempSync, readFileSync, realpathSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { launch, leaveBrowser, type Visitor, visitor } from './browser.ts';
import { builtClient, stageOfFile, whenSo } from './stage.ts';

const place = mkdtempSync(join(tmpdir(), 'midcall-keyboard-tasks-'));
const file = join(place, 'kitchen.mjs');
writeFileSync(
  file,
  `import { createInterface } from 'node:readline';
const send = message => process.stdout.write(JSON.stringify({ jsonrpc: '2.0', ...message }) + '\\n');
const inputSchema = { type: 'object', required: ['what'], properties: { what: { type: 'string' } } };
const requestedSchema = { type: 'object', required: ['size'], properties: { size: { type: 'string', enum: ['small', 'large'] } } };
const calls = new Map();
for await (const line of createInterface({ input: process.stdin })) {
  const { id, method, params, result } = JSON.parse(line);
  const text = words => ({ content: [{ type: 'text', text: words }] });
  if (method === 'initialize') send({ id, result: { protocolVersion: '2025-11-25', capabilities: { tools: {}, logging: {} }, serverInfo: { name: 'kitchen', version: '1' } } });
  else if (method === 'tools/list') send({ id, result: { tools: ['polish', 'pack'].map(name => ({ name, inputSchema })) } });
  else if (method === 'tools/call' && params.name === 'pack') {
    calls.set('size-' + id, id);
    send({ id: 'size-' + id, method: 'elicitation/create', params: { mode: 'form', message: 'Which box?', requestedSchema } });
  } else if (method === 'tools/call') send({ id, result: text('Polished: ' + params.arguments.what) });
  else if (calls.has(id)) send({ id: calls.get(id), result: text(result?.action === 'accept' ? 'Packed: ' + result.content.size : 'Not packed.') });
  else if (id !== undefined && method === 'logging/setLevel') send({ id, result: {} });
  else if (id !== undefined) send({ id, error: { code: -32601, message: 'no' } });
}`,
);

const on = await stageOfFile({ client: builtClient });
let browser: Browser;
let me: Visitor;
let page: Page;

beforeAll(async () => {
  browser = await launch();
  me = await visitor(browser, { acceptDownloads: true });
  ({ page } = me);
  await page.addInitScript(() => {
    const count = () => sessionStorage.setItem('pointer', 'used');
    for (const name of ['pointerdown', 'mousedown', 'touchstart']) window.addEventListener(name, count, true);
  });
  await page.goto(on.desk.startUrl());
  await page.locator('body.scripted').waitFor();
});
afterAll(() => leaveBrowser(browser));

const press = (key: string): Promise<void> => page.keyboard.press(key);
const type = (text: string): Promise<void> => page.keyboard.type(text);

/** Goes on with the Tab key until what has the focus is called so. */
async function tabTo(name: RegExp): Promise<void> {
  const seen: string[] = [];
  for (let at = 0; at < 80; at += 1) {
    await press('Tab');
    const focused = await page.evaluate(() => {
      const { activeElement: own } = document;
      const labels = [...((own as HTMLInputElement | null)?.labels ?? [])].map(label => label.textContent).join(' ');
      return `${own?.getAttribute('aria-label') ?? ''} ${labels} ${own?.textContent ?? ''}`.replace(/\s+/g, ' ').trim();
    });
    if (name.test(focused)) return;
    seen.push(focused.slice(0, 40));
  }
  throw new Error(`Nothing called ${name} has the focus: ${seen.join(', ')}`);
}

/** Presses Enter on what leads to another page, and waits for that. */
async function follow(): Promise<void> {
  const before = page.url();
  await press('Enter');
  // A page that is shown in place of this one comes with its address.
  await page.waitForURL(url => url.href !== before);
  await page.locator('body.scripted').waitFor();
}

/** Goes somewhere by its name, from wherever one is. */
async function goTo(name: string): Promise<void> {
  await press('Control+k');
  await page.locator('#palette input:focus').waitFor();
  await type(name);
  // As fast as anybody types: what is found for the beginning is not gone to.
  await follow();
  await page.locator('h1', { hasText: name }).waitFor();
}

/** Goes past what is around every page. */
async function skip(): Promise<void> {
  await tabTo(/^Skip to the content$/);
  await press('Enter');
}

const field = (): Promise<void> => page.locator('#arguments-form [name=f0]:focus').waitFor();
const result = (text: string): Promise<void> => page.locator('.entry-result', { hasText: text }).waitFor();

/** Runs the tool that asks, and waits for its question to have the cursor. */
async function pack(): Promise<void> {
  await goTo('pack');
  await field();
  await type('the spoon');
  await press('Enter');
  await page.locator('[data-question] input[type=radio]:focus').waitFor();
}

it('a server is added by the keyboard alone', async () => {
  await goTo('Add a server');
  await page.locator('[name=what]:focus').waitFor();
  await type(`${process.execPath} ${file}`);
  await press('Enter');
  await whenSo(on.desk, () => on.desk.workspace.servers.get('kitchen')?.tools[1]);
  await page.locator('.state-ready').first().waitFor();
});

it('a tool is found and run by the keyboard alone', async () => {
  await goTo('polish');
  await field();
  await type('the spoon');
  await press('Enter');
  await result('Polished: the spoon');
});

it('a call is run again with other arguments by the keyboard alone', async () => {
  await tabTo(/^Run again/);
  await follow();
  await field();
  await press('Control+a');
  await type('the fork');
  await press('Enter');
  await result('Polished: the fork');
});

it('a question is answered by the keyboard alone', async () => {
  await pack();
  await press('ArrowDown');
  await press('Control+Enter');
  await result('Packed: large');
});

it('a question is declined by the keyboard alone', async () => {
  await pack();
  await tabTo(/^Decline/);
  await press('Enter');
  await page.locator('.ending-declined').waitFor();
  await result('Not packed.');
});

it('a folder is granted by the keyboard alone', async () => {
  await goTo('Roots');
  await tabTo(/Folder/);
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'midcall-cupboard-')));
  await press('Control+a');
  await type(folder);
  await press('Enter');
  await page.locator('.grants').waitFor();
  await page.waitForFunction(() => document.querySelector<HTMLInputElement>('#root-path')?.value === '');
  await tabTo(/^kitchen may use /);
  await press('Space');
  const granted = await whenSo(on.desk, () => on.roots.granted('kitchen')?.[0]);
  expect(granted.uri).toBe(pathToFileURL(folder).href);
});

it('the wire is read and saved by the keyboard alone', async () => {
  await goTo('polish');
  await field();
  await type('the knife');
  await press('Enter');
  await result('Polished: the knife');
  await tabTo(/^Messages and logs/);
  await press('Enter');
  await page.locator('#drawer').waitFor();
  await tabTo(/^→.{0,40}tools\/call · \d/);
  await press('Enter');
  await page.locator('.frames pre', { hasText: '"what": "the knife"' }).waitFor();
  await skip();
  await tabTo(/^Export as JSON Lines/);
  const [download] = await Promise.all([page.waitForEvent('download'), press('Enter')]);
  expect(readFileSync((await download.path())!, 'utf8')).toContain('"the knife"');
});

it('an earlier call is found by the keyboard alone', async () => {
  await goTo('History');
  await tabTo(/^Tool or argument/);
  await type('fork');
  await follow();
  expect(await page.locator('table').first().locator('tbody tr').count()).toBe(1);
  await skip();
  await tabTo(/^polish$/);
  await follow();
  await result('Polished: the fork');
  expect(await page.evaluate(() => sessionStorage.getItem('pointer'))).toBe(null);
  expect(me.troubles).toEqual([]);
});
