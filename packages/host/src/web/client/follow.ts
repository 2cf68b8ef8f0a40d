/**
 * Follows links and searches to other pages of the desk, and the browser's way back to them, on the page that is open: a browser takes
 * longer to leave a page and to build up the next than the desk to render it. The page behaves as a loaded one does: it begins at its
 * top or at the place that the address names, the cursor is where one types, and the way back leads to where one had scrolled to.
 *
 * - follow-F1 What is not a page of this desk is left to the browser: other origins, files, links that open elsewhere, places on this
 *   page, and whatever the desk answers with anything but a page.
 * - follow-F2 Of links that are followed quickly, the last one is shown, and none if somebody presses Esc, or goes on beside the page.
 * - follow-F3 What was typed in an open question is sent to the desk before the page is left.
 * - follow-F4 If the desk does not answer, the page stays, and says so. Until then, it says that the next one is on its way.
 * - follow-F5 From the click on, what is being left takes no more input: it would not reach the next page, which may have the same field.
 */
import { announce } from './announce.ts';
import { base } from './base.ts';
import { busy } from './busy.ts';
import { tellDrafts } from './drafts.ts';
import { fieldsOf } from './fields.ts';
import { sayGone } from './kept.ts';
import { nobodyAnswers } from './nobody-answers.ts';
import { anyTouched, endSession, isElsewhere, pageShown, refresh, showDocument } from './page.ts';

let going: AbortController | undefined;

/** What had the focus in the page that is being left. */
let focusedBefore: HTMLElement | undefined;

/** follow-F5. `aria-disabled` says it to whatever drives the page in a person's place. */
function hold(): void {
  const main = document.getElementById('main');
  if (!main || main.inert) return;
  const { activeElement: at } = document;
  if (at instanceof HTMLElement && main.contains(at)) {
    focusedBefore = at;
    // A browser takes the focus from what is inert only when it next renders the page; keys pressed until then would still arrive.
    at.blur();
  }
  main.inert = true;
  for (const name of ['aria-busy', 'aria-disabled']) main.setAttribute(name, 'true');
}

/** The page stays, or it is the next. */
function release(): void {
  const main = document.getElementById('main');
  const before = focusedBefore;
  focusedBefore = undefined;
  if (!main?.inert) return;
  main.inert = false;
  for (const name of ['aria-busy', 'aria-disabled']) main.removeAttribute(name);
  if (document.activeElement === document.body) before?.focus({ preventScroll: true });
}

/** For how many milliseconds the next page may be on its way: on a connection that is dead, nothing else ends it. */
const longestMs = 30_000;

/** Goes on with the page that is open. */
function stay(): void {
  going?.abort();
  going = undefined;
  release();
}

interface Arrival {
  /** True if the browser has led back to the address. */
  readonly returned?: true;
  /** The control to which the focus returns, if the next page has it. */
  readonly control?: string;
}

/** Shows another page of the desk in place of this one. */
export async function go(url: string, { returned, control }: Arrival = {}): Promise<void> {
  going?.abort();
  const own = new AbortController();
  going = own;
  const { signal } = own;
  const arrived = busy('opening');
  const limit = window.setTimeout(() => {
    stay();
    sayGone();
  }, longestMs);
  signal.addEventListener('abort', () => {
    arrived();
    window.clearTimeout(limit);
  });
  hold();
  let response: Response;
  let text: string | undefined;
  try {
    await tellDrafts();
    response = await fetch(url, { headers: { accept: 'text/html' }, signal });
    if (nobodyAnswers(response)) throw new Error('Nobody answers.');
    if (response.headers.get('content-type')?.startsWith('text/html')) text = await response.text();
  } catch {
    if (signal.aborted) return;
    stay();
    sayGone();
    return;
  }
  if (signal.aborted) return;
  if (response.status === 401 && anyTouched()) {
    stay();
    endSession();
    return;
  }
  if (text === undefined || !(response.ok || response.status === 404)) {
    stay();
    location.assign(url);
    return;
  }
  const at = new URL(response.redirected ? response.url : url);
  at.hash ||= new URL(url).hash;
  going = undefined;
  own.abort();
  focusedBefore = undefined;
  showDocument(text, { live: false, url: at.href, ...(returned && { returned }), ...(control && { control }) });
  announce(document.title);
}

const isOfDesk = ({ origin, pathname }: Pick<URL, 'origin' | 'pathname'>): boolean =>
  origin === location.origin && `${pathname}/`.startsWith(`${base()}/`);

/** True for a link to another page of this desk, which is to be shown in place of this one. */
const leadsToPage = (link: HTMLAnchorElement): boolean =>
  isOfDesk(link) && link.target === '' && !link.hasAttribute('download') && isElsewhere(link.href);

function onClick(event: MouseEvent): void {
  const link = (event.target as Element).closest<HTMLAnchorElement>('a[href]');
  const elsewhere = event.button !== 0 || event.ctrlKey || event.metaKey || event.shiftKey || event.altKey;
  if (event.defaultPrevented || elsewhere || !link || !leadsToPage(link)) return;
  event.preventDefault();
  void go(link.href);
}

/** A search leads to another page as a link does, and leaves the cursor where the next one is typed. */
function onSubmit(event: SubmitEvent): void {
  const form = event.target as HTMLFormElement;
  if (event.defaultPrevented || form.getAttribute('method') !== 'get' || form.target !== '') return;
  const url = new URL(form.getAttribute('action') ?? '', location.href);
  if (!isOfDesk(url)) return;
  url.search = fieldsOf(form, event.submitter).toString();
  event.preventDefault();
  const { activeElement: at } = document;
  void go(url.href, { ...(at && form.contains(at) && at.id !== '' && { control: at.id }) });
}

function onKey(event: KeyboardEvent): void {
  if (event.key === 'Escape' && going && !event.defaultPrevented) stay();
}

/** Starts following; call it after everything else that may handle a click on a link. */
export function startFollowing(): void {
  document.addEventListener('click', onClick);
  document.addEventListener('submit', onSubmit);
  document.addEventListener('keydown', onKey);
  for (const type of ['input', 'submit']) document.addEventListener(type, () => going && stay(), true);
  // A live update of the page that is being left changes nothing about that.
  document.addEventListener('midcall:shown', () => going && hold());
  window.addEventListener('popstate', () => {
    if (location.pathname + location.search === pageShown()) void refresh();
    else void go(location.href, { returned: true });
  });
}
