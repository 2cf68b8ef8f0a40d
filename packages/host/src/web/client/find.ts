/** Shows search results while somebody types into the box above the servers, in place of the servers. */
import { base } from './base.ts';

const pauseMs = 60;

let timer = 0;
/** Counts searches, so that an older result never replaces a newer one. */
let latest = 0;

/** The results for some words, as the desk renders them; undefined if a newer search was made meanwhile. */
export async function found(query: string): Promise<Element | undefined> {
  latest += 1;
  const own = latest;
  const response = await fetch(`${base()}/find?q=${encodeURIComponent(query)}`);
  const list = new DOMParser().parseFromString(await response.text(), 'text/html').getElementById('found');
  return own === latest && list ? list : undefined;
}

/** What can be gone to or done in a list of results. */
const stopsIn = (list: ParentNode | null): readonly HTMLElement[] => [
  ...(list?.querySelectorAll<HTMLElement>('a,button') ?? []),
];

/** Shows new results; whoever is on one of those before is on the one in its place. */
export function replaceFound(place: HTMLElement, list: Element | undefined): void {
  const at = stopsIn(place).indexOf(document.activeElement as HTMLElement);
  list?.removeAttribute('id');
  place.replaceChildren(...(list ? [list] : []));
  const stops = stopsIn(place);
  if (at >= 0) stops[Math.min(at, stops.length - 1)]?.focus();
}

async function look(box: HTMLInputElement): Promise<void> {
  const place = document.getElementById(box.dataset['find'] ?? '');
  if (!place) return;
  const query = box.value.trim();
  const list = query === '' ? undefined : await found(query);
  if (query !== '' && !list) return;
  replaceFound(place, list);
  place.dataset['query'] = query;
  place.hidden = query === '';
}

/**
 * Goes to the first result for the present content of a box, however fast it was typed.
 * @param look - searches, and shows the results in `place`
 */
export async function goToFirst(box: HTMLInputElement, place: HTMLElement, look: () => Promise<void>): Promise<void> {
  const isShown = (): boolean => place.dataset['query'] === box.value.trim();
  if (!isShown()) await look();
  if (isShown()) stopsIn(place)[0]?.click();
}

const boxOf = (target: EventTarget | null): HTMLInputElement | undefined =>
  target instanceof HTMLInputElement && target.dataset['find'] !== undefined ? target : undefined;

/**
 * Moves through a box and the results below it with the arrow keys. What is typed among the results goes into the box.
 * @returns true if it has moved
 */
export function moveThrough(event: KeyboardEvent, box: HTMLElement, list: Element | null): boolean {
  // A space presses a button, and does nothing on a link.
  const presses = event.key === ' ' && document.activeElement instanceof HTMLButtonElement;
  const isTyped = event.key.length === 1 && !presses && !event.ctrlKey && !event.metaKey && !event.altKey;
  if ((isTyped || event.key === 'Backspace') && document.activeElement !== box) box.focus();
  if (event.key !== 'ArrowDown' && event.key !== 'ArrowUp') return false;
  const stops = [box, ...stopsIn(list)];
  const at = stops.indexOf(document.activeElement as HTMLElement);
  const next = stops[at + (event.key === 'ArrowDown' ? 1 : -1)];
  if (at < 0 || !next) return false;
  next.focus();
  event.preventDefault();
  return true;
}

function onKey(event: KeyboardEvent): void {
  const at = event.target as Element;
  const box = boxOf(at) ?? at.closest('.side')?.querySelector<HTMLInputElement>('[data-find]');
  if (!box || event.isComposing) return;
  const place = document.getElementById(box.dataset['find'] ?? '');
  if (!place || (at !== box && !place.contains(at)) || moveThrough(event, box, place)) return;
  if (event.key === 'Enter' && at === box) {
    if (box.value.trim() === '') return;
    event.preventDefault();
    // Cancels the pending search, whose result would replace this one.
    window.clearTimeout(timer);
    void goToFirst(box, place, () => look(box)).catch(() => {});
  } else if (event.key === 'Escape' && !place.hidden) {
    event.preventDefault();
    box.value = '';
    void look(box);
    box.focus();
  }
}

/** Begins to show search results while somebody types. */
export function startFind(): void {
  document.addEventListener('input', event => {
    const box = boxOf(event.target);
    if (!box) return;
    window.clearTimeout(timer);
    timer = window.setTimeout(() => void look(box).catch(() => {}), pauseMs);
  });
  document.addEventListener('keydown', onKey, true);
  // On the next page, what was looked for has been found.
  document.addEventListener('midcall:left', () => {
    window.clearTimeout(timer);
    latest += 1;
    for (const box of document.querySelectorAll<HTMLInputElement>('[data-find]')) {
      if (box.value === '') continue;
      box.value = '';
      void look(box);
    }
  });
}
