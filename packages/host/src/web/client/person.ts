/** The client script of a person's inbox: everything here adds to pages that work without it. */
import { startAges } from './ages.ts';
import { announce } from './announce.ts';
import { base, forgetBase, storeBase } from './base.ts';
import { startCopy } from './copy.ts';
import { startEvents } from './events.ts';
import { startFocus } from './focus.ts';
import { startFollowing } from './follow.ts';
import { startForms } from './forms.ts';
import { startLines } from './lines.ts';
import { startNumbers } from './numbers.ts';
import { neverReload, refresh } from './page.ts';
import { deliverConfirmed, startInvitations } from './passkey.ts';
import { presence, startPresence } from './presence.ts';
import { startPressed } from './pressed.ts';
import { startPush } from './push.ts';
import { startReveal } from './reveal.ts';
import { startTabDrafts } from './tab-drafts.ts';

/** A year, in seconds. */
const aYear = 31_536_000;

/** Tells the pages the browser's time zone, in which they show times and ask for them. @returns false if they know it */
function tellZone(): boolean {
  const { timeZone } = Intl.DateTimeFormat().resolvedOptions();
  if (timeZone === document.body.dataset['zone']) return false;
  const secure = location.protocol === 'https:' ? '; Secure' : '';
  // biome-ignore lint/suspicious/noDocumentCookie: The Cookie Store API is missing where a page is not in a secure context.
  document.cookie = `midcall-zone=${encodeURIComponent(timeZone)}; Path=${base()}; Max-Age=${aYear}; SameSite=Strict${secure}`;
  return true;
}

/** How many questions wait, as it was said last. */
let said = document.body.dataset['waiting'];

/** Says how many questions wait when that has changed. */
function sayWaiting(): void {
  const { waiting } = document.body.dataset;
  if (waiting !== said) announce(waiting ?? '');
  said = waiting;
}

document.body.classList.add('scripted');
storeBase('midcall-inbox');
const isNews = tellZone();
document.addEventListener('midcall:shown', sayWaiting);
startForms(deliverConfirmed);
document.addEventListener('submit', event => {
  if (event.defaultPrevented || (event.target as HTMLFormElement).dataset['leaves'] === undefined) return;
  forgetBase('midcall-inbox');
  // That would break off what the browser is doing.
  neverReload();
  // A browser may keep this page and show it again, as it was.
  window.addEventListener('pageshow', event => {
    if (event.persisted) location.reload();
  });
});
document.addEventListener('midcall:shown', () => {
  // A page outside the session, in answer to a form, says that this was not sent.
  if (document.body.dataset['base'] === undefined) neverReload();
});
startLines();
startPressed();
startFocus();
startPresence();
startReveal();
startCopy();
startAges();
startNumbers();
startTabDrafts();
startInvitations();
startFollowing();
startPush();
startEvents(
  '0',
  heard => {
    if (heard.type !== 'changed') presence[heard.type]();
    else void refresh(heard.id);
  },
  () => '',
);
if (isNews) void refresh();
