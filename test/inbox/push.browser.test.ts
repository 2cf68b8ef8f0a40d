/** An inbox as the app of a device, in Chromium: its worker, its page without the inbox, its notifications, and the switch for them. */
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { eventually, grown } from '../fixtures/grown.ts';
import { controlled, launch, leaveBrowser, violations, visitor } from '../web/browser.ts';
import { type InboxStage, inboxStage, type RunningBridge, signInWith } from './inbox-stage.ts';
import { type FakeDevice, type Receiver, receiver } from './push-receiver.ts';

let browser: Browser;
let stage: InboxStage;
let bridge: RunningBridge;
let pushes: Receiver;

beforeAll(async () => {
  pushes = await receiver();
  stage = await inboxStage();
  bridge = await stage.bridge({ words: ['--allow-target', pushes.host] });
  browser = await launch();
});

afterAll(async () => {
  await leaveBrowser(browser);
  await stage?.[Symbol.asyncDispose]();
  await pushes?.[Symbol.asyncDispose]();
});

const inbox = (): string => new URL('/inbox', bridge.address).href;
const expected = (troubles: readonly string[]): readonly string[] =>
  troubles.filter(each => !/401|ERR_CONNECTION_REFUSED|ERR_INCOMPLETE_CHUNKED_ENCODING/.test(each));

/** Goes to the page of notifications. */
async function notifications(page: Page): Promise<void> {
  await page.getByRole('link', { name: 'Notifications' }).click();
  await page.getByRole('heading', { name: 'Notifications', level: 1 }).waitFor();
}

/** The browser has a push service, which reaches this device. Chromium without a screen has none. */
const withPushService = (page: Page, { json }: FakeDevice): Promise<unknown> =>
  page.addInitScript((told: string) => {
    const subscription = {
      ...JSON.parse(told),
      toJSON: () => JSON.parse(told),
      async unsubscribe() {
        localStorage.removeItem('test-subscribed');
        return true;
      },
    };
    const got = async () => (localStorage.getItem('test-subscribed') === null ? null : subscription);
    PushManager.prototype.getSubscription = got;
    PushManager.prototype.subscribe = async options => {
      localStorage.setItem('test-subscribed', `${(options!.applicationServerKey as Uint8Array).length}`);
      return subscription;
    };
    Notification.requestPermission = async () => 'granted';
    Object.defineProperty(Notification, 'permission', { get: () => 'default' });
  }, json);

it('worker-K1: the worker controls the inbox, stores nothing of a person, and shows a page of its own while there is no inbox', async () => {
  await using me = await visitor(browser);
  const { page } = me;
  await signInWith(page, 'ada', inbox());
  await controlled(page);
  const base = new URL(page.url()).pathname.match(/^\/inbox\/s\/([^/]+)/)![1]!;
  const registered = await page.evaluate(async () =>
    (await navigator.serviceWorker.getRegistrations()).map(({ scope, active }) => [scope, active?.scriptURL]),
  );
  expect(registered).toEqual([[inbox(), expect.stringMatching(/\/inbox\/assets\/[^/]+\/inbox-worker\.js$/)]]);
  await page.getByRole('link', { name: 'Past', exact: true }).click();
  await page.getByRole('heading', { name: 'Past questions' }).waitFor();
  await page.reload();
  await page.getByRole('heading', { name: 'Past questions' }).waitFor();
  const stored = await page.evaluate(async () => {
    const all: string[] = [];
    for (const name of await caches.keys()) {
      const cache = await caches.open(name);
      for (const request of await cache.keys())
        all.push(`${request.url}\n${await (await cache.match(request))!.text()}`);
    }
    return all;
  });
  expect(stored.map(each => /[^/]+$/.exec(each.split('\n')[0]!)![0]).sort()).toEqual([
    ...['desk.css', 'icon.svg', 'offline.html', 'offline.js'],
  ]);
  for (const each of stored) expect(each).not.toContain(base);
  // Nor is anything of a person where else a worker can store.
  expect(await page.evaluate(async () => (await indexedDB.databases()).map(({ name }) => name))).toEqual([]);

  // What it can be installed from.
  const client = await page.context().newCDPSession(page);
  const { url, errors, data } = await client.send('Page.getAppManifest');
  expect([url, errors, JSON.parse(data!).start_url]).toEqual([expect.stringContaining('.webmanifest'), [], '/inbox']);

  const { address } = bridge;
  await bridge.end('SIGKILL');
  await page.reload();
  await page.getByRole('heading', { name: 'Your inbox cannot be reached' }).waitFor();
  expect(await violations(page)).toEqual([]);
  await page.goto(inbox());
  await page.getByRole('heading', { name: 'Your inbox cannot be reached' }).waitFor();
  bridge = await stage.bridge({ at: address, words: ['--allow-target', pushes.host] });
  // It opens by itself, with the session that this browser still has.
  await page.waitForURL(`**/inbox/s/${base}/**`);
  await page.getByText('Nothing is waiting for you.').waitFor();
  // Who signs in again comes from another site, through the worker.
  await page.getByRole('link', { name: 'Sign out' }).click();
  await page.getByRole('button', { name: 'Sign out of this browser' }).click();
  await page.getByRole('link', { name: 'Sign in' }).waitFor();
  await signInWith(page, 'ada', inbox());
  await page.getByText('Nothing is waiting for you.').waitFor();
  expect(expected(me.troubles)).toEqual([]);
});

/** Hands the worker what a push service would. */
async function deliver(page: Page, data: string): Promise<void> {
  const client = await page.context().newCDPSession(page);
  const found = new Promise<string>(resolve => {
    client.on('ServiceWorker.workerRegistrationUpdated', ({ registrations }) => {
      const own = registrations.find(({ scopeURL, isDeleted }) => scopeURL === inbox() && !isDeleted);
      if (own) resolve(own.registrationId);
    });
  });
  await client.send('ServiceWorker.enable');
  await client.send('ServiceWorker.deliverPushMessage', {
    ...{ origin: bridge.address.origin, registrationId: await found, data },
  });
  await client.detach();
}

/** What the worker of a test has noted. */
interface Noted {
  noted: unknown[];
}

it('a push is shown in the words that were sent, one in the place of another, and leads to the door of the inbox', async () => {
  await using me = await visitor(browser);
  const { page, context } = me;
  await signInWith(page, 'bob', inbox());
  await controlled(page);
  const [worker] = context.serviceWorkers();
  // Chromium without a screen shows no notifications.
  await worker!.evaluate(() => {
    const world = self as unknown as Noted & { registration: ServiceWorkerRegistration };
    world.noted = [];
    world.registration.showNotification = async (title, options) => void world.noted.push({ title, ...options });
  });
  const noted = (): Promise<readonly unknown[]> => worker!.evaluate(() => (self as unknown as Noted).noted);
  const told = { title: 'Midcall', body: 'A question is waiting for you.' };
  await deliver(page, JSON.stringify(told));
  await eventually(async () => (await noted()).length === 1);
  expect(await noted()).toEqual([
    { ...told, tag: 'midcall-inbox', icon: expect.stringMatching(/^\/inbox\/assets\/[\w-]+\/app\.png$/) },
  ]);

  /** What a click does, with these pages open. */
  const click = (pages: readonly string[]): Promise<readonly unknown[]> =>
    worker!.evaluate(async open => {
      const world = self as unknown as Noted & EventTarget & { clients: Record<string, unknown> };
      world.noted = [];
      const note = (what: string) => async (url: string) =>
        void world.noted.push([what, new URL(url, location.href).pathname]);
      world.clients['matchAll'] = async () => open.map(url => ({ url, focus: () => note('focus')(url) }));
      world.clients['openWindow'] = note('open');
      const event = new Event('notificationclick');
      let done: unknown;
      Object.assign(event, {
        notification: { close: () => world.noted.push('closed') },
        waitUntil: (work: unknown) => {
          done = work;
        },
      });
      world.dispatchEvent(event);
      await done;
      return world.noted;
    }, pages);
  const { origin } = bridge.address;
  expect(await click([])).toEqual(['closed', ['open', '/inbox']]);
  expect(await click([`${origin}/other`, `${origin}/inboxes`])).toEqual(['closed', ['open', '/inbox']]);
  const own = `${origin}/inbox/s/x/questions/1`;
  expect(await click([`${origin}/other`, own])).toEqual(['closed', ['focus', '/inbox/s/x/questions/1']]);
  expect(expected(me.troubles)).toEqual([]);
});

it('a notification goes once somebody comes back to the inbox that they had left open', async () => {
  await using me = await visitor(browser);
  const { page } = me;
  await page.addInitScript(() => {
    // Chromium without a screen shows no notifications.
    const world = Object.assign(window, { noted: 1, seen: 'visible' });
    const shown = { close: () => Object.assign(world, { noted: 0 }) } as unknown as Notification;
    ServiceWorkerRegistration.prototype.getNotifications = async () => Array.from({ length: world.noted }, () => shown);
    Object.defineProperty(document, 'visibilityState', { get: () => world.seen });
  });
  await signInWith(page, 'bob', inbox());
  const gone = () => page.waitForFunction(() => (window as unknown as { noted: number }).noted === 0);
  await gone();
  /** The person leaves the page or comes back to it, while a notification is shown. */
  const turn = (seen: 'hidden' | 'visible') =>
    page.evaluate(now => {
      Object.assign(window, { noted: 1, seen: now });
      document.dispatchEvent(new Event('visibilitychange'));
    }, seen);
  await turn('hidden');
  expect(await page.evaluate(() => (window as unknown as { noted: number }).noted)).toBe(1);
  await turn('visible');
  await gone();
  expect(expected(me.troubles)).toEqual([]);
});

it('a person turns notifications on for this device, tests them, is told, and is not any more once they have signed out', async () => {
  await using me = await visitor(browser, { viewport: { width: 360, height: 740 } });
  const { page } = me;
  const device = pushes.device();
  await withPushService(page, device);
  await signInWith(page, 'cleo', inbox());
  await controlled(page);
  await notifications(page);
  await page.getByText('Notifications are off on this device.').waitFor();
  expect(await violations(page)).toEqual([]);
  await page.getByRole('button', { name: 'Turn on for this device' }).click();
  await page.getByText('Notifications are on for this device.').waitFor();
  await page.getByText('this device', { exact: true }).waitFor();
  const key = (await page.locator('[data-push-on]').getAttribute('data-push-on'))!;
  await page.getByRole('button', { name: 'Send a test' }).click();
  await page.getByText('A test is on its way.').waitFor();
  expect(device.shown(key)).toEqual([{ title: 'Midcall', body: 'Notifications work on this device.' }]);
  expect(await violations(page)).toEqual([]);
  // Nothing of it needs the page to be wider than a phone.
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(360);

  // The state is the same when they come back; off means off at the server.
  await page.reload();
  await page.getByText('Notifications are on for this device.').waitFor();
  await page.getByRole('button', { name: 'Turn off' }).click();
  await page.getByText('Notifications are off on this device.').waitFor();
  await page.waitForFunction(() => localStorage.getItem('test-subscribed') === null);
  await page.getByRole('button', { name: 'Turn on for this device' }).click();
  await page.getByText('Notifications are on for this device.').waitFor();

  await page.getByRole('link', { name: 'Sign out' }).click();
  await page.getByRole('button', { name: 'Sign out of this browser' }).click();
  await page.getByRole('link', { name: 'Sign in' }).waitFor();
  await using host = await stage.host(bridge, 'cleo', '2025-11-25');
  await host.ask({ n: 'after' });
  const again = await stage.signIn(bridge, 'cleo');
  expect(await again.text('/notifications')).not.toContain('data-device=');
  // She is told again on another device, and the first one is not.
  const other = pushes.device();
  await again.post('/notifications', { does: 'on', subscription: other.json });
  await host.ask({ n: 'later' });
  await grown(pushes.received, list => list.some(({ path }) => path === new URL(other.subscription.endpoint).pathname));
  expect(device.received).toHaveLength(1);
  expect(expected(me.troubles)).toEqual([]);
});

it('a page says what is missing: the installed app on an iPhone, permission, a push service, client script', async () => {
  const iphone =
    'Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) AppleWebKit/605.1.15 Version/18.0 Mobile/15E148 Safari/604.1';
  await using phone = await visitor(browser, { userAgent: iphone, viewport: { width: 360, height: 740 } });
  await phone.page.addInitScript(() => Reflect.deleteProperty(window, 'PushManager'));
  await signInWith(phone.page, 'dora', inbox());
  await notifications(phone.page);
  await phone.page.getByText('“Add to Home Screen”').waitFor();
  expect(await violations(phone.page)).toEqual([]);

  await using old = await visitor(browser);
  await old.page.addInitScript(() => Reflect.deleteProperty(window, 'PushManager'));
  await signInWith(old.page, 'dora', inbox());
  await notifications(old.page);
  await old.page.getByText('This browser cannot show notifications of an app.').waitFor();

  await using blocked = await visitor(browser);
  await blocked.page.addInitScript(() => Object.defineProperty(Notification, 'permission', { get: () => 'denied' }));
  await signInWith(blocked.page, 'dora', inbox());
  await notifications(blocked.page);
  await blocked.page.getByText('Notifications are blocked on this device.').waitFor();

  // Chromium without a screen has no push service, and says so.
  await using none = await visitor(browser);
  await none.page.addInitScript(() => {
    Notification.requestPermission = async () => 'granted';
    Object.defineProperty(Notification, 'permission', { get: () => 'default' });
    PushManager.prototype.subscribe = () => Promise.reject(new DOMException('Registration failed', 'AbortError'));
  });
  await signInWith(none.page, 'dora', inbox());
  await controlled(none.page);
  await notifications(none.page);
  await none.page.getByRole('button', { name: 'Turn on for this device' }).click();
  await none.page.getByText('The browser could not turn notifications on.').waitFor();

  await using without = await visitor(browser, { javaScriptEnabled: false });
  await signInWith(without.page, 'dora', inbox());
  await notifications(without.page);
  expect(await without.page.locator('.this-device').textContent()).toContain('needs JavaScript');
  for (const each of [phone, old, blocked, none]) expect(expected(each.troubles)).toEqual([]);
});
