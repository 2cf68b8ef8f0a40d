/**
 * What client script adds to a form: checked while typing, sent without leaving the page, Esc dismisses, lists filter.
 * A form's own properties are read as attributes, since a control named `action` or `id` hides them.
 */
import { announce } from './announce.ts';
import { busy } from './busy.ts';
import { telling } from './drafts.ts';
import { fieldsOf } from './fields.ts';
import { failedElsewhere, keepFrom, maybeReceived, startKept, takeBack } from './kept.ts';
import { sendsLine } from './lines.ts';
import { morph } from './morph.ts';
import { fetched, isBeingSent, pageShown, refresh, sending, showDocument, touch, untouch } from './page.ts';
import { holdsBack } from './presence.ts';
import { whenReleased } from './pressed.ts';
import { bringBack, entered, restore } from './tab-drafts.ts';
import { inTime } from './time-limit.ts';

const pauseBeforeCheckMs = 140;

const timers = new WeakMap<HTMLFormElement, number>();
const checks = new WeakMap<HTMLFormElement, number>();

/** Sends a form. @returns undefined if it was not sent, and the page says why */
export type Deliver = (form: HTMLFormElement, to: string, body: URLSearchParams) => Promise<Response | undefined>;

/** For how many milliseconds a form may be on its way. */
const longestMs = 60_000;

/** Posts a form as it is. */
export const post = (to: string, body: URLSearchParams): Promise<Response> =>
  fetch(to, { method: 'POST', body, signal: inTime(longestMs) }).finally(busy('sending'));

let deliver: Deliver = (_, to, body) => post(to, body);

/** Fields that somebody has left; only these are marked as invalid before the form is sent. */
const visited = new WeakMap<HTMLFormElement, Set<string>>();

async function check(form: HTMLFormElement): Promise<void> {
  const path = form.dataset['check'];
  if (path === undefined) return;
  const turn = (checks.get(form) ?? 0) + 1;
  checks.set(form, turn);
  const body = fieldsOf(form);
  for (const name of visited.get(form) ?? []) body.append('visited', name);
  const sent = fetch(path, { method: 'POST', body, signal: inTime() });
  // What is checked is also saved as the draft.
  telling(form, sent);
  const response = await sent;
  if (!response.ok || checks.get(form) !== turn || !form.isConnected) return;
  const next = fetched(await response.text()).getElementById(form.getAttribute('id') ?? '');
  await whenReleased();
  if (!next || checks.get(form) !== turn) return;
  showFilters(next);
  morph(form, next);
  prepare();
  document.dispatchEvent(new CustomEvent('midcall:checked', { detail: form }));
}

function checkSoon(form: HTMLFormElement): void {
  window.clearTimeout(timers.get(form));
  timers.set(
    form,
    window.setTimeout(() => void check(form).catch(() => {}), pauseBeforeCheckMs),
  );
}

/** @returns undefined if the form was not sent, and the page says why; `lost` if nobody knows whether it was received */
async function answerTo(
  form: HTMLFormElement,
  submitter: HTMLElement | null,
): Promise<{ readonly response: Response; readonly text: string } | 'lost' | undefined> {
  try {
    const to = submitter?.getAttribute('formaction') ?? form.getAttribute('action') ?? '';
    const response = await deliver(form, to, fieldsOf(form, submitter));
    return response && { response, text: await response.text() };
  } catch {
    return 'lost';
  }
}

async function send(form: HTMLFormElement, submitter: HTMLElement | null): Promise<void> {
  window.clearTimeout(timers.get(form));
  checks.set(form, (checks.get(form) ?? 0) + 1);
  takeBack();
  const from = pageShown();
  const sent = String(fieldsOf(form));
  const answer = await answerTo(form, submitter);
  // A person who has gone on to another page meanwhile stays there.
  if (from !== pageShown()) {
    if (answer === 'lost' || !answer?.response.ok) failedElsewhere(form, from);
    return;
  }
  if (answer === 'lost') {
    maybeReceived(form);
    // The page may say what became of it.
    void refresh();
  }
  if (!answer || answer === 'lost' || keepFrom(form, answer.response)) return;
  const { response, text } = answer;
  // From now on, what was found wrong stays marked until it is right.
  if (response.status === 422)
    for (const { name } of form.querySelectorAll<HTMLInputElement>('[name]')) visit(form, name);
  if (response.redirected) fillOnReturn(form, response.url);
  // Somebody may have typed on while this was under way.
  const since = String(fieldsOf(form)) === sent ? undefined : entered(form);
  showDocument(text, { live: false, url: response.redirected ? response.url : location.href });
  const shown = document.getElementById(form.getAttribute('id') ?? '');
  if (since && shown !== form && shown instanceof HTMLFormElement) restore(shown, since);
  // What was filled in by the desk takes the place of what was typed.
  if (submitter?.getAttribute('value') === 'same' && form.isConnected) form.reset();
  // A form that is still there, such as the one that offers a folder, is ready for the next, unless the person has begun it.
  if (response.redirected && !since && form.isConnected && form.dataset['saved'] === undefined) {
    form.reset();
    untouch(form);
  }
  if (response.ok && form.dataset['saved'] !== undefined) announce(form.dataset['saved']);
}

/** Restores the arguments when somebody comes back to a form that has made a call. */
function fillOnReturn(form: HTMLFormElement, to: string): void {
  const call = form.dataset['again'] === undefined ? undefined : /\/calls\/([^/]+)$/.exec(new URL(to).pathname)?.[1];
  if (call !== undefined) history.replaceState(history.state, '', `${location.pathname}?from=${call}`);
}

/** True for a form that is sent from here, and not by the browser. */
const isSentHere = (form: HTMLFormElement, submitter: HTMLElement | null): boolean =>
  form.getAttribute('method') === 'post' &&
  form.dataset['leaves'] === undefined &&
  submitter?.getAttribute('formtarget') !== '_blank';

/**
 * Sends a form as its button does, if it is sent from here. A browser that sends one lays out first whatever is folded in it, for
 * what it may fill in by itself, and that takes longer than the answer does to leave.
 */
function press(form: HTMLFormElement, button: HTMLButtonElement): boolean {
  if (!isSentHere(form, button) || !form.hasAttribute('novalidate')) return false;
  form.dispatchEvent(new SubmitEvent('submit', { submitter: button, bubbles: true, cancelable: true }));
  return true;
}

function onSubmit(event: SubmitEvent): void {
  const form = event.target as HTMLFormElement;
  if (!isSentHere(form, event.submitter)) {
    if (holdsBack(form)) event.preventDefault();
    return;
  }
  event.preventDefault();
  if (isBeingSent(form)) return;
  const answer = send(form, event.submitter);
  sending(form, answer);
  void answer.finally(() => {
    if (changed.delete(form)) form.requestSubmit();
  });
}

/** Forms that were changed while they were being sent. */
const changed = new WeakSet<HTMLFormElement>();

/** Sends a form whose changes are all saved. */
function save(form: HTMLFormElement): void {
  if (isBeingSent(form)) changed.add(form);
  else form.requestSubmit();
}

/** What a card's form contained when it was first shown; undefined if that was a draft already. */
const starts = new WeakMap<HTMLFormElement, string | undefined>();

const contents = (form: HTMLFormElement): string => JSON.stringify([...new FormData(form)]);

const warningIn = (form: HTMLFormElement): HTMLElement | null => form.querySelector<HTMLElement>('[data-leaving]');

/** Remembers what the cards that have just been shown contain. */
function noteStarts(): void {
  for (const form of document.querySelectorAll<HTMLFormElement>('[data-question] > form'))
    if (!starts.has(form)) starts.set(form, form.dataset['drafted'] === undefined ? contents(form) : undefined);
}

/** Takes a warning back, as somebody goes on filling in the form. */
function stay(form: HTMLFormElement): void {
  const warning = warningIn(form);
  if (warning) warning.hidden = true;
}

/** True for a warning that the person can see, and not only hear. */
function isInSight(warning: HTMLElement): boolean {
  const { top, bottom } = warning.getBoundingClientRect();
  return top >= 0 && bottom <= window.innerHeight;
}

/**
 * Decides whether Esc may dismiss the card of a form: at once if nothing was entered in it. Otherwise the first Esc only says that
 * what was entered will be lost, and the next one dismisses while that is in sight.
 */
function mayLeave(form: HTMLFormElement): boolean {
  const warning = warningIn(form);
  if (!warning || starts.get(form) === contents(form) || (!warning.hidden && isInSight(warning))) return true;
  warning.hidden = false;
  if (!isInSight(warning)) warning.scrollIntoView({ block: 'center' });
  announce(warning.textContent ?? '');
  return false;
}

function onInput(event: Event): void {
  const control = event.target as HTMLInputElement;
  if (control.dataset['filter'] !== undefined) {
    filter(control);
    return;
  }
  const form = control.form;
  if (!form) return;
  if (control.dataset['save'] !== undefined) {
    if (event.type === 'change') save(form);
    return;
  }
  touch(form);
  stay(form);
  showLive(document);
  if (event.type === 'change' && control.name !== '') visit(form, control.name);
  checkSoon(form);
}

function visit(form: HTMLFormElement, name: string): void {
  const names = visited.get(form) ?? new Set();
  names.add(name);
  visited.set(form, names);
}

function filter(box: HTMLInputElement): void {
  const words = box.value.toLowerCase().split(/\s+/).filter(Boolean);
  const matches = (text: string): boolean => words.every(word => text.toLowerCase().includes(word));
  const id = box.dataset['filter']!;
  const list = document.getElementById(id);
  const rows =
    list instanceof HTMLSelectElement
      ? [...list.options].filter(option => option.value !== '')
      : [
          ...document.querySelectorAll<HTMLElement>(
            `[data-filtered="${CSS.escape(id)}"] > .option, [data-filtered="${CSS.escape(id)}"] > li`,
          ),
        ];
  for (const row of rows) row.hidden = !matches(row.textContent ?? '');
  // A section of which nothing is left goes with its heading.
  const sections = [...document.querySelectorAll<HTMLElement>(`[data-filter-section="${CSS.escape(id)}"]`)];
  for (const section of sections) section.hidden = box.value !== '' && !section.querySelector('li:not([hidden])');
  const none = document.querySelector<HTMLElement>(`[data-filter-none="${CSS.escape(id)}"]`);
  if (none) none.hidden = sections.some(section => !section.hidden);
}

/**
 * In a box that filters, Enter takes what is left if that is one choice, and otherwise goes to the first, as the arrow down does.
 * It never sends the form.
 */
function toFiltered(box: HTMLInputElement, event: KeyboardEvent): void {
  const list = document.querySelectorAll(`[data-filtered="${CSS.escape(box.dataset['filter']!)}"]`);
  const rows = [...list].flatMap(each => [...each.children]).filter(row => row.checkVisibility());
  const first = rows[0]?.querySelector<HTMLElement>('input,a');
  event.preventDefault();
  first?.focus();
  if (event.key === 'Enter' && rows.length === 1 && !first?.matches(':checked')) first?.click();
}

function onKey(event: KeyboardEvent): void {
  if (event.defaultPrevented) return;
  if (sendsLine(event)) {
    event.preventDefault();
    const { form } = event.target as HTMLTextAreaElement;
    const first = form?.querySelector<HTMLButtonElement>('button:not([type=button])');
    if (first && !first.disabled) form?.requestSubmit(first);
    return;
  }
  if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) {
    sendFrom(event);
    return;
  }
  if (event.isComposing) return;
  const at = event.target as HTMLElement;
  if ((event.key === 'Enter' || event.key === 'ArrowDown') && at instanceof HTMLInputElement && at.dataset['filter']) {
    toFiltered(at, event);
    return;
  }
  if (event.key !== 'Escape') return;
  if (at instanceof HTMLInputElement && at.dataset['filter'] !== undefined && at.value !== '') {
    at.value = '';
    filter(at);
    event.preventDefault();
    return;
  }
  const dismiss = cardFor(at)?.querySelector<HTMLButtonElement>('button[name=action][value=dismiss]');
  if (!dismiss) return;
  event.preventDefault();
  if (!dismiss.form || mayLeave(dismiss.form)) dismiss.click();
}

/** Sends the form that has the focus, or that of the only card of a page, as its first button would. */
function sendFrom(event: KeyboardEvent): void {
  const at = event.target as HTMLElement;
  const form =
    at.closest('form') ??
    cardFor(at)?.querySelector('form') ??
    only(document.querySelectorAll<HTMLFormElement>('[data-first]'), at);
  const button = form?.querySelector<HTMLButtonElement>('button.primary:not([disabled])');
  if (!form || !button || event.isComposing) return;
  event.preventDefault();
  if (!press(form, button)) form.requestSubmit(button);
}

/** The card that a key is meant for. */
const cardFor = (at: Element): Element | undefined =>
  at.closest('[data-question]') ?? only(document.querySelectorAll('[data-question]'), at);

/** Shows the hint about Esc only on the card that Esc would dismiss now. */
function showEsc(): void {
  const card = cardFor(document.activeElement ?? document.body);
  for (const each of document.querySelectorAll<HTMLElement>('[data-esc]')) {
    const hidden = each.closest('[data-question]') !== card;
    if (each.hidden !== hidden) each.hidden = hidden;
  }
}

/** The only card or form of a page, for a key that is pressed while nothing has the focus. */
function only<T extends Element>(all: NodeListOf<T>, at: Element): T | undefined {
  // A page that is being left takes no keys (`follow.ts`).
  if (document.getElementById('main')?.inert) return undefined;
  return (at === document.body || at.id === 'main') && all.length === 1 ? all[0] : undefined;
}

/** In what replaces a part of the page too: a box that was hidden for a moment would lose the focus, and the keys typed next. */
function showFilters(part: ParentNode): void {
  for (const box of part.querySelectorAll<HTMLElement>('[data-filter]')) box.hidden = false;
}

/** What cannot be accepted until something is chosen has no live button until then. */
function showLive(part: ParentNode): void {
  for (const form of part.querySelectorAll<HTMLFormElement>('form[data-needs-choice]')) {
    const controls = [...form.querySelectorAll<HTMLInputElement>('.field input')];
    const isChosen = controls.some(({ type, checked, value }) => (type === 'checkbox' ? checked : value.trim() !== ''));
    const button = form.querySelector<HTMLButtonElement>('button.primary');
    if (button) button.disabled = !isChosen;
  }
}

function prepare(): void {
  noteStarts();
  showLive(document);
  showEsc();
  showFilters(document);
  for (const box of document.querySelectorAll<HTMLInputElement>('[data-filter]')) if (box.value !== '') filter(box);
}

/** Checks a form whose rows have changed; the answer to a check in progress still has the rows of before. */
export function rowsChanged(form: HTMLFormElement): void {
  checks.set(form, (checks.get(form) ?? 0) + 1);
  touch(form);
  stay(form);
  window.clearTimeout(timers.get(form));
  void check(form).catch(() => {});
}

function onClick(event: MouseEvent): void {
  const button = (event.target as Element).closest('button');
  if (!button || event.defaultPrevented) return;
  if (button.type === 'submit' && button.form && press(button.form, button)) event.preventDefault();
}

/** Starts listening. @param by - sends forms in its own way */
export function startForms(by: Deliver = deliver): void {
  deliver = by;
  document.addEventListener('click', onClick);
  document.addEventListener('submit', onSubmit);
  document.addEventListener('input', onInput);
  document.addEventListener('change', onInput);
  document.addEventListener('keydown', onKey);
  document.addEventListener('focusin', showEsc);
  // The next element has the focus only after this event.
  document.addEventListener('focusout', () => window.queueMicrotask(showEsc));
  document.addEventListener('midcall:fetched', event => {
    const { detail } = event as CustomEvent<Document>;
    showFilters(detail);
    showLive(detail);
  });
  document.addEventListener('midcall:shown', () => {
    bringBack();
    prepare();
  });
  startKept();
  prepare();
}
