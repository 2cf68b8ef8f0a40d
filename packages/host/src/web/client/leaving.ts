/**
 * Esc dismisses a card at once if nothing was entered in it. Otherwise the first Esc only says that what was entered will be lost,
 * and the next one dismisses while that is in sight.
 */

/** What a card's form contained when it was first shown; undefined if that was a draft already. */
const starts = new WeakMap<HTMLFormElement, string | undefined>();

const contents = (form: HTMLFormElement): string => JSON.stringify([...new FormData(form)]);

const warningIn = (form: HTMLFormElement): HTMLElement | null => form.querySelector<HTMLElement>('[data-leaving]');

/** Remembers what the cards that have just been shown contain. */
export function noteStarts(): void {
  for (const form of document.querySelectorAll<HTMLFormElement>('[data-question] > form'))
    if (!starts.has(form)) starts.set(form, form.dataset['drafted'] === undefined ? contents(form) : undefined);
}

/** Takes a warning back, as somebody goes on filling in the form. */
export function stay(form: HTMLFormElement): void {
  const warning = warningIn(form);
  if (warning) warning.hidden = true;
}

/** True for a warning that the person can see, and not only hear. */
function isInSight(warning: HTMLElement): boolean {
  const { top, bottom } = warning.getBoundingClientRect();
  return top >= 0 && bottom <= window.innerHeight;
}

/** True if Esc may dismiss the card of a form now; else the person has been warned. */
export function mayLeave(form: HTMLFormElement): boolean {
  const warning = warningIn(form);
  if (!warning || starts.get(form) === contents(form) || (!warning.hidden && isInSight(warning))) return true;
  warning.hidden = false;
  if (!isInSight(warning)) warning.scrollIntoView({ block: 'center' });
  const region = document.getElementById('announce');
  if (region) region.textContent = warning.textContent;
  return false;
}
