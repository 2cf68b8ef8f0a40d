/**
 * The inbox as an app of the person's device: its service worker, and whether this device says that a question waits. The server lists
 * the devices of the person by a digest of where each is reached; this script finds out which of them is this one.
 */

/** The service worker's; a notification is out of date once somebody looks. */
const tag = 'midcall-inbox';

const canPush = 'serviceWorker' in navigator && 'PushManager' in window && 'Notification' in window;
/** Browsers of iPhones and iPads push to installed apps alone. */
const isApple =
  /iPhone|iPad|iPod/.test(navigator.userAgent) || (/Mac/.test(navigator.userAgent) && navigator.maxTouchPoints > 1);

/** This device, by its digest; undefined if it is off. */
let device: string | undefined;

const base64url = (bytes: ArrayBuffer): string =>
  btoa(String.fromCharCode(...new Uint8Array(bytes)))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replaceAll('=', '');

const idOf = async ({ endpoint }: PushSubscription): Promise<string> =>
  base64url(await crypto.subtle.digest('SHA-256', new TextEncoder().encode(endpoint)));

const subscribed = async (): Promise<PushSubscription | undefined> =>
  (await (await navigator.serviceWorker.getRegistration())?.pushManager.getSubscription()) ?? undefined;

function state(section: HTMLElement): string {
  if (!canPush) return isApple ? 'home-screen' : 'unsupported';
  if (Notification.permission === 'denied') return 'blocked';
  const isOn = device !== undefined && section.querySelector(`[data-device="${CSS.escape(device)}"]`) !== null;
  return isOn ? 'on' : 'off';
}

/** Shows what is so on this device. */
function prepare(root = document): void {
  const section = root.querySelector<HTMLElement>('[data-push]');
  if (!section) return;
  const now = state(section);
  for (const each of section.querySelectorAll<HTMLElement>('[data-push-is]'))
    each.hidden = each.dataset['pushIs'] !== now;
  for (const each of section.querySelectorAll<HTMLElement>('[data-device]'))
    for (const mark of each.querySelectorAll<HTMLElement>('[data-push-here]'))
      mark.hidden = each.dataset['device'] !== device;
}

const bytesOf = (key: string): Uint8Array<ArrayBuffer> =>
  Uint8Array.from(atob(key.replaceAll('-', '+').replaceAll('_', '/')), character => character.charCodeAt(0));

async function turnOn(form: HTMLFormElement): Promise<void> {
  if ((await Notification.requestPermission()) !== 'granted') return prepare();
  const { pushManager } = await navigator.serviceWorker.ready;
  // One of before may be for another key.
  await (await pushManager.getSubscription())?.unsubscribe();
  const subscription = await pushManager.subscribe({
    userVisibleOnly: true,
    applicationServerKey: bytesOf(form.dataset['pushOn'] ?? ''),
  });
  device = await idOf(subscription);
  form.querySelector<HTMLInputElement>('[name=subscription]')!.value = JSON.stringify(subscription);
  form.requestSubmit();
}

function onSubmit(event: SubmitEvent): void {
  const form = event.target as HTMLFormElement;
  if (device === undefined) return;
  // Whoever signs out of this browser is no longer told of questions here.
  if (form.dataset['leaves'] !== undefined) {
    const input = document.createElement('input');
    Object.assign(input, { type: 'hidden', name: 'device', value: device });
    form.append(input);
  }
  const isOff = form.dataset['pushOff'] === device;
  if (isOff) void subscribed().then(found => found?.unsubscribe());
}

async function closeShown(registration: ServiceWorkerRegistration): Promise<void> {
  if (document.visibilityState !== 'visible') return;
  for (const shown of await registration.getNotifications({ tag })) shown.close();
}

async function start(worker: string, scope: string): Promise<void> {
  const registration = await navigator.serviceWorker.register(worker, { scope, updateViaCache: 'none' });
  // An app that is left open is not loaded anew when somebody comes back to it.
  document.addEventListener('visibilitychange', () => void closeShown(registration));
  await closeShown(registration);
  const found = canPush ? await registration.pushManager.getSubscription() : null;
  if (found) device = await idOf(found);
  prepare();
}

/** Registers the worker, and handles the switch of notifications. */
export function startPush(): void {
  const { worker, scope } = document.body.dataset;
  if (worker !== undefined && scope !== undefined && 'serviceWorker' in navigator)
    void start(worker, scope).catch(() => {});
  document.addEventListener('midcall:fetched', event => prepare((event as CustomEvent<Document>).detail));
  document.addEventListener('submit', onSubmit, true);
  document.addEventListener('click', event => {
    const form = (event.target as Element).closest('[data-push-begin]')?.closest('form');
    if (!form) return;
    void turnOn(form).catch(() => {
      const failed = document.querySelector<HTMLElement>('[data-push-failed]');
      if (failed) failed.hidden = false;
    });
  });
  // When a person returns from allowing them in the browser's settings, the page must know.
  window.addEventListener('focus', () => prepare());
  prepare();
}
