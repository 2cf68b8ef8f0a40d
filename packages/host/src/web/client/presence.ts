/**
 * Whether the desk can be reached. If it cannot, the page says so and what to do, and no link leads away from it: what has been
 * typed exists nowhere else then.
 */
import { maybeReceived } from './kept.ts';
import { nobodyAnswers } from './nobody-answers.ts';
import { anyTouched, sessionIsOver } from './page.ts';

/** How many milliseconds the desk may be out of reach before the page says so: a stream may break and be restored at once. */
const tellAfterMs = 1_000;

let lost = false;
let timer = 0;

const notice = (): HTMLElement | null => document.getElementById('offline');

/**
 * Says at once that the desk is gone. @param unsent - what became of the form that was being sent; once unknown, it stays
 * unknown
 */
function say(unsent?: 'not-sent' | 'unknown'): void {
  const box = notice();
  if (!box) return;
  const lines = [...box.querySelectorAll<HTMLElement>('[data-unsent]')];
  const inDoubt = lines.some(line => line.dataset['unsent'] === 'unknown' && !line.hidden);
  if (unsent && !inDoubt) for (const line of lines) line.hidden = line.dataset['unsent'] !== unsent;
  box.hidden = false;
}

/** The desk cannot be reached. Further failed attempts change nothing, nor do any once there is no session to return to. */
function lose(): void {
  if (lost || sessionIsOver()) return;
  lost = true;
  timer = window.setTimeout(say, tellAfterMs);
}

/** Notes that the desk can be reached. */
function find(): void {
  lost = false;
  window.clearTimeout(timer);
  const box = notice();
  if (!box || box.hidden) return;
  box.hidden = true;
  const inDoubt = box.querySelector('[data-unsent=unknown]:not([hidden])') !== null;
  for (const each of box.querySelectorAll<HTMLElement>('[data-unsent]')) each.hidden = true;
  if (inDoubt && anyTouched()) maybeReceived();
}

/** What to do at an event of that name. */
export const presence = { lost: lose, found: find } as const;

/** Tells the person that something could not be sent. */
export function notSent(): void {
  say(lost ? 'not-sent' : 'unknown');
}

/** Tells the person that the desk did not answer when its next page was requested. */
export function unreachable(): void {
  say();
}

/** True if a form must not be left to the browser, which would replace this page by its own error page. */
export function holdsBack(): boolean {
  if (lost) say('not-sent');
  return lost;
}

function onClick(event: MouseEvent): void {
  const link = (event.target as Element).closest<HTMLAnchorElement>('a[href]');
  const elsewhere = event.defaultPrevented || event.button !== 0 || event.ctrlKey || event.metaKey || event.shiftKey;
  const leaves = link?.origin === location.origin && link.target === '' && !link.getAttribute('href')?.startsWith('#');
  if (!lost || elsewhere || !link || !leaves) return;
  event.preventDefault();
  void fetch(link.href).then(
    response => (nobodyAnswers(response) ? say() : location.assign(link.href)),
    () => say(),
  );
}

/** Starts protecting the page. */
export function startPresence(): void {
  // Whatever is shown came from the desk.
  document.addEventListener('midcall:shown', find);
  document.addEventListener('midcall:missed', lose);
  // There is no session to return to, which another notice says.
  document.addEventListener('midcall:ended', find);
  document.addEventListener('click', onClick);
  window.addEventListener('beforeunload', event => {
    if (lost && anyTouched()) event.preventDefault();
  });
}
