/** Fetches this page, or the answer to a form, and brings what is on screen up to it. */
import { tellDrafts } from './drafts.ts';
import { focusCard, focusForm } from './focus.ts';
import { morph } from './morph.ts';

let running: Promise<void> | undefined;
let again = false;
/** True where the page is to be fetched whatever it shows. */
let forced = false;
/** The newest change that was heard of. */
let newest = 0;

/** Milliseconds for which the answer to a form is waited for, which brings the page up to date itself. */
const answerMs = 40;

/** Forms that are being sent. */
const sent = new Set<Promise<unknown>>();

/** A form is being sent. */
export function sending(form: Promise<unknown>): void {
  sent.add(form);
  void form.finally(() => sent.delete(form));
}

/** The newest change that is on this page. */
const shownChange = (): number => Number(document.body.dataset['event'] ?? 0);

/** Counts what has been shown, so that an older answer never replaces a newer one. */
let version = 0;

/** Forms that somebody has begun to fill in; a live update leaves them alone. */
const touched = new WeakSet<Element>();

/** Marks a form as begun. */
export function touch(form: Element): void {
  touched.add(form);
}

/** True if somebody has begun to fill in a form of this page. */
export const anyTouched = (): boolean => [...document.forms].some(form => touched.has(form));

function focusIsLost(): boolean {
  const { activeElement: at } = document;
  return at === null || at === document.body || at.id === 'main' || at.classList.contains('ending-text');
}

/** Goes to a question that has just come, where nobody is in the middle of something else. */
function focusNewCard(earlierIds: ReadonlySet<string>): void {
  if (!focusIsLost()) return;
  const fresh = [...document.querySelectorAll('[data-question]')].find(card => !earlierIds.has(card.id));
  if (fresh) focusCard(fresh);
}

/** True if a URL is another page, and not a place on this one. */
function isElsewhere(url: string): boolean {
  const { pathname, search } = new URL(url, location.href);
  return pathname !== location.pathname || search !== location.search;
}

/**
 * Shows a fetched document in place of what is on screen.
 * @param options - `live`: true if nobody asked for it, so that begun forms stay
 */
export function showDocument(text: string, options: { readonly live: boolean; readonly url?: string }): void {
  version += 1;
  const next = new DOMParser().parseFromString(text, 'text/html');
  const had = document.activeElement;
  const heldCard = had?.closest('[data-question]');
  const before = new Set([...document.querySelectorAll('[data-question]')].map(card => card.id));
  const keep = (now: Element): boolean => options.live && touched.has(now);
  const elsewhere = options.url !== undefined && isElsewhere(options.url);
  if (elsewhere) history.pushState(null, '', options.url);
  document.title = next.title;
  showIcon(next);
  const { theme } = next.documentElement.dataset;
  if (theme === undefined) delete document.documentElement.dataset['theme'];
  else document.documentElement.dataset['theme'] = theme;
  next.body.classList.add(...document.body.classList);
  morph(document.body, next.body, keep);
  document.dispatchEvent(new CustomEvent('midcall:shown'));
  const invalid = options.live ? null : document.querySelector<HTMLElement>('main [aria-invalid=true]');
  if (invalid) (invalid.querySelector<HTMLElement>('input,select,textarea') ?? invalid).focus();
  else if (heldCard && !heldCard.isConnected) focusEnd(heldCard);
  else {
    if (elsewhere) window.scrollTo(0, 0);
    if (elsewhere || (!options.live && focusIsLost())) {
      if (!elsewhere || !focusForm()) focusMain();
    }
    focusNewCard(before);
  }
}

/** The mark of the tab says whether a question waits. */
function showIcon(next: Document): void {
  const [now, then] = [document, next].map(each => each.querySelector('link[rel=icon]'));
  const href = then?.getAttribute('href');
  if (href && now?.getAttribute('href') !== href) now?.setAttribute('href', href);
}

/** Where nothing on the new page had the focus, reading goes on from its beginning, and not from the top bar. */
function focusMain(): void {
  document.getElementById('main')?.focus({ preventScroll: true });
}

/** Reads out how a question ended to whoever was in its card. */
function focusEnd(card: Element): void {
  document.getElementById(`${card.id}-end`)?.focus();
}

/** Milliseconds until a page that could not be fetched is tried again; doubled each time, up to the last. */
const [firstRetryMs, lastRetryMs] = [500, 15_000];
let retryMs = firstRetryMs;
let retry = 0;

async function answers(): Promise<void> {
  if (sent.size === 0) return;
  const pause = new Promise(resolve => window.setTimeout(resolve, answerMs));
  await Promise.race([Promise.allSettled([...sent]), pause]);
}

/**
 * Fetches this page again, unless it shows a change already; calls that come meanwhile are answered by one more fetch, and a
 * failed one is tried again.
 * @param change - the number of the change; absent if some may have been missed
 */
export function refresh(change?: number): Promise<void> {
  if (change === undefined) forced = true;
  else if (change <= shownChange()) return running ?? Promise.resolve();
  else newest = Math.max(newest, change);
  if (running) {
    again = true;
    return running;
  }
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
      const response = await fetch(location.href, { headers: { accept: 'text/html' } });
      const text = await response.text();
      retryMs = firstRetryMs;
      if (before !== version) {
        again = true;
        forced ||= wasForced;
      } else if (response.ok || response.status === 404) showDocument(text, { live: true });
    } while (again);
  })()
    .catch(() => {
      retry = window.setTimeout(() => void refresh(), retryMs);
      retryMs = Math.min(2 * retryMs, lastRetryMs);
    })
    .finally(() => {
      running = undefined;
    });
  return running;
}
