/** A walk over the desk as a workbench: add a server and see it start, run, change, answer, and run again without leaving the page. */
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { launch, leaveBrowser, type Visitor, violations, visitor, wrongInLook } from './browser.ts';
import { builtClient, stageOfFile } from './stage.ts';

const place = mkdtempSync(join(tmpdir(), 'midcall-workbench-'));
const [file, starts, gate] = ['bench.mjs', 'starts', 'gate'].map(name => join(place, name)) as [string, string, string];
writeFileSync(starts, '');
writeFileSync(
  file,
  `import { appendFileSync, existsSync, watch } from 'node:fs';
import { createInterface } from 'node:readline';
appendFileSync(${JSON.stringify(starts)}, 'started\\n');
process.stderr.write('\\u001b[31mloading\\u001b[0m the model\\n');
const opened = new Promise(resolve => {
  const look = () => existsSync(${JSON.stringify(gate)}) && resolve();
  watch(${JSON.stringify(place)}, look);
  look();
});
const send = message => process.stdout.write(JSON.stringify({ jsonrpc: '2.0', ...message }) + '\\n');
const described = 'Writes down what it is given. ' + 'It says so at length. '.repeat(30);
const tools = [
  { name: 'note_down', title: 'Write it down', description: described, inputSchema: { type: 'object', required: ['text'], properties: { text: { type: 'string' }, times: { anyOf: [{ type: 'boolean' }, { type: 'null' }] } } } },
  { name: 'set_code', title: 'Set a code', inputSchema: { type: 'object', properties: { code: { type: 'string', minLength: 4 } } } },
  { name: 'ask_leave', title: 'Ask for leave', inputSchema: { type: 'object', properties: {} } },
  { name: 'ask_size', title: 'Ask for a size', inputSchema: { type: 'object', properties: {} } },
];
const prompts = [{ name: 'greet', title: 'Greet somebody', arguments: [{ name: 'whom', required: true }] }];
const forms = { ask_leave: {}, ask_size: { size: { type: 'string', enum: ['small', 'large'] } } };
const calls = new Map();
for await (const line of createInterface({ input: process.stdin })) {
  const { id, method, params, result } = JSON.parse(line);
  const name = params?.name;
  if (method === 'initialize') {
    await opened;
    send({ id, result: { protocolVersion: '2025-11-25', capabilities: { tools: {}, prompts: {}, completions: {}, logging: {} }, serverInfo: { name: 'bench', version: '1' } } });
  } else if (method === 'tools/list') send({ id, result: { tools } });
  else if (method === 'prompts/list') send({ id, result: { prompts } });
  else if (method === 'completion/complete') send({ id, result: { completion: { values: ['Ada', 'Alan'].filter(each => each.startsWith(params.argument.value)) } } });
  else if (method === 'tools/call' && forms[name]) {
    calls.set('ask-' + id, id);
    send({ id: 'ask-' + id, method: 'elicitation/create', params: { mode: 'form', message: 'May I?', requestedSchema: { type: 'object', properties: forms[name] } } });
  } else if (method === 'tools/call') {
    send({ method: 'notifications/message', params: { level: 'error', data: 'The ink is low.' } });
    send({ id, result: { content: [{ type: 'text', text: 'Wrote ' + JSON.stringify(params.arguments.text) }] } });
  } else if (calls.has(id)) send({ id: calls.get(id), result: { content: [{ type: 'text', text: result?.action + ' ' + JSON.stringify(result?.content ?? {}) }] } });
  else if (id !== undefined && method === 'logging/setLevel') send({ id, result: {} });
  else if (id !== undefined && method === 'ping') send({ id, result: {} });
  else if (id !== undefined && method) send({ id, error: { code: -32601, message: 'no' } });
}`,
);

const on = await stageOfFile({ client: builtClient });
let browser: Browser;
let me: Visitor;
let page: Page;

beforeAll(async () => {
  browser = await launch();
  me = await visitor(browser);
  ({ page } = me);
  await page.setViewportSize({ width: 1440, height: 900 });
  await page.goto(on.desk.startUrl());
  await page.locator('body.scripted').waitFor();
});
afterAll(() => leaveBrowser(browser));

const sizes = [1440, 1024, 400] as const;

/** What is wrong with the page for axe, and at each width, light and dark. */
async function wrong(): Promise<readonly string[]> {
  const found = [...(await violations(page))];
  for (const width of sizes)
    for (const colorScheme of ['light', 'dark'] as const)
      found.push(...(await wrongInLook(page, { colorScheme, viewport: { width, height: 900 } })));
  await page.emulateMedia({ colorScheme: 'light' });
  await page.setViewportSize({ width: 1440, height: 900 });
  return found;
}

const goTo = async (query: string): Promise<void> => {
  await page.keyboard.press('Control+k');
  await page.keyboard.type(query);
  await page.locator(`#palette-found[data-query="${query}"]`).waitFor();
  await page.keyboard.press('Enter');
};

const run = () => page.getByRole('button', { name: 'Run', exact: true });

it('a server is added by one box, which says what it understood, and shows how it starts, once', async () => {
  await page.getByRole('link', { name: 'Add a server' }).first().click();
  await page.locator('#add-what').fill(`${process.execPath} ${file}`);
  await page.locator('[data-understood=command]').waitFor();
  expect(await wrong()).toEqual([]);
  await page.keyboard.press('Enter');
  const starting = page.locator('.starting');
  await starting.locator('.ansi-red', { hasText: 'loading' }).waitFor();
  expect(await starting.textContent()).toMatch(/Starting.*\d+ s[\s\S]*loading the model[\s\S]*Stop/);
  expect(await wrong()).toEqual([]);
  writeFileSync(gate, '');
  await page.locator('.tool-row', { hasText: 'Write it down' }).waitFor();
  expect(await starting.count()).toBe(0);
  expect(readFileSync(starts, 'utf8')).toBe('started\n');
});

it('a tool is found by its title, and what is typed stays among the results', async () => {
  await page.keyboard.press('Control+k');
  await page.keyboard.type('write');
  await page.locator('#palette-found[data-query="write"] .found').first().waitFor();
  await page.keyboard.press('ArrowDown');
  await page.keyboard.type(' it');
  expect(await page.locator('#palette > input').inputValue()).toBe('write it');
  await page.locator('#palette-found[data-query="write it"]').waitFor();
  expect(await violations(page)).toEqual([]);
  await page.keyboard.press('Enter');
  await page.locator('#arguments-form').waitFor();
  expect(await page.locator('h1 .named').textContent()).toMatch(/Write it down\s+note_down/);
});

it('a tool is run, its form stays beside the result, and it is run again with another argument', async () => {
  const text = page.locator('#arguments-f0');
  // A long description is folded, so that the cursor is where one types.
  expect(await text.evaluate(each => document.activeElement === each && each.getBoundingClientRect().top < 700)).toBe(
    true,
  );
  await page.keyboard.insertText('one\ntwo');
  expect(await text.inputValue()).toBe('one\ntwo');
  await run().click();
  await page.locator('.entry-result', { hasText: 'Wrote "one\\ntwo"' }).waitFor();
  const [form, result] = await Promise.all([
    page.locator('.split-form').boundingBox(),
    page.locator('.entry-result').boundingBox(),
  ]);
  expect(form!.x + form!.width).toBeLessThan(result!.x);
  expect(await text.inputValue()).toBe('one\ntwo');
  await text.press('ControlOrMeta+a');
  await page.keyboard.type('three');
  // It was a box of several lines, in which Enter begins a new one.
  await page.keyboard.press('ControlOrMeta+Enter');
  await page.locator('.entry-result', { hasText: 'Wrote "three"' }).waitFor();
  expect(await wrong()).toEqual([]);
});

it('what is typed while a run is on its way to the desk stays in its form', async () => {
  const text = page.locator('#arguments-f0');
  const network = await page.context().newCDPSession(page);
  const conditions = { offline: false, downloadThroughput: -1, uploadThroughput: -1 };
  await network.send('Network.emulateNetworkConditions', { ...conditions, latency: 500 });
  await text.fill('four');
  const answered = page.waitForResponse(response => response.request().redirectedFrom()?.method() === 'POST');
  await text.press('ControlOrMeta+Enter');
  await text.fill('five');
  await (await answered).finished();
  await network.send('Network.emulateNetworkConditions', { ...conditions, latency: 0 });
  await page.locator('.entry-result', { hasText: 'Wrote "four"' }).waitFor();
  expect(await text.inputValue()).toBe('five');
});

it('messages and logs are shown below the page, and what was typed stays meanwhile', async () => {
  await page.locator('#arguments-f0').fill('half a thou');
  await page.getByRole('button', { name: 'Messages and logs' }).click();
  const drawer = page.locator('#drawer');
  // Each run has logged it.
  await drawer.locator('.level-error', { hasText: 'error' }).first().waitFor();
  await drawer.getByRole('cell', { name: 'The ink is low.' }).first().waitFor();
  expect(await page.locator('#arguments-f0').inputValue()).toBe('half a thou');
  expect(await wrong()).toEqual([]);
  await page.getByRole('button', { name: 'Messages and logs' }).click();
  await drawer.waitFor({ state: 'detached' });
});

it('the argument of a prompt is completed as its server does', async () => {
  await goTo('greet');
  const whom = page.locator('#arguments-f0');
  await whom.fill('Al');
  await page.locator('datalist option[value=Alan]:only-child').waitFor({ state: 'attached' });
  expect(await page.locator('datalist option').evaluateAll(all => all.map(each => each.getAttribute('value')))).toEqual(
    ['Alan'],
  );
});

it('a question without fields takes one button, what waits next is said, and a remembered answer is filled in', async () => {
  await goTo('ask for leave');
  await run().click();
  const card = page.locator('[data-question]');
  await card.waitFor();
  expect([await card.getByRole('button', { name: 'Allow' }).count(), await card.locator('.review').count()]).toEqual([
    1, 0,
  ]);
  await card.getByRole('button', { name: 'Allow' }).click();
  await page.getByText('Nothing more waits for you.').waitFor();
  for (const isSecond of [false, true]) {
    await goTo('ask for a size');
    await run().click();
    await card.waitFor();
    const same = card.getByRole('button', { name: 'Same as last time' });
    expect(await same.count()).toBe(isSecond ? 1 : 0);
    if (isSecond) await same.click();
    else await card.getByText('large').click();
    await card.locator('.review', { hasText: 'large' }).waitFor();
    expect(await card.getByRole('radio', { name: 'large' }).isChecked()).toBe(true);
    expect(on.inbox.list()).toHaveLength(1);
    expect(await wrong()).toEqual([]);
    await card.getByRole('button', { name: 'Send answer' }).click();
    await page.locator('.entry-result', { hasText: 'accept {"size":"large"}' }).waitFor();
  }
});

it('a slow click is heard on a button that what is found wrong would have moved away', async () => {
  await goTo('set a code');
  await page.locator('#arguments-f0').fill('abc');
  const { x, y, width, height } = (await run().boundingBox())!;
  await page.mouse.move(x + width / 2, y + height / 2);
  await page.evaluate(() =>
    document.addEventListener('midcall:fetched', event => {
      const { detail } = event as CustomEvent<Document>;
      if (detail.querySelector('#arguments-form .error')) Object.assign(window, { hasRead: true });
    }),
  );
  // The box is left as the button is pressed.
  await page.mouse.down();
  await page.waitForFunction(() => 'hasRead' in window);
  expect(await page.locator('#arguments-form .error').count()).toBe(0);
  const sent = page.waitForResponse(response => response.request().method() === 'POST');
  await page.mouse.up();
  expect((await sent).status()).toBe(422);
  await page.locator('#arguments-form .error').waitFor();
  // A menu of the browser may keep the release to itself, and the page goes on all the same.
  await page.mouse.move(5, 5);
  await page.mouse.down({ button: 'right' });
  await page.locator('#arguments-f0').fill('abcd');
  await page.locator('#arguments-form .error').waitFor({ state: 'detached' });
  await page.mouse.up({ button: 'right' });
});

it('a server is muted from the palette, and a notice says so and takes it back', async () => {
  await goTo('mute bench');
  const notice = page.locator('.notice', { hasText: 'Muted' });
  await notice.waitFor();
  expect(on.policy.judge('bench', 'form', 0)).toMatchObject({ do: 'refuse' });
  await notice.getByRole('button', { name: 'Unmute' }).click();
  await notice.waitFor({ state: 'detached' });
  expect(on.policy.judge('bench', 'form', 0)).toMatchObject({ do: 'ask' });
  expect(me.troubles).toEqual([]);
});
