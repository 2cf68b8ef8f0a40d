/**
 * The service worker of the desk: shows a page of its own while no desk answers, and does what the buttons of a notification say.
 *
 * - worker-K2 It opens and changes nothing by itself: an open page of the desk does, which has the session.
 */
import { type PageClient, showOfflinePage, world } from './offline-shell.ts';

/** After how many milliseconds a page that has not answered is taken for none. */
const answerMs = 1_000;

/** The first page that answers as one of the desk does; what is shown without a desk or a session has the same address, and is silent. */
async function pageOfDesk(): Promise<PageClient | undefined> {
  const pages = await world.clients.matchAll({ type: 'window', includeUncontrolled: true });
  return new Promise(resolve => {
    setTimeout(() => resolve(undefined), pages.length === 0 ? 0 : answerMs);
    for (const page of pages) {
      const { port1, port2 } = new MessageChannel();
      port1.addEventListener('message', () => resolve(page));
      port1.start();
      page.postMessage({ does: 'answer' }, [port2]);
    }
  });
}

async function clicked(action: string, notification: Notification): Promise<void> {
  const { question } = notification.data as { readonly question: string };
  const page = await pageOfDesk();
  if (!page) return void (await world.clients.openWindow(`/?question=${encodeURIComponent(question)}`));
  page.postMessage({ question, does: action === 'decline' ? 'decline' : 'open' });
  if (action !== 'decline') await page.focus();
}

showOfflinePage();
world.addEventListener('notificationclick', event => {
  event.notification.close();
  event.waitUntil(clicked(event.action, event.notification));
});
