/** Every page and every state of the desk, in light and wide, in dark and narrow. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Ending, type StoredTask, tasksFile } from '@midcall/host';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { inSoak } from '../fixtures/soak.ts';
import { enter, type Look, launch, leaveBrowser, violations, visitor, wrongInLook } from './browser.ts';
import {
  builtClient,
  everyField,
  finishPage,
  openPage,
  pickOne,
  shareRoots,
  stageOfFile,
  useModel,
  useReply,
  whenSo,
} from './stage.ts';

/** Where pictures of every page go (`npm run screenshots -- all`). */
const pictures = process.env['MIDCALL_PICTURES'];
const looks: readonly Look[] = ([1440, 1024, 400, 360] as const).flatMap(width =>
  (['light', 'dark'] as const).map(colorScheme => ({ colorScheme, viewport: { width, height: 860 } })),
);

const tasks = tasksFile(join(await mkdtemp(join(tmpdir(), 'midcall-pages-')), 'tasks.json'));
const on = await stageOfFile({ client: builtClient, tasks });
let browser: Browser;
beforeAll(async () => {
  browser = await launch();
});
afterAll(() => leaveBrowser(browser));

const at = (path: string): string => new URL(path.replace(/^\//, ''), on.desk.url).href;

/** Pictures of a page as it is now, in every look. */
async function picture(page: Page, path: string): Promise<void> {
  if (pictures === undefined) return;
  mkdirSync(pictures, { recursive: true });
  const name =
    decodeURIComponent(path)
      .replace(/[^a-z0-9]+/gi, '-')
      .replace(/^-|-$/g, '')
      .slice(0, 60) || 'home';
  for (const look of looks) {
    await page.emulateMedia({ colorScheme: look.colorScheme, reducedMotion: 'reduce' });
    await page.setViewportSize(look.viewport);
    const file = `${name}-${look.viewport.width}-${look.colorScheme}.png`;
    await page.screenshot({ path: join(pictures, file), fullPage: true });
  }
  await page.setViewportSize({ width: 1024, height: 860 });
  await page.emulateMedia({ forcedColors: 'active', colorScheme: 'dark' });
  await page.screenshot({ path: join(pictures, `${name}-1024-forced.png`), fullPage: true });
  await page.emulateMedia({ forcedColors: 'none' });
}

/** A call that goes on by itself. */
const kept = (id: string, status: StoredTask['status']): StoredTask => ({
  call: { id, kind: 'tool', name: `book_${id}`, arguments: {} },
  server: { id: '127.0.0.1:36463', origin: 'http://127.0.0.1:36463/mcp' },
  era: '2026-07-28',
  taskId: id,
  status,
  startedAt: Date.now() - 300_000_000,
  questions: {},
});

const longName = 'a_tool_whose_name_has_as_many_letters_as_the_protocol_lets_it_have_and_then_some_more_of_them';

const endings: readonly Ending[] = [
  { how: 'declined', via: 'web' },
  { how: 'dismissed', via: 'terminal' },
  { how: 'timed-out' },
  { how: 'withdrawn' },
  { how: 'completed' },
  { how: 'server-gone' },
  { how: 'refused-by-policy', decision: 'You refuse all questions from this server.' },
  { how: 'answered', via: 'web', content: { note_id: 'note-2024', confirm: true } },
];

/** A server that only says that it is there, with tools of every annotation, and never ends a call. */
async function silentServer(): Promise<string> {
  const file = join(await mkdtemp(join(tmpdir(), 'midcall-silent-')), 'server.mjs');
  writeFileSync(
    file,
    `import { createInterface } from 'node:readline';
const tools = [
  { name: 'look', title: 'Look', description: 'Looks at things.', inputSchema: { type: 'object' }, annotations: { readOnlyHint: true } },
  { name: 'wipe', description: 'Wipes things.', inputSchema: { type: 'object', required: ['what'], properties: { what: { type: 'object', description: 'Which ones' }, deep: { type: 'boolean', default: false }, level: { type: 'integer', minimum: 1, maximum: 3 } } }, annotations: { idempotentHint: true, openWorldHint: true } },
];
for await (const line of createInterface({ input: process.stdin })) {
  const { id, method, params } = JSON.parse(line);
  const reply = body => process.stdout.write(JSON.stringify({ jsonrpc: '2.0', id, ...body }) + '\\n');
  if (id === undefined) continue;
  if (method === 'initialize') reply({ result: { protocolVersion: '2025-11-25', capabilities: { tools: {}, prompts: {}, resources: {} }, serverInfo: { name: 'silent', version: '1' } } });
  else if (method === 'tools/list') reply({ result: { tools } });
  else if (method === 'prompts/list') reply({ result: { prompts: [{ name: 'greet', description: 'Greets.', arguments: [{ name: 'who', description: 'Whom', required: true }] }] } });
  else if (method === 'resources/list') reply({ result: { resources: [{ uri: 'things://one', name: 'One' }] } });
  else if (method === 'resources/templates/list') reply({ result: { resourceTemplates: [{ uriTemplate: 'things://{id}', name: 'Any' }, { uriTemplate: 'broken {', name: 'Broken' }] } });
  else if (method === 'prompts/get') reply({ result: { messages: [{ role: 'user', content: { type: 'text', text: 'Greet ' + params.arguments.who } }, { role: 'assistant', content: { type: 'resource', resource: { uri: 'things://one', text: 'Hello.' } } }] } });
  else if (method === 'resources/read') reply({ result: { contents: [{ uri: params.uri, mimeType: 'application/x-thing', blob: 'AAAA' }] } });
  else if (method === 'tools/call' && params.name === 'look') reply({ result: { content: [{ type: 'text', text: 'Seen.' }, { type: 'image', mimeType: 'image/png', data: 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==' }], structuredContent: { seen: 1 } } });
  else if (method === 'tools/call' && params.arguments.what.fail) reply({ result: { isError: true, content: [{ type: 'text', text: 'It failed.' }] } });
  else if (method === 'tools/call') process.stdout.write(JSON.stringify({ jsonrpc: '2.0', method: 'notifications/progress', params: { progressToken: params._meta?.progressToken, progress: 2, total: 5, message: 'Two of five' } }) + '\\n');
  else reply({ error: { code: -32601, message: 'no' } });
}
`,
  );
  return file;
}

describe('every page and state', () => {
  const paths: string[] = [];

  beforeAll(async () => {
    const ask = (question: Parameters<typeof on.inbox.ask>[0]) => void on.inbox.ask(question);
    ask(pickOne('s-pick'));
    ask(everyField('s-fields'));
    const unbroken = { kind: 'text', name: 'x'.repeat(80), required: true } as const;
    ask({ ...pickOne('s-unbroken'), fields: [unbroken] });
    const answered = { ...pickOne('s-unbroken'), fields: [unbroken] };
    ask(answered);
    on.inbox.end(answered.id, { how: 'answered', via: 'web', content: { [unbroken.name]: 'yes'.repeat(60) } });
    const url = openPage();
    const bad = openPage('javascript:alert(1)');
    const roots = shareRoots();
    for (const question of [url, bad, roots]) ask(question);
    ask(finishPage('s-finish'));
    ask(useModel('s-model'));
    ask(useReply('s-reply'));
    for (const ending of endings) {
      const question = pickOne('s-ended');
      ask(question);
      on.inbox.end(question.id, ending);
    }
    const long = { ...openPage(`https://example.com/${'a'.repeat(90)}`), call: answered.call! };
    ask(long);
    on.inbox.end(long.id, { how: 'answered', via: 'web' });
    ask({ ...pickOne('s-soon'), openUntil: Date.now() + 250_000 });
    ask({ ...pickOne('s-later'), openUntil: Date.now() + 7_000_000 });
    const arabic = { ...pickOne('s-arabic'), message: 'حذف «تقرير»؟ توجد عدة ملاحظات؛ اختر واحدة (TPS).' };
    ask({ ...arabic, fields: [{ kind: 'text', name: 'الاسم', description: 'كما في بطاقتك', required: true }] });
    const alone = pickOne(undefined);
    ask(alone);
    on.inbox.end(alone.id, { how: 'withdrawn' });
    const { workspace } = on.desk;
    await workspace.servers.add({
      id: 'silent',
      target: { kind: 'command', command: process.execPath, args: [await silentServer()] },
    });
    await whenSo(on.desk, () => workspace.servers.get('silent')?.tools[0]);
    await workspace.servers
      .add({ id: 'broken', target: { kind: 'command', command: '/no/such/program', args: [] } })
      .catch(() => {});
    const rich = fileURLToPath(new URL('rich-server.mjs', import.meta.url));
    await workspace.servers.add({
      id: 'rich',
      target: { kind: 'command', command: process.execPath, args: [rich] },
    });
    await whenSo(on.desk, () => workspace.servers.get('rich')?.tools[0]);
    for (const task of [kept('journey', 'working'), kept('table', 'input_required')]) await tasks.keep(task);
    await tasks.release(['journey', 'table']);
    const folder = await on.roots.add(await mkdtemp(join(tmpdir(), 'midcall-root-')), { name: 'things' });
    await on.roots.grant('silent', [folder.uri]);
    on.policy.add({ server: 'silent', subject: 'sampling', effect: 'allow', forMs: 60_000 });
    on.policy.add({ server: '*', subject: 'url', effect: 'refuse' });
    on.audit.record({ type: 'roots', what: 'offered /tmp/things' });
    const running = await workspace.calls.run('silent', { kind: 'tool', name: 'wipe', arguments: { what: {} } });
    const done = await workspace.calls.run('silent', { kind: 'tool', name: 'look', arguments: {} });
    const failed = await workspace.calls.run('silent', {
      kind: 'tool',
      name: 'wipe',
      arguments: { what: { fail: true } },
    });
    const cancelled = await workspace.calls.run('silent', { kind: 'tool', name: 'wipe', arguments: { what: {} } });
    workspace.calls.cancel(cancelled);
    const got = await workspace.calls.run('silent', { kind: 'prompt', name: 'greet', arguments: { who: 'Ada' } });
    const read = await workspace.calls.run('silent', { kind: 'resource', name: 'things://one', arguments: {} });
    const brought: string[] = [];
    for (const name of ['report', 'table', 'media', 'arabic', 'nothing', longName])
      brought.push(await workspace.calls.run('rich', { kind: 'tool', name, arguments: { title: 'x'.repeat(300) } }));
    for (const id of brought) await whenSo(on.desk, () => workspace.calls.get(id)?.outcome);
    paths.push(
      ...[
        '/',
        '/history',
        '/tasks',
        '/inbox',
        '/roots',
        '/models',
        '/policy',
        '/audit',
        '/audit?q=nothing',
        '/add',
        '/nothing',
        '/settings',
        '/find?q=look',
        '/servers/silent/edit',
        '/imported',
      ],
      ...['/servers/silent', '/servers/broken', '/servers/silent/tools/look', '/servers/silent/tools/wipe'],
      ...['prompts/greet', 'resources/things%3A%2F%2Fone', 'resources/things%3A%2F%2F%7Bid%7D'].map(
        each => `/servers/silent/${each}`,
      ),
      ...['/servers/rich', '/servers/rich/wire', `/servers/rich/tools/${longName}`, '/servers/rich/tools/arabic'],
      ...brought.map(id => `/calls/${id}`),
      ...['pick', 'soon', 'later', 'arabic', 'fields', 'unbroken', 'finish', 'model', 'reply', 'ended'].map(
        name => `/calls/s-${name}`,
      ),
      ...[url, bad, roots, alone].map(question => `/questions/${question.id}`),
      ...[running, done, failed, cancelled, got, read].map(id => `/calls/${id}`),
      `/calls/${cancelled}/compare`,
    );
  });

  it('every page and state have nothing that keeps anybody out, in light and wide as in dark and narrow', async () => {
    const wide = { colorScheme: 'light', viewport: { width: 1280, height: 800 } } as const;
    const narrow = { colorScheme: 'dark', viewport: { width: 360, height: 740 } } as const;
    await using me = await enter(on.desk.startUrl(), narrow);
    await me.page.goto(at('/add'));
    await me.page
      .getByRole('textbox', { name: 'mcp.json' })
      .fill('{"mcpServers":{"away":{"command":"/no/such/program"},"odd":{"args":[1]}}}');
    await me.page.getByRole('button', { name: 'Add all' }).click();
    await me.page.getByText('2 failed').waitFor();
    const wrong: string[] = [];
    // Calls differ by what is in them, which other tests look at one by one.
    const some = paths.filter((path, n) => !path.startsWith('/calls/') || n % 4 === 0);
    for (const path of inSoak(paths, some)) {
      await me.page.goto(at(path));
      await me.page.evaluate(() => {
        for (const each of document.querySelectorAll('details')) each.open = true;
      });
      wrong.push(...(await wrongInLook(me.page, narrow)).map(each => `${path}: ${each}`));
      wrong.push(...(await wrongInLook(me.page, wide)).map(each => `${path}: ${each}`));
      await picture(me.page, path);
      // What is around every page is judged on two: at home, and where it shows the place of the page.
      const without = path === '/' || path.endsWith('/tools/look') ? [] : ['.top', '#side', '#inbox'];
      wrong.push(...(await violations(me.page, without)).map(each => `${path}: ${each}`));
      if (without.length > 0) continue;
      await wrongInLook(me.page, narrow);
      wrong.push(...(await violations(me.page)).map(each => `${path}, narrow: ${each}`));
    }
    expect(wrong).toEqual([]);
    expect(me.troubles).toEqual([]);
  });

  it('pages play a sound, copy a text as it was written and a result as JSON, and break long values of JSON into lines', async () => {
    await using me = await enter(on.desk.startUrl(), {
      viewport: { width: 400, height: 800 },
      permissions: ['clipboard-read', 'clipboard-write'],
    });
    const { page } = me;
    const copied = () => page.evaluate(() => navigator.clipboard.readText());
    const result = (name: string) => on.desk.workspace.calls.list().find(call => call.context.name === name)!;
    await page.goto(at(`/calls/${result('media').context.id}`));
    const seconds = await page.locator('audio[controls]').evaluate(
      (sound: HTMLAudioElement) =>
        new Promise<number>((resolve, reject) => {
          const look = () => resolve(sound.duration);
          sound.addEventListener('error', () => reject(new Error(sound.error?.message)));
          if (sound.readyState > 0) look();
          else sound.addEventListener('loadedmetadata', look);
          sound.load();
        }),
    );
    expect(seconds).toBeCloseTo(0.01);
    await page.goto(at(`/calls/${result('report').context.id}`));
    await page.getByRole('button', { name: 'Copy', exact: true }).click();
    await page.getByRole('button', { name: 'Copied', exact: true }).waitFor();
    expect(await copied()).toContain('| North | 1,200 | 1,340 |');
    await page.goto(at(`/calls/${result('table').context.id}`));
    await page.getByRole('button', { name: 'Copy as JSON' }).click();
    await page.getByRole('button', { name: 'Copied', exact: true }).waitFor();
    expect(JSON.parse(await copied())).toMatchObject({ structuredContent: { total: 6, more: null } });
    const long = page.locator('.json-string', { hasText: 'anidentifierthatnobodywouldbreak' }).last();
    const { lines, right } = await long.evaluate(value => ({
      lines: new Set([...value.getClientRects()].map(each => each.top)).size,
      right: value.getBoundingClientRect().right,
    }));
    expect(lines).toBeGreaterThan(1);
    expect(right).toBeLessThan(400);
    expect(me.troubles).toEqual([]);
  });

  it('pages filter the prompts and resources of a server with its tools', async () => {
    await using me = await enter(on.desk.startUrl());
    await me.page.goto(at('/servers/rich'));
    const rows = me.page.locator('.tool-row .name .mono:visible');
    const filter = me.page.getByRole('searchbox', { name: 'Filter 14 entries' });
    await filter.fill('retract');
    expect(await rows.allTextContents()).toEqual(['retract']);
    await filter.fill('notes of');
    expect(await rows.allTextContents()).toEqual(
      ['spring', 'summer', 'autumn', 'winter'].map(each => `things://${each}`),
    );
    await filter.fill('');
    expect(await rows.count()).toBe(14);
    // What has nothing left to show says nothing.
    await filter.fill('report');
    expect(await me.page.getByRole('heading', { name: 'Prompts' }).isVisible()).toBe(false);
    await filter.fill('no such thing');
    expect(await me.page.locator('#main h2:visible').allTextContents()).toEqual([]);
    await me.page.getByText('No entry matches.').waitFor();
  });

  it('every page and state have nothing that keeps anybody out when a form comes back with errors', async () => {
    await using me = await enter(on.desk.startUrl());
    await me.page.goto(at('/calls/s-fields'));
    await me.page.getByLabel('Full name').fill('A');
    await me.page.getByRole('button', { name: 'Send answer' }).click();
    await me.page.getByRole('alert').waitFor();
    await me.page.locator('[name=f0]:focus').waitFor();
    expect(await violations(me.page)).toEqual([]);
    await me.page.goto(at('/servers/silent/tools/wipe'));
    await me.page.getByLabel('What').fill('{"broken"');
    await me.page.getByRole('button', { name: 'Run' }).click();
    await me.page.locator('.error').waitFor();
    expect(await violations(me.page)).toEqual([]);
    expect(me.troubles).toEqual([]);
  });

  it('pages on a phone break no word of a table, cut no cell off, and have every page in sight in the bar', async () => {
    on.policy.add({ server: '*', subject: '*', effect: 'refuse', forMs: 900_000 });
    on.audit.record({ type: 'policy', what: 'refuse everything for every server' });
    await using me = await enter(on.desk.startUrl(), { viewport: { width: 390, height: 844 } });
    for (const path of ['/policy', '/history', '/audit', '/models']) {
      await me.page.goto(at(path));
      const seen = await me.page.evaluate(() => {
        const broken: string[] = [];
        for (const cell of document.querySelectorAll('td')) {
          const walker = document.createTreeWalker(cell, NodeFilter.SHOW_TEXT);
          for (let node = walker.nextNode(); node; node = walker.nextNode()) {
            for (const { 0: word, index } of (node.textContent ?? '').matchAll(/[a-z]{2,20}/gi)) {
              const range = document.createRange();
              range.setStart(node, index);
              range.setEnd(node, index + word.length);
              if (new Set([...range.getClientRects()].map(rect => rect.top)).size > 1) broken.push(word);
            }
          }
        }
        const cells = [...document.querySelectorAll('td')].map(each => each.getBoundingClientRect());
        const cut = cells.filter(({ right }) => right > window.innerWidth).length;
        const links = [...document.querySelectorAll('.pages a')].map(each => each.getBoundingClientRect().right);
        return { broken, cut, hidden: links.filter(right => right > window.innerWidth).length, links: links.length };
      });
      expect({ path, ...seen }).toEqual({ path, broken: [], cut: 0, hidden: 0, links: 7 });
    }
    on.policy.revoke(on.policy.decisions()[0]!.id);
    // Where a server does not run, its way back hides nothing of why.
    await me.page.setViewportSize({ width: 360, height: 740 });
    await me.page.goto(at('/'));
    const hidden = await me.page.locator('.server-row').evaluateAll(rows =>
      rows.filter(row => {
        const [why, back] = [row.querySelector('.server-row-trouble'), row.querySelector('button')];
        if (!why || !back) return false;
        return why.getBoundingClientRect().bottom > back.getBoundingClientRect().top;
      }),
    );
    expect(hidden).toEqual([]);
    expect(await me.page.locator('.server-row button').count()).toBeGreaterThan(0);
    // How long a question is open stands below who asks where there is no room beside it, and the time of a message in one line.
    await me.page.goto(at('/calls/s-soon'));
    const head = await me.page.locator('.question').evaluate(card => {
      const box = (part: string) => card.querySelector(part)!.getBoundingClientRect();
      const chips = [...card.querySelectorAll('.frame-top .chip')].map(each => each.getBoundingClientRect().right);
      return {
        lines: Math.round(box('.frame-title').height / 24),
        out: chips.filter(right => right > box('form').right),
      };
    });
    expect(head).toEqual({ lines: 1, out: [] });
    await me.page.goto(at('/servers/rich/wire'));
    const heights = await me.page.locator('.frames .clock').evaluateAll(all =>
      all.map(each => {
        each.textContent = '10:32:06 PM';
        return Math.round(each.getBoundingClientRect().height / 20);
      }),
    );
    expect(new Set(heights)).toEqual(new Set([1]));
  });

  it('every page and state have room for names of a hundred letters, and let each paragraph run in the direction of its writing', async () => {
    await using me = await enter(on.desk.startUrl(), { viewport: { width: 1280, height: 800 } });
    await me.page.goto(at('/history'));
    const scrolls = () =>
      me.page.evaluate(() =>
        [...document.querySelectorAll('.table-wrap,.server,.top')]
          .filter(each => each.scrollWidth > each.clientWidth)
          .map(each => each.className),
      );
    expect(await scrolls()).toEqual([]);
    await me.page.setViewportSize({ width: 1024, height: 800 });
    expect(await scrolls()).toEqual([]);
    await me.page.goto(at('/calls/s-arabic'));
    const gap = await me.page
      .locator('#main blockquote')
      .first()
      .evaluate(quote => {
        const range = document.createRange();
        range.selectNodeContents(quote);
        const box = quote.getBoundingClientRect();
        const rects = [...range.getClientRects()];
        const [left, right] = [Math.min(...rects.map(each => each.left)), Math.max(...rects.map(each => each.right))];
        return { left: left - box.left > 100, right: box.right - right < 2 };
      });
    expect(gap).toEqual({ left: true, right: true });
  });

  it('pages scroll only for what does not fit, mark no domain where an address has none, and keep a colon after a key', async () => {
    await using me = await enter(on.desk.startUrl(), { viewport: { width: 400, height: 860 } });
    const { page } = me;
    await page.goto(at('/nothing'));
    const beyond = () => page.evaluate(() => document.documentElement.scrollHeight - window.innerHeight);
    expect(await beyond()).toBe(0);
    await page.setViewportSize({ width: 1440, height: 860 });
    expect(await beyond()).toBe(0);
    const marks = page.locator('.address-text');
    const counts: (readonly [number, number])[] = [];
    for (const path of paths.filter(each => each.startsWith('/questions/'))) {
      await page.goto(at(path));
      counts.push([await marks.count(), await marks.locator('strong').count()]);
    }
    expect(counts.map(([all]) => all).toSorted()).toEqual([0, 0, 1, 1]);
    expect(counts.filter(([all, domains]) => all > domains)).toHaveLength(1);
    // A key in another direction than the page's keeps its colon between itself and its value.
    const arabic = on.desk.workspace.calls.list().find(call => call.context.name === 'arabic')!;
    await page.setViewportSize({ width: 1920, height: 860 });
    await page.goto(at(`/calls/${arabic.context.id}`));
    const order = await page
      .locator('.json-members li')
      .first()
      .evaluate(line => {
        const left = (node: Node) => {
          const range = document.createRange();
          range.selectNodeContents(node);
          return range.getBoundingClientRect().left;
        };
        return [...line.childNodes].map(left);
      });
    expect(order).toHaveLength(3);
    expect(order).toEqual([...order].sort((a, b) => a - b));
  });

  it('pages say by lines what backgrounds said, where the person’s own colours replace ours', async () => {
    await using me = await enter(on.desk.startUrl(), { forcedColors: 'active' });
    const { page } = me;
    await page.goto(at('/servers/silent/tools/look'));
    const outlined = (selector: string) =>
      page
        .locator(selector)
        .first()
        .evaluate(each => getComputedStyle(each).outlineStyle);
    expect(await outlined('.side [aria-current]')).toBe('solid');
    expect(await outlined('.head .chip')).toBe('solid');
    await page.goto(at('/history'));
    expect(await outlined('.pages [aria-current]')).toBe('solid');
    expect(await outlined('.pages a:not([aria-current])')).toBe('none');
  });

  it('pages weigh less than 90 KB at first paint, all files together, and little once these are there', async () => {
    await using me = await visitor(browser);
    let bytes = 0;
    const client = await me.context.newCDPSession(me.page);
    await client.send('Network.enable');
    client.on('Network.loadingFinished', ({ encodedDataLength }) => {
      bytes += encodedDataLength;
    });
    await me.page.goto(on.desk.startUrl(), { waitUntil: 'load' });
    expect(bytes).toBeGreaterThan(10_000);
    expect(bytes).toBeLessThan(90_000);
    // The next page has all files already.
    const first = bytes;
    await me.page.goto(at('/calls/s-pick'), { waitUntil: 'load' });
    expect(bytes - first).toBeLessThan(50_000);
  });
});
