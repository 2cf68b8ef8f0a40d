/** Fetches this page, or the answer to a form, and updates what is on screen. */
import { isAllTold, tellDrafts } from './drafts.ts';
import { focusCard, focusForm } from './focus.ts';
import { hasLeftOut, morph } from './morph.ts';
import { isLeaving, takeAway } from './teardown.ts';
import { inTime } from './time-limit.ts';

/**
 * Reads a page that was fetched. What else runs on pages prepares it before any of it is shown (`midcall:fetched`), so that nothing
 * on screen is written twice.
 */
export function fetched(text: string): Document {
  const next = new DOMParser().parseFromString(text, 'text/html');
  document.dispatchEvent(new CustomEvent('midcall:fetched', { detail: next }));
  return next;
}

let running: Promise<void> | undefined;
let again = false;
/** True if the page must be fetched whatever it shows. */
let forced = false;
/** The newest change that was announced. */
let newest = 0;

/** For how many milliseconds to wait for the answer to a form, which updates the page itself. */
const answerMs = 40;

/** The answers to forms that are being sent. */
const sent = new Set<Promise<unknown>>();

/** Forms that are being sent. An attribute would say the same only until an update of the page takes it away. */
const beingSent = new WeakSet<Element>();

/** A form is being sent. */
export function sending(form: Element, answer: Promise<unknown>): void {
  beingSent.add(form);
  sent.add(answer);
  void answer.finally(() => {
    beingSent.delete(form);
    sent.delete(answer);
  });
}

/** True while a form is being sent. */
export const isBeingSent = (form: Element): boolean => beingSent.has(form);

/** The newest change that this page reflects. */
const shownChange = (): number => Number(document.body.dataset['event'] ?? 0);

/** Counts updates, so that an older answer never replaces a newer one. */
let version = 0;

/** Forms that somebody has started to fill in; a live update leaves them alone. */
const touched = new WeakSet<Element>();

/** Marks a form as started. */
export function touch(form: Element): void {
  touched.add(form);
}

/** Marks a form as sent. */
export function untouch(form: Element): void {
  touched.delete(form);
}

/** True if somebody has started to fill in a form of this page. */
export const anyTouched = (): boolean => [...document.forms].some(form => touched.has(form));

/** True if somebody has started to fill in a form. */
export const isTouched = (form: Element): boolean => touched.has(form);

let mayReload = true;

/** From now on, the end of the session does not load this page anew. */
export function neverReload(): void {
  mayReload = false;
}

/** True once it was said that the session has ended, until a page is shown. */
let isOver = false;

/** True if there is no session for this page any more, and it says so. */
export const sessionIsOver = (): boolean => isOver;

/** What a page must not lose with its session: what was typed and can be copied, and that an answer came too late. */
const toKeep = '.left-over [data-typed], .kept-typed [data-typed], #late:not([hidden])';

/** There is no session for this page any more: it is loaded anew, unless something here would be lost, and says so otherwise. */
export function endSession(): void {
  if (!mayReload || isOver) return;
  isOver = anyTouched() || document.querySelector(toKeep) !== null;
  if (isOver) document.dispatchEvent(new CustomEvent('midcall:ended'));
  else location.reload();
}

function focusIsLost(): boolean {
  const { activeElement: at } = document;
  return at === null || at === document.body || at.id === 'main' || at.classList.contains('ending-text');
}

/** Goes to a question that has just come, unless somebody is in the middle of something else. */
function focusNewCard(earlierIds: ReadonlySet<string>): void {
  if (!focusIsLost()) return;
  const fresh = [...document.querySelectorAll('[data-question]')].find(card => !earlierIds.has(card.id));
  if (fresh) focusCard(fresh);
}

/** True if a URL is another page, and not a place on this one. */
export function isElsewhere(url: string): boolean {
  const { pathname, search } = new URL(url, location.href);
  return pathname !== location.pathname || search !== location.search;
}

/** The page that is shown; its address is another one while the page of that is on its way. */
let shown = location.pathname + location.search;

/** The path of the page that is shown, with its query. */
export const pageShown = (): string => shown;

/** Leaves this page for another: nothing of its content may stay, such as what was typed or unfolded. */
function leave(next: Document): void {
  for (const child of [...(document.getElementById('main')?.childNodes ?? [])]) if (!isLeaving(child)) takeAway(child);
  document.dispatchEvent(new CustomEvent('midcall:left'));
  for (const { dataset, open } of next.querySelectorAll<HTMLDetailsElement>('details[data-fold]')) {
    const group = document.querySelector<HTMLDetailsElement>(
      `details[data-fold="${CSS.escape(dataset['fold'] ?? '')}"]`,
    );
    if (group) group.open = open;
  }
}

/**
 * Goes to where a page begins for somebody who comes to it.
 * @param scrolledTo - where they had left it
 * @param control - where they type on
 */
function arrive(scrolledTo: number | undefined, control: string | undefined): void {
  const place = location.hash === '' ? null : document.getElementById(decodeURIComponent(location.hash.slice(1)));
  const typing = control === undefined ? null : document.getElementById(control);
  if (place?.hasAttribute('tabindex')) place.focus({ preventScroll: true });
  else if (typing) typeOn(typing);
  else if (!focusForm()) focusMain();
  if (scrolledTo === undefined && place) place.scrollIntoView();
  else window.scrollTo(0, scrolledTo ?? 0);
}

/** Goes to a control, behind what is written in it. */
function typeOn(control: HTMLElement | null): void {
  control?.focus({ preventScroll: true });
  if (control instanceof HTMLInputElement && control.type === 'search')
    control.setSelectionRange(control.value.length, control.value.length);
}

/**
 * Shows a fetched document in place of what is on screen.
 * @param options - `live`: true if nobody asked for it, so that started forms stay; `returned`: true if the browser has led back to
 *   its address; `control`: the id of the control that gets the focus
 * @returns false if something was left out of it that this page does not have; then nothing is changed
 */
export function showDocument(
  text: string,
  options: { readonly live: boolean; readonly url?: string; readonly returned?: true; readonly control?: string },
): boolean {
  const next = fetched(text);
  if (!hasLeftOut(next)) return false;
  version += 1;
  isOver = false;
  const had = document.activeElement;
  const focusedCard = had?.closest('[data-question]')?.id;
  const before = new Set([...document.querySelectorAll('[data-question]')].map(card => card.id));
  const keep = (now: Element): boolean => options.live && (touched.has(now) || now.hasAttribute('data-stays'));
  const elsewhere = options.returned === true || (options.url !== undefined && isElsewhere(options.url));
  if (elsewhere && !options.returned) {
    history.replaceState({ scrolledTo: window.scrollY }, '');
    history.pushState(null, '', options.url);
  }
  shown = location.pathname + location.search;
  document.title = next.title;
  showIcon(next);
  const { theme } = next.documentElement.dataset;
  if (theme === undefined) delete document.documentElement.dataset['theme'];
  else document.documentElement.dataset['theme'] = theme;
  next.body.classList.add(...document.body.classList);
  if (elsewhere) leave(next);
  morph(document.body, next.body, keep);
  document.dispatchEvent(new CustomEvent('midcall:shown'));
  const invalid = options.live ? null : document.querySelector<HTMLElement>('main [aria-invalid=true]');
  if (invalid) (invalid.querySelector<HTMLElement>('input,select,textarea') ?? invalid).focus();
  else if (focusedCard === undefined || document.getElementById(focusedCard) || !focusEnd(focusedCard)) {
    if (elsewhere)
      arrive(options.returned && (history.state as { scrolledTo?: number } | null)?.scrolledTo, options.control);
    else if (options.control !== undefined) typeOn(document.getElementById(options.control));
    else if (!options.live && focusIsLost()) focusMain();
  }
  // The next question of a call may come with the end of the one before.
  if (!invalid) focusNewCard(before);
  return true;
}

/** After how many milliseconds the icon follows the page: a browser takes longer to draw it than to show a question. */
const iconMs = 100;

/** The icon of the tab says whether a question waits. */
function showIcon(next: Document): void {
  const [now, then] = [document, next].map(each => each.querySelector('link[rel=icon]'));
  const href = then?.getAttribute('href');
  window.clearTimeout(icon);
  if (href && now?.getAttribute('href') !== href)
    icon = window.setTimeout(() => now?.setAttribute('href', href), iconMs);
}
let icon = 0;

/** If nothing on the new page has the focus, reading continues from its beginning, and not from the top bar. */
function focusMain(): void {
  document.getElementById('main')?.focus({ preventScroll: true });
}

/** Announces how a question ended to a person who was in its card. @returns false if that is not on this page */
function focusEnd(cardId: string): boolean {
  const end = document.getElementById(`${cardId}-end`);
  end?.focus();
  return end !== null;
}

/** After how many milliseconds a page that could not be fetched is tried again; doubled each time, up to the second value. */
const [firstRetryMs, lastRetryMs] = [500, 15_000];
let retryMs = firstRetryMs;
let retry = 0;

async function answers(): Promise<void> {
  if (sent.size === 0) return;
  const pause = new Promise(resolve => window.setTimeout(resolve, answerMs));
  await Promise.race([Promise.allSettled([...sent]), pause]);
}

/**
 * Fetches this page again, unless it reflects the change already. Calls that come meanwhile share one more fetch, and a fetch is
 * repeated if it has failed or is answered with anything but a page (`midcall:missed`).
 * @param change - the number of the change; absent if some may have been missed
 * @param page - this page, if it came with the change; it is fetched all the same if something else is under way
 */
export function refresh(change?: number, page?: string): Promise<void> {
  if (change === undefined) forced = true;
  else if (change <= shownChange()) return running ?? Promise.resolve();
  else newest = Math.max(newest, change);
  if (running) {
    again = true;
    return running;
  }
  const isNext = page !== undefined && !forced && sent.size === 0 && isAllTold();
  if (isNext && showDocument(page, { live: true })) return Promise.resolve();
  running = (async () => {
    do {
      again = false;
      if (!forced) await answers();
      if (!forced && newest <= shownChange()) continue;
      const before = version;
      const wasForced = forced;
      forced = false;
      window.clearTimeout(retry);
      await tellDrafts();
      const response = await fetch(location.href, { headers: { accept: 'text/html' }, signal: inTime() });
      const isPage = response.ok || response.status === 404;
      if (!isPage && response.status !== 401) throw new Error(`This page was answered with ${response.status}.`);
      const text = await response.text();
      retryMs = firstRetryMs;
      if (before !== version) {
        again = true;
        forced ||= wasForced;
      } else if (isPage) showDocument(text, { live: true });
      else endSession();
    } while (again);
  })()
    .catch(() => {
      document.dispatchEvent(new CustomEvent('midcall:missed'));
      retry = window.setTimeout(() => void refresh(), retryMs);
      retryMs = Math.min(2 * retryMs, lastRetryMs);
    })
    .finally(() => {
      running = undefined;
    });
  return running;
}
