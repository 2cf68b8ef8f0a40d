/**
 * Tells the desk what somebody has put into an open question's form, so that neither a reload, nor a closed tab, nor the end
 * of the question loses it. Nothing is stored in the browser: what it stores for a port, the next server there can read.
 *
 * - sending-D1 Nothing that a secret may be typed into leaves the form this way (`data-secret`, password controls).
 */

const pauseMs = 140;

/** Forms with something in them that the desk has not been told, and what will tell it. */
const untold = new Map<HTMLFormElement, number>();

/** What the desk is being told now. */
const underway = new Set<Promise<unknown>>();

const isSecret = (control: Element): boolean =>
  control.closest('[data-secret]') !== null || (control as HTMLInputElement).type === 'password';

function bodyOf(form: HTMLFormElement): URLSearchParams {
  const body = new URLSearchParams();
  for (const [name, value] of new FormData(form)) if (typeof value === 'string') body.append(name, value);
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

/** The desk is being told what a form holds. */
export function telling(form: HTMLFormElement, sent: Promise<unknown>): void {
  settle(form);
  underway.add(sent);
  // Where the desk is away, what is in the form stays there.
  void sent.catch(() => {}).finally(() => underway.delete(sent));
}

function tell(form: HTMLFormElement): void {
  const path = form.dataset['draft'];
  if (path === undefined) settle(form);
  else telling(form, fetch(path, { method: 'POST', body: bodyOf(form), keepalive: true }));
}

/** Tells the desk what it has not been told, as before a page is brought up to date and a form may go. */
export async function tellDrafts(): Promise<void> {
  for (const form of [...untold.keys()]) tell(form);
  await Promise.allSettled([...underway]);
}

/** The same where this page goes, and nothing can be waited for. */
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

/** Starts telling. */
export function startDrafts(): void {
  document.addEventListener('input', onInput);
  document.addEventListener('change', onInput);
  window.addEventListener('beforeunload', leave);
  window.addEventListener('pagehide', leave);
}
