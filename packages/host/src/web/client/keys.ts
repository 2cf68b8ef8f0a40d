/**
 * The shortcuts of every page. Keys without a modifier do nothing while somebody types, and can be switched off for people who
 * type by speech (WCAG 2.1.4).
 */
import { base } from './base.ts';
import { go } from './follow.ts';
import { sayGone } from './kept.ts';
import { isElsewhere } from './page.ts';
import { openPalette } from './palette.ts';
import { prefer } from './prefer.ts';

const typing = (at: Element): boolean =>
  at.closest('input:not([type=radio],[type=checkbox]),select,textarea,[contenteditable]') !== null;

const singleKeys = (): boolean => document.body.dataset['singleKeys'] !== 'off';

/** The open question that has the focus, or else the first of this page. */
const ownQuestion = (): string =>
  (
    document.activeElement?.closest<HTMLElement>('[data-question]') ??
    document.querySelector<HTMLElement>('[data-question]')
  )?.dataset['question'] ?? '';

/** Goes to the open question next to it. */
async function goToQuestion(which: 'next' | 'previous'): Promise<void> {
  const response = await fetch(`${base()}/inbox/${which}?from=${encodeURIComponent(ownQuestion())}`);
  const to = new URL(await response.text(), location.href);
  if (isElsewhere(to.href)) {
    await go(to.href);
    return;
  }
  location.hash = to.hash;
  document.getElementById(decodeURIComponent(to.hash.slice(1)))?.focus();
}

/** Each press goes on from where the one before it led to. */
let steps = Promise.resolve();

function step(which: 'next' | 'previous'): void {
  steps = steps.then(() => goToQuestion(which)).catch(sayGone);
}

function showKeys(): void {
  const dialog = document.querySelector<HTMLDialogElement>('dialog#keys');
  const box = dialog?.querySelector<HTMLInputElement>('[data-single-keys]');
  if (box) box.checked = singleKeys();
  dialog?.showModal();
}

function focusFind(): void {
  const box = document.getElementById('side-find');
  if (box && box.offsetParent !== null) box.focus();
  else openPalette();
}

const actions: Readonly<Record<string, () => void>> = {
  '?': showKeys,
  '/': focusFind,
  n: () => step('next'),
  p: () => step('previous'),
};

function onKey(event: KeyboardEvent): void {
  if (event.defaultPrevented || event.isComposing || event.altKey) return;
  const at = event.target as Element;
  const inDialog = at.closest('dialog') !== null || document.querySelector('dialog[open]') !== null;
  if ((event.ctrlKey || event.metaKey) && !event.shiftKey && event.key.toLowerCase() === 'k') {
    event.preventDefault();
    if (!inDialog) openPalette();
    return;
  }
  const act = Object.hasOwn(actions, event.key) ? actions[event.key] : undefined;
  if (!act || event.ctrlKey || event.metaKey || inDialog || typing(at) || !singleKeys()) return;
  event.preventDefault();
  act();
}

/** Starts listening. */
export function startKeys(): void {
  document.addEventListener('keydown', onKey);
  document.addEventListener('change', event => {
    const box = event.target as HTMLInputElement;
    if (!box.matches('[data-single-keys]')) return;
    document.body.dataset['singleKeys'] = box.checked ? 'on' : 'off';
    void prefer('keys', { single: box.checked ? 'on' : 'off' }).catch(() => {});
  });
}
