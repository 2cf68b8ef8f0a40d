/**
 * Says what became of a form where the answer to it is no page to go on with, such as one of a proxy that could not reach us: shown in
 * place of the form, it would destroy what was typed. The form stays, and a box says what that means for it.
 */
import { anyTouched, pageShown } from './page.ts';
import { leaveForCopying, putAside } from './tab-drafts.ts';

/** Why a form stays, as the markup of the box names it; `ended`: the session is over, and nothing was sent. */
type Why = 'failed' | 'signedOut' | 'ended' | 'refused' | 'tooLarge';

const box = (): HTMLElement | null => document.getElementById('kept');

/** What the box says of this page. */
let said: Why | undefined;
/** True while it also says what became of a form of a page that was left. */
let isOfOther = false;

function show(): void {
  const all = box();
  if (!all) return;
  for (const each of all.querySelectorAll<HTMLElement>('[data-why]'))
    each.hidden = each.dataset['why'] !== said && !(isOfOther && each.dataset['why'] === 'elsewhere');
  if (!isOfOther) all.querySelector('dl')?.replaceChildren();
  all.hidden = said === undefined && !isOfOther;
}

function say(why: Why | undefined): void {
  said = why;
  show();
}

function sayOfOther(is: boolean): void {
  isOfOther = is;
  show();
}

/** What was said of a form of this page has no more meaning, as it is sent again or the page is left. */
export const takeBack = (): void => say(undefined);

/** Nobody knows whether a form of this page was received. */
export function maybeReceived(): void {
  if (said === undefined) say('failed');
}

const ofTyped: Readonly<Record<number, Why>> = { 401: 'signedOut', 403: 'refused', 413: 'tooLarge' };

/** The answers that show a page of ours with what was sent. */
const ours: readonly number[] = [404, 409, 422];

/** Keeps the page if the answer to a form of it must not take its place. @returns false if it may */
export function keepFrom({ ok, status }: Response): boolean {
  const why = ofTyped[status] ?? 'failed';
  if (ok || ours.includes(status) || (why !== 'failed' && !anyTouched())) return false;
  say(why);
  return true;
}

/** Says that a form failed whose page the person has left, with the way back, and what was typed in it. @param page - its path */
export function failedElsewhere(form: HTMLFormElement, page: string): void {
  putAside(form, page);
  const all = box();
  all?.querySelector('[data-back]')?.setAttribute('href', page);
  const typed = all?.querySelector<HTMLElement>('.kept-typed');
  if (typed) {
    typed.hidden = true;
    typed.querySelector('dl')?.replaceChildren();
    leaveForCopying(form, typed);
  }
  sayOfOther(true);
}

/** Starts listening. */
export function startKept(): void {
  document.addEventListener('click', event => {
    if (!(event.target as Element).closest('#kept [data-close]')) return;
    say(undefined);
    sayOfOther(false);
  });
  document.addEventListener('midcall:left', takeBack);
  // What was said of a form before is still so.
  document.addEventListener('midcall:ended', () => {
    if (said === undefined) say('ended');
  });
  document.addEventListener('midcall:shown', () => {
    // Whatever is shown came from a session.
    if (said === 'signedOut' || said === 'ended') say(undefined);
    if (isOfOther && box()?.querySelector('[data-back]')?.getAttribute('href') === pageShown()) sayOfOther(false);
  });
}
