/**
 * The service worker of the desk: shows a page of its own while no desk answers, and does what the buttons of a notification say.
 *
 * - worker-K2 It opens and changes nothing by itself: an open page of the desk does, which has the session.
 */
import { showOfflinePage, world } from './offline-shell.ts';

async function clicked(action: string, notification: Notification): Promise<void> {
  const { question } = notification.data as { readonly question: string };
  const [page] = await world.clients.matchAll({ type: 'window', includeUncontrolled: true });
  if (!page) return void (await world.clients.openWindow(`/?question=${encodeURIComponent(question)}`));
  page.postMessage({ question, does: action === 'decline' ? 'decline' : 'open' });
  if (action !== 'decline') await page.focus();
}

showOfflinePage();
world.addEventListener('notificationclick', event => {
  event.notification.close();
  event.waitUntil(clicked(event.action, event.notification));
});
