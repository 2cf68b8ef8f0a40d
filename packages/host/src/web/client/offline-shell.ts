/**
 * What every service worker of ours does: it shows a page of its own while nobody answers.
 *
 * - worker-K1 Only files that are the same for everybody are stored: the page without a desk or an inbox, and what that page needs.
 *   Nothing of a person, no secret path and no token is among them.
 */
import { nobodyAnswers } from './nobody-answers.ts';

/** What such a worker uses of its own world, for which the compiler has no types beside those of pages. */
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
interface Pushed extends Lasting {
  readonly data: { json(): unknown } | null;
}
export interface PageClient {
  readonly url: string;
  postMessage(message: unknown, transfer?: readonly MessagePort[]): void;
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
  addEventListener(type: 'push', listener: (event: Pushed) => void): void;
  addEventListener(type: 'notificationclick', listener: (event: Clicked) => void): void;
}
export const world = self as unknown as World;

/** The folder of this version's files, which never change. */
export const folder = new URL('.', world.location.href).pathname;
/** Where the folders of all versions are. Other apps of this origin have their own stores. */
const versions = new URL('..', world.location.href).pathname;
const offline = `${folder}offline.html`;
const files = [offline, ...['offline.js', 'desk.css', 'icon.svg'].map(name => `${folder}${name}`)];

async function store(): Promise<void> {
  await (await caches.open(folder)).addAll(files);
  await world.skipWaiting();
}

async function takeOver(): Promise<void> {
  for (const name of await caches.keys()) if (name.startsWith(versions) && name !== folder) await caches.delete(name);
  // The browser asks for a page itself, as if there were no worker, so that the server sees who asks for what.
  await world.registration.navigationPreload.enable();
  await world.clients.claim();
}

const stored = async (path: string): Promise<Response> => (await caches.match(path)) ?? Response.error();

async function pageOr(offlinePage: string, { preloadResponse, request }: Fetching): Promise<Response> {
  try {
    const page = (await preloadResponse) ?? (await fetch(request));
    return nobodyAnswers(page) ? await stored(offlinePage) : page;
  } catch {
    return stored(offlinePage);
  }
}

/** Begins to do so. */
export function showOfflinePage(): void {
  world.addEventListener('install', event => event.waitUntil(store()));
  world.addEventListener('activate', event => event.waitUntil(takeOver()));
  world.addEventListener('fetch', event => {
    const { method, destination, url } = event.request;
    const { pathname } = new URL(url);
    if (files.includes(pathname))
      event.respondWith(caches.match(pathname).then(found => found ?? fetch(event.request)));
    // The content of a frame is not a page of ours.
    else if (destination === 'document' && method === 'GET') event.respondWith(pageOr(offline, event));
  });
}
