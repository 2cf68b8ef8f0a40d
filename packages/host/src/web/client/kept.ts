/**
 * Says what became of a form where the answer to it is no page to go on with, such as one of a proxy that could not reach us: shown in
 * place of the form, it would destroy what was typed. The form stays, and a box says what that means for it. The same box says that
 * nobody answers, so that a form that is lost with a desk is told of in one place.
 */
import { anyTouched, pageShown } from './page.ts';
import { leaveForCopying, putAside } from './tab-drafts.ts';

/** Why a form stays, as the markup of the box names it. */
type Why = 'notSent' | 'failed' | 'signedOut' | 'refused' | 'tooLarge';

interface Said {
  /** True if nobody answers. */
  readonly isGone: boolean;
  /** True if the session is over. */
  readonly isEnded: boolean;
  /** What became of a form of this page. */
  readonly why: Why | undefined;
  readonly form: HTMLFormElement | undefined;
  /** True if a form of a page that was left may not have been received. */
  readonly isOfOther: boolean;
}

const nothing: Said = { isGone: false, isEnded: false, why: undefined, form: undefined, isOfOther: false };

/** What the box says. */
let said = nothing;

const box = (): HTMLElement | null => document.getElementById('kept');

function say(what: Partial<Said>): void {
  said = { ...said, ...what };
  const all = box();
  if (!all) return;
  const { isGone, isEnded, why, isOfOther } = said;
  const cases = [isGone && 'gone', why, isEnded && why !== 'signedOut' && 'ended', isOfOther && 'elsewhere'];
  const shown = cases.filter(each => typeof each === 'string');
  for (const each of all.querySelectorAll<HTMLElement>('[data-why]'))
    each.hidden = !shown.includes(each.dataset['why'] ?? '');
  if (!isOfOther) all.querySelector('dl')?.replaceChildren();
  all.hidden = shown.length === 0;
}

/** What was said of a form of this page has no more meaning, as it is sent again or the page is left. */
export const takeBack = (): void => say({ why: undefined, form: undefined });

/** Nobody answers. */
export const sayGone = (): void => say({ isGone: true });

/** Somebody answers again. */
export const sayFound = (): void => say({ isGone: false });

/** Nobody answers, so a form of this page was not sent. */
export const heldBack = (form: HTMLFormElement): void => say({ isGone: true, why: 'notSent', form });

/** Nobody knows whether a form of this page was received. */
export const maybeReceived = (form: HTMLFormElement): void => say({ why: 'failed', form });

const ofTyped: Readonly<Record<number, Why>> = { 401: 'signedOut', 403: 'refused', 413: 'tooLarge' };

/** The answers that show a page of ours with what was sent. */
const ours: readonly number[] = [404, 409, 422];

/** Keeps the page if the answer to a form of it must not take its place. @returns false if it may */
export function keepFrom(form: HTMLFormElement, { ok, status }: Response): boolean {
  const why = ofTyped[status] ?? 'failed';
  if (ok || ours.includes(status) || (why !== 'failed' && !anyTouched())) return false;
  say({ why, form });
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
  say({ isOfOther: true });
}

/** Starts listening. */
export function startKept(): void {
  document.addEventListener('click', event => {
    if ((event.target as Element).closest('#kept [data-close]')) say(nothing);
  });
  document.addEventListener('midcall:left', takeBack);
  document.addEventListener('midcall:ended', () => say({ isEnded: true }));
  document.addEventListener('midcall:shown', () => {
    // Whatever is shown came from a session, and where the form is gone, it says what became of that.
    say({ isEnded: false });
    if (said.why === 'signedOut' || said.form?.isConnected === false) takeBack();
    if (said.isOfOther && box()?.querySelector('[data-back]')?.getAttribute('href') === pageShown())
      say({ isOfOther: false });
  });
}
