/**
 * The service worker of a person's inbox: shows a page of its own while the inbox cannot be reached, and says that a question waits.
 *
 * - inbox-worker-I1 It knows no session and no question. What it opens is the door of the inbox, behind which the session is needed.
 */
import { folder, showOfflinePage, world } from './offline-shell.ts';

/** A second notification takes the place of the first. */
const tag = 'midcall-inbox';

async function show(data: unknown): Promise<void> {
  const { title, body } = data as { readonly title: string; readonly body: string };
  await world.registration.showNotification(title, { body, tag, icon: `${folder}app.png` });
}

async function open(): Promise<void> {
  const { scope } = world.registration;
  const pages = await world.clients.matchAll({ type: 'window', includeUncontrolled: true });
  const page = pages.find(({ url }) => `${url}/`.startsWith(`${scope}/`));
  if (page) await page.focus();
  else await world.clients.openWindow(scope);
}

showOfflinePage();
world.addEventListener('push', event => event.waitUntil(show(event.data?.json())));
world.addEventListener('notificationclick', event => {
  event.notification.close();
  event.waitUntil(open());
});
