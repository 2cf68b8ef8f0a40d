/**
 * How the desk alerts a person to a question, if they have asked for that: by a sound, and by a system notification. On a desk that
 * is an app of their system, notifications have buttons; a desk that is not at a fixed address has no service worker, and so none.
 */

import { base, postToDesk } from './base.ts';
import type { AskedEvent } from './events.ts';
import { go } from './follow.ts';
import { storedItem, storeItem } from './storage.ts';

/** The service worker of this desk; undefined if it has none, or the browser refuses it. */
async function registration(): Promise<ServiceWorkerRegistration | undefined> {
  if (document.body.dataset['worker'] === undefined) return undefined;
  const found = await navigator.serviceWorker?.getRegistration('/');
  return found?.active ? found : undefined;
}

const tagOf = (question: string): string => `midcall-${question}`;

/** @returns true if the question has ended, by this or before */
async function decline(question: string): Promise<boolean> {
  const { ok, status } = await postToDesk(`/questions/${encodeURIComponent(question)}`, { action: 'decline' });
  return ok || status === 409;
}

/** The notification in which the person declined is closed, so another says that it has come to nothing. */
async function declineOrSay(question: string): Promise<void> {
  if (await decline(question).catch(() => false)) return;
  const body = 'The question could not be declined and may still be open. Open it and decline it there.';
  const actions = [{ action: 'open', title: 'Open' }];
  const about = { body, tag: tagOf(question), data: { question }, actions };
  await (await registration())?.showNotification('Midcall', about as NotificationOptions);
}

/** What the worker says: it asks which page is one of the desk, and tells that page what the person has chosen. */
type Said = { readonly question: string; readonly does: 'open' | 'decline' } | { readonly does: 'answer' };

/** Registers the worker, and does what it says the person has chosen in a notification. */
export function startInstalled(): void {
  const { worker } = document.body.dataset;
  if (worker === undefined || !('serviceWorker' in navigator)) return;
  void navigator.serviceWorker.register(worker, { scope: '/', updateViaCache: 'none' }).catch(() => {});
  navigator.serviceWorker.addEventListener('message', event => {
    const said = event.data as Said;
    if (said.does === 'answer') event.ports[0]?.postMessage('here');
    else if (said.does === 'decline') void declineOrSay(said.question);
    else void go(new URL(`${base()}/questions/${encodeURIComponent(said.question)}`, location.href).href);
  });
  navigator.serviceWorker.startMessages();
}

const key = 'midcall.alerts';

const switchedOn = (): boolean => storedItem('localStorage', key) === 'on';

/** The sound of all alerts: a browser allows a page only a few contexts. */
let audio: AudioContext | undefined;

/** If a browser allows sound only after a click, it plays what is waiting at that click; by then it is out of date. */
const stillNewsMs = 10_000;

async function chime(): Promise<void> {
  audio ??= new AudioContext();
  const asked = performance.now();
  await audio.resume();
  if (performance.now() - asked > stillNewsMs) return;
  const now = audio.currentTime;
  const gain = audio.createGain();
  gain.connect(audio.destination);
  gain.gain.setValueAtTime(0.0001, now);
  gain.gain.exponentialRampToValueAtTime(0.12, now + 0.02);
  gain.gain.exponentialRampToValueAtTime(0.0001, now + 0.45);
  for (const [at, hertz] of [
    [0, 660],
    [0.12, 880],
  ] as const) {
    const tone = audio.createOscillator();
    tone.frequency.value = hertz;
    tone.connect(gain);
    tone.start(now + at);
    tone.stop(now + 0.5);
  }
}

/** The notifications that this page itself shows, by their questions; a worker knows its own. */
const shownHere = new Map<string, Notification>();

/** Alerts the person, unless they are looking at the page. */
export async function alertPerson(text: string, asked: AskedEvent | undefined): Promise<void> {
  if (!switchedOn()) return;
  void chime();
  if (document.visibilityState === 'visible' || !('Notification' in window)) return;
  if (Notification.permission !== 'granted' || !asked) return;
  const about = { body: text, tag: tagOf(asked.id), data: { question: asked.id } };
  const worker = await registration();
  if (worker) {
    const actions = [
      { action: 'open', title: 'Open' },
      ...(asked.isBrief ? [{ action: 'decline', title: 'Decline' }] : []),
    ];
    await worker.showNotification('Midcall', { ...about, actions } as NotificationOptions);
    return;
  }
  const shown = new Notification('Midcall', about);
  shownHere.set(asked.id, shown);
  shown.onclick = () => {
    window.focus();
    shown.close();
  };
}

/** Takes back the notification of a question that has ended. */
export async function endAlert(question: string): Promise<void> {
  shownHere.get(question)?.close();
  shownHere.delete(question);
  const worker = await registration();
  for (const shown of (await worker?.getNotifications({ tag: tagOf(question) })) ?? []) shown.close();
}

/** True if the browser blocks notifications, whatever the person wants. */
const denied = (): boolean => !('Notification' in window) || Notification.permission === 'denied';

function prepare(root = document): void {
  for (const box of root.querySelectorAll<HTMLElement>('[data-alerts]')) box.hidden = false;
  for (const control of root.querySelectorAll<HTMLInputElement>('[data-alerts-switch]')) control.checked = switchedOn();
  const hidden = !(switchedOn() && denied());
  for (const help of root.querySelectorAll<HTMLElement>('[data-alerts-denied]'))
    if (help.hidden !== hidden) help.hidden = hidden;
}

/** Shows the switch and handles it. */
export function startAlerts(): void {
  document.addEventListener('midcall:fetched', event => prepare((event as CustomEvent<Document>).detail));
  document.addEventListener('change', event => {
    const control = event.target as HTMLInputElement;
    if (!control.matches('[data-alerts-switch]')) return;
    storeItem('localStorage', key, control.checked ? 'on' : 'off');
    prepare();
    if (control.checked && 'Notification' in window && Notification.permission === 'default') {
      void Notification.requestPermission().then(() => prepare());
    }
  });
  // When a person returns from allowing them in the browser's settings, the page must know.
  window.addEventListener('focus', () => prepare());
  prepare();
}
