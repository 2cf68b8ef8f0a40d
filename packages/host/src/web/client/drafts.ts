/**
 * Sends the desk what somebody has entered in an open question's form, so that a reload, a closed tab or the end of the
 * question does not lose it. Nothing is stored in the browser: the next server on this port could read it.
 *
 * - sending-D1 Nothing that may contain a secret is sent this way (`data-secret`, password controls).
 */
import { fieldsOf } from './fields.ts';
import { inTime } from './time-limit.ts';

const pauseMs = 140;

/** Forms with input that the desk does not have yet, and the timer that will send it. */
const untold = new Map<HTMLFormElement, number>();

/** What is being sent to the desk now. */
const underway = new Set<Promise<unknown>>();

/** True for what may contain a secret: it is neither sent to the desk nor put aside. */
export const isSecret = (control: Element): boolean =>
  control.closest('[data-secret]') !== null || (control as HTMLInputElement).type === 'password';

function bodyOf(form: HTMLFormElement): URLSearchParams {
  const body = fieldsOf(form);
  for (const control of form.elements) {
    const name = control.getAttribute('name');
    if (name !== null && isSecret(control)) body.delete(name);
  }
  return body;
}

function settle(form: HTMLFormElement): void {
  window.clearTimeout(untold.get(form));
  untold.delete(form);
}

/** The content of a form is being sent to the desk. */
export function telling(form: HTMLFormElement, sent: Promise<unknown>): void {
  settle(form);
  underway.add(sent);
  // If the desk cannot be reached, the input stays in the form.
  void sent.catch(() => {}).finally(() => underway.delete(sent));
}

function tell(form: HTMLFormElement): void {
  const path = form.dataset['draft'];
  if (path === undefined) settle(form);
  else telling(form, fetch(path, { method: 'POST', body: bodyOf(form), keepalive: true, signal: inTime() }));
}

/** True if the desk has all that was entered. */
export const isAllTold = (): boolean => untold.size === 0 && underway.size === 0;

/** Sends the desk what it does not have yet, as before a page is updated and a form may disappear. */
export async function tellDrafts(): Promise<void> {
  for (const form of [...untold.keys()]) tell(form);
  await Promise.allSettled([...underway]);
}

/** Tells all drafts when this page is left, and nothing can be waited for. */
function leave(): void {
  for (const form of [...untold.keys()]) {
    const path = form.dataset['draft'];
    settle(form);
    if (path !== undefined) navigator.sendBeacon(path, bodyOf(form));
  }
}

function onInput(event: Event): void {
  const { form } = event.target as HTMLInputElement;
  if (form?.dataset['draft'] === undefined) return;
  window.clearTimeout(untold.get(form));
  untold.set(
    form,
    window.setTimeout(() => tell(form), pauseMs),
  );
}

/** Starts sending. */
export function startDrafts(): void {
  document.addEventListener('input', onInput);
  document.addEventListener('change', onInput);
  document.addEventListener('midcall:leaving', () => void tellDrafts());
  window.addEventListener('beforeunload', leave);
  window.addEventListener('pagehide', leave);
}
