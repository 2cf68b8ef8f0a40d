/** The desk as an app, in Chromium: what it can be installed from, what the browser stores, and what it shows without a desk. */
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { browsersFile } from '@midcall/host/web';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest';
import { freePort } from '../fixtures/free-port.ts';
import { controlled, known, launch, leaveBrowser, violations, visitor } from './browser.ts';
import { builtClient, pickOne, type Stage, stage } from './stage.ts';

const main = fileURLToPath(new URL('../../packages/midcall/bin/midcall.js', import.meta.url));

let browser: Browser;
beforeAll(async () => {
  browser = await launch();
});
afterAll(() => leaveBrowser(browser));

const browsers = () => browsersFile(join(mkdtempSync(join(tmpdir(), 'i-')), 'browsers.json'));

/** Everything that the browser stores for the worker, as text. */
const cached = (page: Page): Promise<readonly { readonly url: string; readonly text: string }[]> =>
  page.evaluate(async () => {
    const all: { url: string; text: string }[] = [];
    for (const name of await caches.keys()) {
      const cache = await caches.open(name);
      for (const request of await cache.keys()) {
        const response = await cache.match(request);
        const head = [...response!.headers].map(each => each.join(': ')).join('\n');
        all.push({ url: new URL(request.url).pathname, text: `${name}\n${head}\n${await response!.text()}` });
      }
    }
    return all;
  });

/** The desk as a process of its own, at the port of this file. */
async function realDesk(): Promise<{ readonly child: ChildProcess; readonly link: string }> {
  const child = spawn(process.execPath, [main, 'desk'], { stdio: ['ignore', 'pipe', 'inherit'] });
  onTestFinished(() => void child.kill('SIGKILL'));
  for await (const line of createInterface({ input: child.stdout })) {
    const link = /^Midcall desk: (\S+)$/.exec(line)?.[1];
    if (link !== undefined) return { child, link };
  }
  throw new Error('The desk did not start.');
}

it('worker-K1: a desk whose process is dead is shown as such, nothing secret is stored, and the next desk is shown once it runs', async () => {
  await using me = await visitor(browser);
  const { page } = me;
  const before = await realDesk();
  await page.goto(before.link);
  await page.locator('#inbox').waitFor();
  await controlled(page);
  const base = new URL(page.url()).pathname.split('/')[1]!;
  const csrf = (await page.locator('body').getAttribute('data-csrf'))!;
  const stored = await cached(page);
  expect(stored.map(({ url }) => url.replace(/^\/assets\/[^/]+\//, '')).sort()).toEqual([
    'desk.css',
    'icon.svg',
    'offline.html',
    'offline.js',
  ]);
  for (const secret of [base, csrf, new URL(before.link).searchParams.get('key')!])
    for (const { url, text } of stored) expect(`${url}\n${text}`).not.toContain(secret);
  // A page that the worker has let through is as strict as one without it.
  const response = await page.reload();
  expect(response!.headers()['content-security-policy']).toContain("default-src 'none'; script-src 'self'");
  await page.locator('#inbox').waitFor();
  await known(page);

  before.child.kill('SIGKILL');
  await new Promise(resolve => before.child.once('exit', resolve));
  await page.reload();
  await page.getByRole('heading', { name: 'No desk is running' }).waitFor();
  expect(await violations(page)).toEqual([]);
  await page.goto(`${new URL(page.url()).origin}/`);
  await page.getByRole('heading', { name: 'No desk is running' }).waitFor();

  const after = await realDesk();
  await page.locator('#inbox').waitFor();
  expect(new URL(page.url()).pathname).not.toContain(base);
  after.child.kill('SIGKILL');
});

it('a desk that answers after five seconds is waited for, by the page that is shown while none runs', async () => {
  await using me = await visitor(browser);
  const { page } = me;
  const port = await freePort();
  {
    await using on = await stage({ client: builtClient, browsers: browsers(), port });
    await page.goto(on.desk.startUrl());
    await controlled(page);
  }
  await page.goto(`http://127.0.0.1:${port}/`);
  await page.getByRole('heading', { name: 'No desk is running' }).waitFor();

  let asked = 0;
  const slow = createServer((req, res) => {
    if (req.url !== '/') return void res.end();
    asked += 1;
    setTimeout(() => res.setHeader('content-type', 'text/html').end('Here at last'), 5_000);
  });
  onTestFinished(() => void slow.close().closeAllConnections());
  slow.listen(port, '127.0.0.1');
  await page.getByText('Here at last').waitFor();
  expect(asked).toBe(1);
});

it('a proxy that says that nobody answers behind it is no desk: the page looks on, and opens the desk once that answers', async () => {
  await using me = await visitor(browser);
  const { page } = me;
  let port = 0;
  {
    await using on = await stage({ client: builtClient, browsers: browsers() });
    port = Number(new URL(on.desk.url).port);
    await page.goto(on.desk.startUrl());
    await controlled(page);
    await page.goto('about:blank');
  }
  /** Before each time that the page itself was asked for, how often it had looked. */
  const asked: number[] = [];
  let looks = 0;
  const proxy = createServer((req, res) => {
    if (req.url?.endsWith('/icon.svg')) looks += 1;
    if (req.url === '/') asked.push(looks);
    if (looks < 2) res.statusCode = 502;
    res.setHeader('content-type', 'text/html').end(looks < 2 ? 'Bad gateway' : 'Here at last');
  });
  onTestFinished(() => void proxy.close().closeAllConnections());
  await new Promise<void>(resolve => proxy.listen(port, '127.0.0.1', resolve));
  await page.goto(`http://127.0.0.1:${port}/`);
  await page.getByRole('heading', { name: 'No desk is running' }).waitFor();
  await page.getByText('Here at last').waitFor();
  expect(asked).toEqual([0, 2]);
});

it('the desk can be installed: its manifest names no secret, and leads to the address that is bookmarked', async () => {
  await using on = await stage({ client: builtClient, browsers: browsers() });
  await using me = await visitor(browser);
  const { page } = me;
  await page.goto(on.desk.startUrl());
  await controlled(page);
  const client = await page.context().newCDPSession(page);
  const { url, data, errors } = await client.send('Page.getAppManifest');
  expect(errors).toEqual([]);
  const { origin } = new URL(on.desk.url);
  const base = new URL(on.desk.url).pathname.split('/')[1]!;
  expect(JSON.parse(data!)).toMatchObject({ id: '/', start_url: '/', scope: '/', display: 'standalone' });
  expect(`${url}${data}`).not.toContain(base);
  const icon = JSON.parse(data!).icons[0].src as string;
  expect((await fetch(new URL(icon, origin))).headers.get('content-type')).toBe('image/svg+xml');
  expect((await client.send('Page.getInstallabilityErrors')).installabilityErrors).toEqual([]);
  expect(me.troubles).toEqual([]);
  await page.goto(`${origin}/`);
  await page.locator('#inbox').waitFor();
});

it('a desk without a fixed address registers no worker, and has no manifest', async () => {
  await using on = await stage({ client: builtClient });
  await using me = await visitor(browser);
  // A registration is not listed before it is done.
  await me.page.addInitScript(() => {
    const asked: string[] = [];
    Object.assign(window, { asked });
    ServiceWorkerContainer.prototype.register = url => {
      asked.push(String(url));
      return Promise.reject(new Error('No worker here.'));
    };
  });
  await me.page.goto(on.desk.startUrl());
  await me.page.locator('body.scripted').waitFor();
  expect(await me.page.evaluate(() => (window as unknown as { asked: unknown }).asked)).toEqual([]);
  expect(await me.page.locator('link[rel=manifest]').count()).toBe(0);
});

interface Shown {
  readonly title: string;
  readonly body: string;
  readonly data: unknown;
  readonly actions: readonly string[];
}

/** A page that nobody looks at, with alerts switched on; `shown` holds its notifications. */
async function unseen(on: Stage, context: BrowserContext): Promise<{ page: Page; shown: () => Promise<Shown[]> }> {
  await context.addInitScript(() => {
    localStorage.setItem('midcall.alerts', 'on');
    Object.defineProperty(document, 'visibilityState', { get: () => 'hidden' });
    Object.defineProperty(Notification, 'permission', { get: () => 'granted' });
    const all: object[] = [];
    Object.assign(window, { shownNotifications: all });
    // What a browser without a desktop would show.
    ServiceWorkerRegistration.prototype.showNotification = async (title, options) => {
      const { body, data, actions } = options as { body: string; data: unknown; actions: { title: string }[] };
      all.push({ title, body, data, actions: actions.map(each => each.title) });
    };
  });
  const page = await context.newPage();
  await page.goto(on.desk.startUrl());
  await controlled(page);
  const shown = async (): Promise<Shown[]> => {
    await page.waitForFunction(
      () => (window as unknown as { shownNotifications: unknown[] }).shownNotifications.length,
    );
    return page.evaluate(() => (window as unknown as { shownNotifications: Shown[] }).shownNotifications.splice(0));
  };
  return { page, shown };
}

/** The person presses a button of a notification, or the notification itself. @returns the windows that the worker opens */
const press = (
  context: BrowserContext,
  question: string,
  action: 'open' | 'decline' | '',
): Promise<readonly string[]> =>
  context.serviceWorkers()[0]!.evaluate(
    async ([id, pressed]) => {
      const event = new Event('notificationclick') as Event & Record<string, unknown>;
      const notification = { data: { question: id }, close: () => {} };
      const { clients } = self as unknown as { clients: Record<string, unknown> };
      const windows: string[] = [];
      clients['openWindow'] = async (url: string) => void windows.push(url);
      let done: Promise<unknown> | undefined;
      Object.assign(event, {
        action: pressed,
        notification,
        waitUntil: (work: Promise<unknown>) => {
          // Nobody has pressed anything, so the browser lets no window be focused.
          done = work.catch(() => {});
        },
      });
      self.dispatchEvent(event);
      await done;
      return windows;
    },
    [question, action] as const,
  );

const withTwoFields = (id: string) => ({ ...pickOne('c-1'), id });
const withoutFields = (id: string) => ({ ...pickOne('c-1'), id, message: 'Empty the trash?', fields: [] });

it('worker-K2: a notification opens its question, and declines one that has no fields', async () => {
  await using on = await stage({ client: builtClient, browsers: browsers() });
  await using me = await visitor(browser);
  const { page, shown } = await unseen(on, me.context);
  const { csrf, link } = { csrf: await page.locator('body').getAttribute('data-csrf'), link: on.desk.url };
  void on.inbox.ask(withTwoFields('n-1'));
  const [first] = await shown();
  expect(first).toMatchObject({ data: { question: 'n-1' }, actions: ['Open'] });
  void on.inbox.ask(withoutFields('n-2'));
  const [second] = await shown();
  expect(second).toMatchObject({ data: { question: 'n-2' }, actions: ['Open', 'Decline'] });
  for (const secret of [csrf!, new URL(link).pathname.split('/')[1]!])
    expect(JSON.stringify([first, second])).not.toContain(secret);

  const declined = new Promise(resolve => on.inbox.ended('n-2').addEventListener('abort', resolve));
  await press(me.context, 'n-2', 'decline');
  await declined;
  expect(on.inbox.ending('n-2')).toEqual({ how: 'declined', via: 'web' });
  await press(me.context, 'n-1', 'open');
  await page.getByText('Multiple notes match').first().waitFor();
  expect(on.inbox.get('n-1')).toBeDefined();
});

it('worker-K2: of all windows, the worker tells a page of the desk, and opens one if there is none', async () => {
  await using on = await stage({ client: builtClient, browsers: browsers() });
  await using me = await visitor(browser);
  const { page } = await unseen(on, me.context);
  // A page without a desk or a session listens to nobody either, and has any address.
  const other = `${new URL(on.desk.url).origin}/assets/icon.svg`;
  const first = await me.context.newPage();
  await first.goto(other);
  const question = withoutFields('n-3');
  const ending = on.inbox.ask(question);
  expect(await press(me.context, 'n-3', 'decline')).toEqual([]);
  expect(await ending).toEqual({ how: 'declined', via: 'web' });
  await page.goto(other);
  expect(await press(me.context, 'n-3', 'open')).toEqual(['/?question=n-3']);
});

it('a person is told that a question could not be declined, by a notification that leads to it', async () => {
  await using on = await stage({ client: builtClient, browsers: browsers() });
  await using me = await visitor(browser);
  const { page, shown } = await unseen(on, me.context);
  void on.inbox.ask(withoutFields('n-4'));
  await shown();
  const told = {
    title: 'Midcall',
    body: 'The question could not be declined and may still be open. Open it and decline it there.',
    data: { question: 'n-4' },
    actions: ['Open'],
  };
  // What has ended already needs no word.
  void on.inbox.ask(withoutFields('n-5'));
  await shown();
  on.inbox.end('n-5', { how: 'withdrawn' });
  const late = page.waitForResponse(response => response.url().endsWith('/questions/n-5'));
  await press(me.context, 'n-5', 'decline');
  expect((await late).status()).toBe(409);
  await page.evaluate(() => {
    document.body.dataset['csrf'] = 'of another session';
  });
  await press(me.context, 'n-4', 'decline');
  expect(await shown()).toEqual([told]);
  expect(on.inbox.get('n-4')).toBeDefined();
  await on.desk.stop({ within: 0 });
  await press(me.context, 'n-4', 'decline');
  expect(await shown()).toEqual([told]);
});
