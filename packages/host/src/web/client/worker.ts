/**
 * The service worker of the desk: shows a page of its own while no desk answers, and does what the buttons of a notification say.
 *
 * - worker-K1 Only files that are the same for everybody are stored: the page without a desk, and what that page needs. Nothing of a
 *   person, no path of a desk and no token is among them.
 * - worker-K2 It opens and changes nothing by itself: an open page of the desk does, which has the session.
 */

/** What this worker uses of its own world, for which the compiler has no types beside those of pages. */
interface Lasting {
  waitUntil(work: Promise<unknown>): void;
}
interface Fetching {
  readonly request: Request;
  readonly preloadResponse: Promise<Response | undefined>;
  respondWith(response: Promise<Response>): void;
}
interface Clicked extends Lasting {
  readonly action: string;
  readonly notification: Notification;
}
interface PageClient {
  postMessage(message: unknown): void;
  focus(): Promise<unknown>;
}
interface World {
  readonly location: Location;
  readonly registration: ServiceWorkerRegistration;
  readonly clients: {
    claim(): Promise<void>;
    matchAll(options: { type: 'window'; includeUncontrolled: true }): Promise<readonly PageClient[]>;
    openWindow(url: string): Promise<unknown>;
  };
  skipWaiting(): Promise<void>;
  addEventListener(type: 'install' | 'activate', listener: (event: Lasting) => void): void;
  addEventListener(type: 'fetch', listener: (event: Fetching) => void): void;
  addEventListener(type: 'notificationclick', listener: (event: Clicked) => void): void;
}
const world = self as unknown as World;

/** The folder of this version's files, which never change. */
const folder = new URL('.', world.location.href).pathname;
const offline = `${folder}offline.html`;
const files = [offline, ...['offline.js', 'desk.css', 'icon.svg'].map(name => `${folder}${name}`)];

async function store(): Promise<void> {
  await (await caches.open(folder)).addAll(files);
  await world.skipWaiting();
}

async function takeOver(): Promise<void> {
  for (const name of await caches.keys()) if (name !== folder) await caches.delete(name);
  // The browser asks for a page itself, as if there were no worker, so that the desk sees who asks for what.
  await world.registration.navigationPreload.enable();
  await world.clients.claim();
}

const stored = async (path: string): Promise<Response> => (await caches.match(path)) ?? Response.error();

async function pageOr(offlinePage: string, { preloadResponse, request }: Fetching): Promise<Response> {
  try {
    return (await preloadResponse) ?? (await fetch(request));
  } catch {
    return stored(offlinePage);
  }
}

async function clicked({ action, notification }: Clicked): Promise<void> {
  const { question } = notification.data as { readonly question: string };
  const [page] = await world.clients.matchAll({ type: 'window', includeUncontrolled: true });
  if (!page) return void (await world.clients.openWindow(`/?question=${encodeURIComponent(question)}`));
  page.postMessage({ question, does: action === 'decline' ? 'decline' : 'open' });
  if (action !== 'decline') await page.focus();
}

world.addEventListener('install', event => event.waitUntil(store()));
world.addEventListener('activate', event => event.waitUntil(takeOver()));
world.addEventListener('fetch', event => {
  const { method, destination, url } = event.request;
  const { pathname } = new URL(url);
  if (files.includes(pathname)) event.respondWith(caches.match(pathname).then(found => found ?? fetch(event.request)));
  // The content of a frame is not a page of the desk.
  else if (destination === 'document' && method === 'GET') event.respondWith(pageOr(offline, event));
});
world.addEventListener('notificationclick', event => {
  event.notification.close();
  event.waitUntil(clicked(event));
});
