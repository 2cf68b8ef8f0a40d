/**
 * The desk as an app of the person's system: its service worker, and the notifications that have buttons. A desk that is not at a
 * fixed address has neither.
 */
import { base } from './base.ts';
import { go } from './follow.ts';

/** The service worker of this desk; undefined if it has none, or the browser refuses it. */
export async function registration(): Promise<ServiceWorkerRegistration | undefined> {
  if (document.body.dataset['worker'] === undefined) return undefined;
  const found = await navigator.serviceWorker?.getRegistration('/');
  return found?.active ? found : undefined;
}

async function decline(question: string): Promise<void> {
  const body = new URLSearchParams({ csrf: document.body.dataset['csrf'] ?? '', action: 'decline' });
  await fetch(`${base()}/questions/${encodeURIComponent(question)}`, { method: 'POST', body });
}

/** Registers the worker, and does what it says the person has chosen in a notification. */
export function startInstalled(): void {
  const { worker } = document.body.dataset;
  if (worker === undefined || !('serviceWorker' in navigator)) return;
  void navigator.serviceWorker.register(worker, { scope: '/', updateViaCache: 'none' }).catch(() => {});
  navigator.serviceWorker.addEventListener('message', event => {
    const { question, does } = event.data as { readonly question: string; readonly does: 'open' | 'decline' };
    if (does === 'decline') void decline(question);
    else void go(new URL(`${base()}/questions/${encodeURIComponent(question)}`, location.href).href);
  });
  navigator.serviceWorker.startMessages();
}
