/**
 * Follows links to other pages of the desk, and the browser's way back to them, on the page that is open: a browser takes longer to
 * leave a page and to build up the next than the desk to render it. The page behaves as a loaded one does: it begins at its top or
 * at the place that the address names, the cursor is where one types, and the way back leads to where one had scrolled to.
 *
 * - follow-F1 What is not a page of this desk is left to the browser: other origins, files, links that open elsewhere, places on this
 *   page, and whatever the desk answers with anything but a page.
 * - follow-F2 Of links that are followed quickly, the last one is shown, and none if somebody goes on with this page meanwhile.
 * - follow-F3 What was typed in an open question is sent to the desk before the page is left.
 * - follow-F4 If the desk does not answer, the page stays, and says so.
 */
import { base } from './base.ts';
import { tellDrafts } from './drafts.ts';
import { isElsewhere, pageShown, refresh, showDocument } from './page.ts';
import { unreachable } from './presence.ts';

let going: AbortController | undefined;

async function go(url: string, returned: boolean): Promise<void> {
  going?.abort();
  const own = new AbortController();
  going = own;
  const { signal } = own;
  let response: Response;
  let text: string | undefined;
  try {
    await tellDrafts();
    response = await fetch(url, { headers: { accept: 'text/html' }, signal });
    if (response.headers.get('content-type')?.startsWith('text/html')) text = await response.text();
  } catch {
    if (!signal.aborted) unreachable();
    return;
  }
  if (signal.aborted) return;
  if (text === undefined || !(response.ok || response.status === 404)) {
    own.abort();
    location.assign(url);
    return;
  }
  const at = new URL(response.redirected ? response.url : url);
  at.hash ||= new URL(url).hash;
  showDocument(text, { live: false, url: at.href, ...(returned && { returned }) });
  const region = document.getElementById('announce');
  if (region) region.textContent = document.title;
}

/** True for a link to another page of this desk, which is to be shown in place of this one. */
const leadsToPage = (link: HTMLAnchorElement): boolean =>
  link.origin === location.origin &&
  `${link.pathname}/`.startsWith(`${base()}/`) &&
  link.target === '' &&
  !link.hasAttribute('download') &&
  isElsewhere(link.href);

function onClick(event: MouseEvent): void {
  const link = (event.target as Element).closest<HTMLAnchorElement>('a[href]');
  const elsewhere = event.button !== 0 || event.ctrlKey || event.metaKey || event.shiftKey || event.altKey;
  if (event.defaultPrevented || elsewhere || !link || !leadsToPage(link)) return;
  event.preventDefault();
  void go(link.href, false);
}

/** Starts following; call it after everything else that may handle a click on a link. */
export function startFollowing(): void {
  document.addEventListener('click', onClick);
  for (const type of ['input', 'submit']) document.addEventListener(type, () => going?.abort(), true);
  window.addEventListener('popstate', () => {
    if (location.pathname + location.search === pageShown()) void refresh();
    else void go(location.href, true);
  });
}
