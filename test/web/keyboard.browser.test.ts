/** The desk by keyboard alone: anything found and gone to, questions gone through, forms sent. */
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemClock } from '@midcall/core/time';
import type { FormQuestion } from '@midcall/host';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { intercept, launch, leaveBrowser, nextPage, type Visitor, violations, visitor } from './browser.ts';
import { builtClient, pickOne, stage, stageOfFile, whenSo } from './stage.ts';

const runsOn = { kind: 'tool', name: 'wait', arguments: {} } as const;

const file = join(mkdtempSync(join(tmpdir(), 'midcall-keys-')), 'server.mjs');
writeFileSync(
  file,
  `import { createInterface } from 'node:readline';
const tools = ['sharpen', 'polish', 'grind'].map(name => ({ name, inputSchema: { type: 'object', required: ['what'], properties: { what: { type: 'string' }, tags: { type: 'array', items: { type: 'string' } }, parts: { type: 'array', items: { type: 'object', properties: { name: { type: 'string' }, count: { type: 'integer' } } } } } } }));
for await (const line of createInterface({ input: process.stdin })) {
  const { id, method, params } = JSON.parse(line);
  const reply = result => process.stdout.write(JSON.stringify({ jsonrpc: '2.0', id, result }) + '\\n');
  if (method === 'initialize') reply({ protocolVersion: '2025-11-25', capabilities: { tools: {} }, serverInfo: { name: 'tools', version: '1' } });
  else if (method === 'tools/list') reply({ tools });
  else if (method === 'tools/call' && params.name !== 'wait') reply({ content: [{ type: 'text', text: 'Done.' }] });
  else if (id !== undefined && method !== 'tools/call') process.stdout.write(JSON.stringify({ jsonrpc: '2.0', id, error: { code: -32601, message: 'no' } }) + '\\n');
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
  const target = { kind: 'command' as const, command: process.execPath, args: [file] };
  await on.desk.workspace.servers.add({ id: 'tools', target });
  await whenSo(on.desk, () => on.desk.workspace.servers.get('tools')?.tools[0]);
});
afterAll(() => leaveBrowser(browser));

async function enter(): Promise<Visitor> {
  const me = await nextPage(person);
  await me.page.goto(on.desk.url);
  await me.page.locator('body.scripted').waitFor();
  return me;
}

it('a tool is found in the palette, filled in and run', async () => {
  await using me = await enter();
  const { page } = me;
  await page.keyboard.press('Control+k');
  await page.locator('#palette .found').first().waitFor();
  expect(await violations(page)).toEqual([]);
  await page.keyboard.type('poli');
  await page.locator('#palette .found', { hasText: 'polish' }).waitFor();
  await page.locator('#palette .found', { hasText: 'sharpen' }).waitFor({ state: 'detached' });
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: 'tools polish' }).waitFor();
  await page.locator('[name=f0]:focus').waitFor();
  await page.keyboard.press('Control+k');
  await page.keyboard.type('grin');
  await page.keyboard.press('Escape');
  expect(await page.locator('#palette').evaluate((dialog: HTMLDialogElement) => dialog.open)).toBe(false);
  await page.locator('[name=f0]:focus').waitFor();
  await page.keyboard.type('the spoon, n?p/');
  await page.keyboard.press('Control+Enter');
  await page.locator('.entry-result', { hasText: 'Done.' }).waitFor();
  expect(me.troubles).toEqual([]);
});

it('the arrow keys go through what was found, which has favourites first', async () => {
  await using me = await enter();
  const { page } = me;
  on.desk.workspace.preferences.favour('tools', 'tool', 'grind', true);
  await page.keyboard.press('Control+k');
  await page.locator('#palette .found').first().waitFor();
  await page.keyboard.press('ArrowDown');
  expect(await page.evaluate(() => document.activeElement?.textContent)).toContain('grind');
  await page.keyboard.press('ArrowUp');
  expect(await page.evaluate(() => document.activeElement?.localName)).toBe('input');
  await page.keyboard.press('Escape');
  expect(await page.locator('#palette').evaluate((dialog: HTMLDialogElement) => dialog.open)).toBe(false);
});

it('n and p go to the next and the previous question, and around the end', async () => {
  await using me = await enter();
  const questions = [pickOne('k-1'), pickOne('k-2')];
  for (const question of questions) void on.inbox.ask(question);
  const { page } = me;
  for (const [key, at] of [
    ['n', 0],
    ['n', 1],
    ['n', 0],
    ['p', 1],
  ] as const) {
    await page.keyboard.press(key);
    await page.waitForURL(new RegExp(`q-${questions[at]!.id}-who$`));
    await page.locator('body.scripted').waitFor();
  }
  await page.getByRole('radio', { name: /2024/ }).check();
  await page.getByRole('radio', { name: 'Yes' }).check();
  await page.keyboard.press('Control+Enter');
  await page.locator('.ending-answered').waitFor();
  on.inbox.end(questions[0]!.id, { how: 'withdrawn' });
});

it('the one card that Esc would dismiss now says so', async () => {
  await using me = await enter();
  const questions = [pickOne('k-esc'), pickOne('k-esc')];
  for (const question of questions) void on.inbox.ask(question);
  const { page } = me;
  await page.goto(new URL('calls/k-esc', on.desk.url).href);
  const expectSays = (wanted: readonly boolean[]) =>
    page.waitForFunction(expected => {
      const says = [...document.querySelectorAll('[data-question]')].map(
        card => card.querySelector('[data-esc]')?.checkVisibility() ?? false,
      );
      return JSON.stringify(says) === expected;
    }, JSON.stringify(wanted));
  await page.locator('[data-question]').nth(1).getByRole('radio', { name: /2024/ }).focus();
  await expectSays([false, true]);
  await page.locator('[data-question]').nth(0).getByRole('radio', { name: /2024/ }).focus();
  await expectSays([true, false]);
  await page.locator('#side-find').focus();
  await expectSays([false, false]);
  on.inbox.end(questions[0]!.id, { how: 'withdrawn' });
  await page.locator('.ending-withdrawn').waitFor();
  await expectSays([false]);
  // The only card of a page is dismissed from anywhere but from where one types.
  await page.evaluate(() => (document.activeElement as HTMLElement).blur());
  await expectSays([true]);
  await page.keyboard.press('Escape');
  await page.locator('.ending-dismissed').waitFor();
  expect(me.troubles).toEqual([]);
});

it('Esc dismisses a form at once if nothing was entered, and else says first that it would be lost', async () => {
  await using me = await enter();
  const { page } = me;
  const words: FormQuestion = { ...pickOne('k-lose'), fields: [{ kind: 'text', name: 'word', required: false }] };
  const ending = on.inbox.ask(words);
  await page.goto(new URL('calls/k-lose', on.desk.url).href);
  const field = page.locator('[name=f0]');
  const warning = page.getByText('Press Esc again to dismiss; what you entered will be lost.').and(page.locator('p'));
  const pressed = async () => {
    await page.keyboard.press('Escape');
    return [await warning.isVisible(), on.inbox.get(words.id) !== undefined];
  };
  for (const word of ['hello', 'hello you']) {
    const checked = page.waitForResponse(/\/check$/);
    await field.fill(word);
    await checked;
    expect(await warning.isVisible()).toBe(false);
    expect(await pressed()).toEqual([true, true]);
  }
  expect(await page.locator('#announce').textContent()).toBe(await warning.textContent());
  expect(await violations(page)).toEqual([]);
  // A draft that came back with the page was entered, too.
  await page.reload();
  await page.locator('body.scripted').waitFor();
  await field.focus();
  expect(await pressed()).toEqual([true, true]);
  await page.keyboard.press('Escape');
  await page.locator('.ending-dismissed').waitFor();
  expect(await ending).toMatchObject({ how: 'dismissed' });

  const untouched = { ...words, id: `${words.id}-2` };
  void on.inbox.ask(untouched);
  await field.focus();
  await field.fill('x');
  await field.fill('');
  await page.keyboard.press('Escape');
  await page.locator('.ending-dismissed').nth(1).waitFor();
  expect(me.troubles).toEqual([]);
});

it('the page goes on to the next question of a call, also where it comes with the end of the one before', async () => {
  await using me = await enter();
  const questions = [pickOne('k-next'), pickOne('k-next')] as const;
  // The answer to the form has both.
  void on.inbox.ask(questions[0]).then(() => on.inbox.ask(questions[1]));
  const { page } = me;
  await page.route('**/events**', route => route.abort());
  await page.goto(new URL('calls/k-next', on.desk.url).href);
  await page.getByRole('radio', { name: /2024/ }).check();
  await page.getByRole('radio', { name: 'Yes' }).check();
  await page.keyboard.press('Control+Enter');
  await page.locator(`[id="q-${questions[1].id}"] :focus`).waitFor();
  on.inbox.end(questions[1].id, { how: 'withdrawn' });
});

it('the desk lists its keys, and does without those that have no modifier where the person wants', async () => {
  await using me = await enter();
  const { page } = me;
  await page.keyboard.press('?');
  await page.getByRole('heading', { name: 'Keyboard shortcuts' }).waitFor();
  expect(await violations(page)).toEqual([]);
  const told = page.waitForResponse(/preferences\/keys/);
  await page.getByLabel('Use shortcuts that are a single key').uncheck();
  await told;
  await page.keyboard.press('Escape');
  await page.keyboard.press('?');
  expect(await page.locator('#keys').evaluate((dialog: HTMLDialogElement) => dialog.open)).toBe(false);
  expect(on.desk.workspace.preferences.singleKeys).toBe(false);
  on.desk.workspace.preferences.singleKeys = true;
});

it('the cursor goes into the field of a question that comes, and an Enter on its way elsewhere is no answer', async () => {
  await using me = await enter();
  const { page } = me;
  const words: FormQuestion = { ...pickOne('k-3'), fields: [{ kind: 'text', name: 'word', required: false }] };
  const call = { ...words.call!, id: await on.desk.workspace.calls.run('tools', runsOn) };
  await page.goto(new URL(`calls/${call.id}`, on.desk.url).href);
  await page.locator('body.scripted').waitFor();
  const ending = on.inbox.ask({ ...words, call });
  await page.locator('[name=f0]:focus').waitFor();
  await page.keyboard.press('Enter');
  await page.keyboard.type('n?p/');
  await page.keyboard.press('Enter');
  expect(await ending).toMatchObject({ how: 'answered', content: { word: 'n?p/' } });
  await page.locator('.ending-text:focus').waitFor();
  // Nobody is in the middle of anything any more: the next question of the call has the cursor.
  const next = on.inbox.ask({ ...words, id: 'k-4', call });
  await page.locator('#q-k-4 [name=f0]:focus').waitFor();
  await page.keyboard.type('more');
  await page.keyboard.press('Control+Enter');
  expect(await next).toMatchObject({ content: { word: 'more' } });
  on.desk.workspace.calls.cancel(call.id);
  expect(me.troubles).toEqual([]);
});

it('Enter takes the one choice that a filter leaves, sends nothing by that, and what is wrong stays said', async () => {
  await using me = await enter();
  const { page } = me;
  const choices = Array.from({ length: 40 }, (_, at) => ({ value: `v${at}`, title: `Country ${at}` }));
  const question: FormQuestion = {
    ...pickOne('k-9'),
    fields: [
      { kind: 'text', name: 'word', required: false },
      { kind: 'select', name: 'country', required: true, choices },
    ],
  };
  const ending = on.inbox.ask(question);
  await page.goto(new URL('calls/k-9', on.desk.url).href);
  await page.locator('body.scripted').waitFor();
  await page.locator('[name=f0]').fill('a');
  await page.keyboard.press('Control+Enter');
  const wrong = page.getByText('Country is required');
  await wrong.waitFor();
  // What is checked while one types says it still.
  const checked = page.waitForResponse('**/check');
  await page.locator('[name=f0]').fill('ab');
  await checked;
  await page.locator('.review', { hasText: 'ab' }).waitFor();
  expect(await wrong.isVisible()).toBe(true);
  const filter = page.getByPlaceholder('Filter 40 choices');
  // What was entered before is checked while one is in the filter already, which keeps the keys.
  await filter.focus();
  await page.locator('[name=f0]').evaluate((field: HTMLInputElement) => {
    field.value = 'abc';
    field.dispatchEvent(new Event('input', { bubbles: true }));
  });
  await page.locator('.review', { hasText: 'abc' }).waitFor();
  expect(await filter.evaluate(box => box === document.activeElement)).toBe(true);
  await filter.fill('Country 3');
  await filter.press('ArrowDown');
  expect(await page.evaluate(() => document.activeElement?.getAttribute('value'))).toBe('3');
  await filter.fill('37');
  await filter.press('Enter');
  await page.locator('.review', { hasText: 'Country 37' }).waitFor();
  await page.keyboard.press('Control+Enter');
  expect(await ending).toMatchObject({ content: { word: 'abc', country: 'v37' } });
  expect(me.troubles.filter(trouble => !trouble.includes('422'))).toEqual([]);
});

it.each([
  ['an hour fast', 3_600_000],
  ['right', 0],
  ['an hour slow', -3_600_000],
])(
  'the page counts down to the end of a question by a clock that is %s, and says how long there is only now and then',
  async (_, ahead) => {
    const now = Date.now();
    let passed = 0;
    await using on = await stage({ client: builtClient, clock: { ...systemClock, now: () => now + passed } });
    // A browser of its own, whose time moves only where it is told to.
    await using me = await visitor(browser);
    const { page } = me;
    await page.goto(on.desk.startUrl());
    await page.clock.install({ time: now + ahead - 60_000 });
    await page.clock.pauseAt(now + ahead);
    const pass = async (ms: number): Promise<void> => {
      passed += ms;
      await page.clock.fastForward(ms);
    };
    const question: FormQuestion = { ...pickOne('k-5'), askedAt: now - 120_000, openUntil: now + 400_000 };
    void on.inbox.ask(question);
    await page.goto(new URL(`calls/k-5`, on.desk.url).href);
    await page.locator('body.scripted').waitFor();
    const left = page.locator('.time-left');
    await page.locator('.chip-until', { hasText: /closes by .*\d\d:\d\d/ }).waitFor();
    expect(await left.isVisible()).toBe(false);
    expect(await page.locator('.chip-wait .age').first().textContent()).toBe('2 min');
    await pass(130_000);
    await left.filter({ hasText: /^4:\d\d left$/ }).waitFor();
    expect(await page.locator('#announce').textContent()).toBe('5 minutes left to answer notes.');
    expect(await violations(page)).toEqual([]);
    await pass(230_000);
    await page.locator('#announce', { hasText: '1 minute left to answer notes.' }).waitFor({ state: 'attached' });
    await pass(60_000);
    await left.filter({ hasText: 'time is up' }).waitFor();
    on.inbox.end(question.id, { how: 'timed-out' });
  },
);

it('the servers and tools beside the page are filtered, and Enter goes to the first', async () => {
  await using me = await enter();
  const { page } = me;
  await page.keyboard.press('/');
  await page.keyboard.type('shar');
  await page.locator('.side-found .found', { hasText: 'sharpen' }).waitFor();
  expect(await page.locator('.servers').isVisible()).toBe(false);
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: 'tools sharpen' }).waitFor();
  expect(me.troubles).toEqual([]);
});

it('the tools of a server fold, on other pages too', async () => {
  await using me = await enter();
  const { page } = me;
  const tools = page.getByRole('navigation', { name: 'Servers' }).locator('.tool');
  expect(await tools.count()).toBe(3);
  const told = page.waitForResponse(/preferences\/fold/);
  await page.locator('summary[aria-label="3 tools of tools"]').click();
  await told;
  await page.goto(new URL('servers/tools', on.desk.url).href);
  expect(await page.locator('.tool-group[open]').count()).toBe(0);
});

it('the rows of lists are filled in, added and removed, and become JSON and rows again', async () => {
  await using me = await enter();
  const { page } = me;
  await page.goto(new URL('servers/tools/tools/grind', on.desk.url).href);
  await page.getByLabel('What').fill('corn');
  await page.getByLabel('Tags 1', { exact: true }).focus();
  const focused = () => page.evaluate(() => document.activeElement?.getAttribute('aria-label'));
  // There is nothing to remove before something is typed, and no row that nobody asked for.
  expect(await page.getByRole('button', { name: /^Remove (?:Tags|Parts)/ }).count()).toBe(0);
  await page.keyboard.type('fine');
  await page.getByRole('button', { name: 'Remove Tags 1' }).waitFor();
  expect([await focused(), await page.getByLabel('Tags 2', { exact: true }).count()]).toEqual(['Tags 1', 0]);
  await page.keyboard.press('Tab');
  await page.keyboard.press('Tab');
  expect(await focused()).toBe('Add another: Tags');
  await page.keyboard.press('Enter');
  await page.getByLabel('Tags 2', { exact: true }).waitFor();
  expect(await focused()).toBe('Tags 2');
  // A blank row is as good as a new one.
  await page.getByRole('button', { name: 'Add another: Tags' }).click();
  expect([await focused(), await page.getByLabel('Tags 3', { exact: true }).count()]).toEqual(['Tags 2', 0]);
  await page.keyboard.type('slow');
  await page.getByRole('group', { name: 'Parts 1' }).getByLabel('Name').fill('wheel');
  await page.getByRole('button', { name: 'Add another: Parts' }).click();
  await page.getByRole('group', { name: 'Parts 2' }).waitFor();
  const added = page.getByRole('group', { name: 'Parts 2' }).getByLabel('Name');
  expect(await added.evaluate(each => each === document.activeElement)).toBe(true);
  await page.keyboard.type('cog');
  expect(await violations(page)).toEqual([]);
  // A press lasts: what was typed before is checked meanwhile, and the answer comes when the row is gone.
  let release = (): void => {};
  const isGone = new Promise<void>(resolve => {
    release = resolve;
  });
  await intercept(page, '**/check', async route => {
    const response = await route.fetch();
    await isGone;
    await route.fulfill({ response });
  });
  const late = page.waitForRequest(/\/check$/);
  await page.getByRole('button', { name: 'Remove Tags 1' }).hover();
  await page.mouse.down();
  const held = await late;
  await page.mouse.up();
  const answered = page.waitForResponse(response => response.request() === held);
  release();
  await answered;
  // What was held beside it is answered, too, before the desk answers for itself again.
  await page.unrouteAll({ behavior: 'wait' });
  await page.getByRole('button', { name: 'Edit as JSON' }).click();
  const json = page.getByLabel('Arguments as JSON');
  await json.waitFor();
  expect(JSON.parse(await json.inputValue())).toEqual({
    what: 'corn',
    tags: ['slow'],
    parts: [{ name: 'wheel' }, { name: 'cog' }],
  });
  expect(await violations(page)).toEqual([]);
  await json.fill('{"what":"corn","more":1}');
  await page.getByRole('button', { name: 'Edit as a form' }).click();
  await page.getByText('The form cannot show “more”').waitFor();
  expect(await page.evaluate(() => document.activeElement?.getAttribute('name'))).toBe('json');
  await json.fill('{"what":"rye","tags":["a","b"]}');
  await page.getByRole('button', { name: 'Edit as a form' }).click();
  await page.getByLabel('Tags 2', { exact: true }).waitFor();
  expect(await page.getByLabel('What').inputValue()).toBe('rye');
  await page.getByLabel('What').focus();
  await page.keyboard.press('Enter');
  await page.locator('.entry-result', { hasText: 'Done.' }).waitFor();
  expect(on.desk.workspace.calls.list()[0]!.context.arguments).toEqual({ what: 'rye', tags: ['a', 'b'] });
  expect(me.troubles).toEqual([]);
});

it('the folders that a server may use are saved at once, however fast the boxes are ticked', async () => {
  await using me = await enter();
  const { page } = me;
  const folders = await Promise.all(
    ['first', 'second'].map(name => on.roots.add(mkdtempSync(join(tmpdir(), 'midcall-grant-')), { name })),
  );
  await page.goto(new URL('roots', on.desk.url).href);
  await page.locator('body.scripted').waitFor();
  await page.getByLabel('tools may use first').focus();
  await page.keyboard.press('Space');
  await page.getByLabel('tools may use second').check();
  await whenSo(on.desk, () => (on.roots.granted('tools')?.length === 2 ? true : undefined));
  await page.locator('#announce', { hasText: 'Saved.' }).waitFor();
  expect(await violations(page)).toEqual([]);
  await page.getByLabel('tools may use first').uncheck();
  await whenSo(on.desk, () => (on.roots.granted('tools')?.length === 1 ? true : undefined));
  for (const { uri } of folders) await on.roots.remove(uri);
  expect(me.troubles).toEqual([]);
});
