/**
 * Whether the desk can be reached. If it cannot, the page says so and what to do, and no form is left to the browser: what has been
 * typed exists nowhere else then.
 */
import { heldBack, sayFound, sayGone } from './kept.ts';
import { anyTouched, sessionIsOver } from './page.ts';

/** How many milliseconds the desk may be out of reach before the page says so: a stream that broke was opened in vain twice by then. */
const tellAfterMs = 5_000;

let lost = false;
let timer = 0;

/** The desk cannot be reached. Further failed attempts change nothing, nor do any once there is no session to return to. */
function lose(): void {
  if (lost || sessionIsOver()) return;
  lost = true;
  timer = window.setTimeout(sayGone, tellAfterMs);
}

/** Notes that the desk can be reached. */
function find(): void {
  lost = false;
  window.clearTimeout(timer);
  sayFound();
}

/** What to do at an event of that name. */
export const presence = { lost: lose, found: find } as const;

/** True if a form must not be left to the browser, which would replace this page by its own error page. */
export function holdsBack(form: HTMLFormElement): boolean {
  if (lost) heldBack(form);
  return lost;
}

/** Starts protecting the page. */
export function startPresence(): void {
  // Whatever is shown came from the desk.
  document.addEventListener('midcall:shown', find);
  document.addEventListener('midcall:missed', lose);
  // There is no session to return to, which the page says.
  document.addEventListener('midcall:ended', find);
  window.addEventListener('beforeunload', event => {
    if (lost && anyTouched()) event.preventDefault();
  });
}
