/**
 * Makes the pictures of the desk and of connect pages in docs/images: `npm run screenshots`.
 * The desk runs as a person would run it, on a copy of the sample notes; the last argument `all` also makes the pictures
 * nobody ships, below the directory that it is followed by: of every page in light and dark at three widths, and of every state
 * that four tests judge: of the desk, of a person's inbox, and of the pages of a server.
 */
import { spawn, spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { idleClock } from '@midcall/core/time';
import { confirm, connect, secret } from '@midcall/server/connect';
import { memoryStore } from '@midcall/server/stores/memory';
import { chromium } from 'playwright-core';
import { keyRing } from '../packages/server/src/state/keys.ts';
import { createSealer } from '../packages/server/src/state/seal.ts';
import { browserPath, root as house } from './places.ts';

const images = join(house, 'docs/images');
const judged = [
  'test/web/pages.browser.test.ts',
  'test/web/person.browser.test.ts',
  'test/web/person-approvals.browser.test.ts',
  'test/connect/pages.browser.test.ts',
];
const everything = process.argv[2] === 'all' ? (process.argv[3] ?? 'screenshots') : undefined;

const place = mkdtempSync(join(tmpdir(), 'midcall-pictures-'));
cpSync(join(house, 'packages/midcall/samples/notes'), join(place, 'notes'), { recursive: true });
const config = join(place, 'mcp.json');
writeFileSync(
  config,
  JSON.stringify({
    mcpServers: { notes: { command: 'node', args: ['packages/midcall/bin/midcall.js', 'notes'], cwd: house } },
  }),
);
const desk = spawn(
  process.execPath,
  ['packages/midcall/bin/midcall.js', 'desk', '--no-keep', '--config', config, '--root', join(place, 'notes')],
  {
    cwd: house,
    stdio: ['ignore', 'pipe', 'inherit'],
  },
);
const line = await new Promise<string>(resolve => createInterface({ input: desk.stdout }).once('line', resolve));
const startUrl = /(http:\S+)/.exec(line)![1]!;
// A system font that most readers know; without it Debian's browser takes DejaVu.
const fonts = join(place, 'fonts.conf');
const alias = (name: string, font: string) =>
  `<match target="pattern"><test name="family"><string>${name}</string></test><edit name="family" mode="assign" binding="strong"><string>${font}</string></edit></match>`;
writeFileSync(
  fonts,
  `<?xml version="1.0"?><!DOCTYPE fontconfig SYSTEM "fonts.dtd"><fontconfig><include>/etc/fonts/fonts.conf</include>${['sans', 'sans-serif', 'system-ui', 'DejaVu Sans'].map(name => alias(name, 'Liberation Sans')).join('')}</fontconfig>`,
);
const browser = await chromium.launch({
  env: { ...process.env, FONTCONFIG_FILE: fonts },
  executablePath: browserPath(),
  args: ['--no-sandbox', '--disable-gpu', '--font-render-hinting=none'],
});

const context = await browser.newContext({
  viewport: { width: 1280, height: 840 },
  deviceScaleFactor: 1.5,
  colorScheme: 'light',
});
const page = await context.newPage();
await page.goto(startUrl);
const tool = (name: string) => page.getByRole('navigation', { name: 'Servers' }).getByRole('link', { name });

async function askWhichReport() {
  await tool('notes_delete').click();
  await page.getByLabel('Title').fill('TPS report');
  await page.getByRole('button', { name: 'Run' }).click();
  await page.getByRole('heading', { name: 'notes asks you' }).waitFor();
}

mkdirSync(images, { recursive: true });
await askWhichReport();
await page.getByRole('radio', { name: /2024/ }).check();
await page.getByRole('radio', { name: 'Yes' }).check();
await page.locator('.review', { hasText: 'Yes' }).waitFor();
await page.mouse.move(640, 90);
await page.evaluate(() => (document.activeElement as HTMLElement | null)?.blur());
await page.screenshot({ path: join(images, 'desk.png') });

if (everything !== undefined) {
  mkdirSync(everything, { recursive: true });
  // All pages of a desk lie below one path.
  const below = new URL('..', page.url()).href;
  const asked = page.url().slice(below.length);
  const looks = ([1440, 1024, 400] as const).flatMap(width =>
    (['light', 'dark'] as const).map(
      colorScheme => [`${width}-${colorScheme}`, { colorScheme, viewport: { width, height: 860 } }] as const,
    ),
  );
  const shoot = async (paths: Readonly<Record<string, string>>) => {
    for (const [look, options] of looks) {
      const own = await browser.newContext({ ...options, storageState: await context.storageState() });
      const each = await own.newPage();
      for (const [name, path] of Object.entries(paths)) {
        await each.goto(new URL(path, below).href);
        await each.screenshot({ path: join(everything, `${name}-${look}.png`), fullPage: true });
      }
      await own.close();
    }
  };
  await shoot({
    asked,
    home: '',
    server: 'servers/notes',
    tool: 'servers/notes/tools/notes_write',
    inbox: 'inbox',
    find: 'find?q=note',
  });
  await page.getByRole('button', { name: 'Send answer' }).click();
  await page.locator('.entry-result').waitFor();
  await tool('notes_search').click();
  await page.getByLabel('Query').fill('report');
  await page.getByRole('button', { name: 'Run' }).click();
  await page.locator('.entry-result').waitFor();
  const searched = page.url().slice(below.length);
  await page.getByRole('link', { name: 'Run again' }).click();
  await page.getByLabel('Query').fill('minutes');
  await page.getByRole('button', { name: 'Run' }).click();
  await page.waitForURL(url => !url.pathname.endsWith(searched));
  await page.locator('.entry-result').waitFor();
  const again = page.url().slice(below.length);
  await page.goto(new URL('servers/notes/tools/notes_write', below).href);
  await page.getByRole('button', { name: 'Edit as JSON' }).click();
  await page.getByLabel('Arguments as JSON').waitFor();
  await page.screenshot({ path: join(everything, 'json-1280-light.png'), fullPage: true });
  await shoot({
    answered: asked,
    searched,
    compared: `${again}/compare`,
    history: 'history',
    tasks: 'tasks',
    roots: 'roots',
    models: 'models',
    policy: 'policy',
    audit: 'audit',
    add: 'add',
    edit: 'servers/notes/edit',
    wire: 'servers/notes/wire',
    settings: 'settings',
    nothing: 'nothing',
  });
}

await shootPages();
if (everything !== undefined)
  spawnSync(process.execPath, ['node_modules/vitest/vitest.mjs', 'run', ...judged], {
    cwd: house,
    env: { ...process.env, MIDCALL_PICTURES: resolve(everything, 'states') },
    stdio: 'inherit',
  });
await browser.close();
desk.kill('SIGTERM');
await new Promise(resolve => desk.once('exit', resolve));
rmSync(place, { recursive: true });

/** Pages of a server as its person sees them, in light and dark. */
async function shootPages(): Promise<void> {
  const store = memoryStore();
  const vault = { put: async () => {}, get: async () => undefined, forget: async () => {} };
  const pages = connect({ name: 'Weather', vault, reach: { kind: 'here', browser: false } });
  const service = pages.attach({
    store,
    sealer: createSealer(keyRing(Buffer.from(Array.from({ length: 32 }, (_, index) => index * 7)))),
    wake: { wake() {}, listen: () => () => {}, async close() {} },
    clock: idleClock,
    warn: () => {},
    audit: () => {},
  });
  const principal = { issuer: 'os', subject: 'ada' };
  type PageAsk = Parameters<typeof service.open>[0];
  const ask = async (
    page: Pick<PageAsk, 'kind' | 'data'>,
    message: string,
    tool: string,
    args: PageAsk['arguments'],
    check: PageAsk['check'] = 'none',
  ) => {
    const askedAt = Date.now();
    const call = { flow: tool, method: 'tools/call', name: tool, arguments: '', principal } as const;
    const pageId = service.newPageId();
    const times = { askedAt, dueAt: askedAt + 900_000 };
    const { url } = await service.open({
      ...page,
      pageId,
      message,
      check,
      code: 'ABCD-2345',
      call,
      arguments: args,
      ...times,
    });
    return url;
  };
  const key = secret({ name: 'weather', label: 'API key', help: 'In your account at weather.example, under Keys.' });
  const all = {
    'connect-secret': await ask(key, 'The forecast needs your key of weather.example.', 'forecast', {
      place: 'Bergen',
    }),
    'connect-code': await ask(confirm(), 'Sure?', 'wipe', {}, 'code'),
    'connect-confirm': await ask(confirm(), 'This cannot be undone.', 'wipe', {
      folder: 'work/old',
      older_than: '2025-01-01',
    }),
  };
  for (const colorScheme of ['light', 'dark'] as const) {
    const own = await browser.newContext({
      colorScheme,
      viewport: { width: 720, height: 480 },
      deviceScaleFactor: 1.5,
    });
    const each = await own.newPage();
    for (const [name, url] of Object.entries(all)) {
      await each.goto(url);
      const path = join(images, `${name}${colorScheme === 'dark' ? '-dark' : ''}.png`);
      await each.screenshot({ path, fullPage: true });
    }
    await own.close();
  }
  await pages.close();
}
