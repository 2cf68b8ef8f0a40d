/**
 * The shortcuts of every page. Keys without a modifier do nothing while somebody types, and can be switched off for people who
 * type by speech (WCAG 2.1.4).
 */
import { base } from './base.ts';
import { openPalette } from './palette.ts';
import { prefer } from './prefer.ts';

const typing = (at: Element): boolean =>
  at.closest('input:not([type=radio],[type=checkbox]),select,textarea,[contenteditable]') !== null;

const singleKeys = (): boolean => document.body.dataset['singleKeys'] !== 'off';

/** Goes to the open question next to the one on this page. */
function goToQuestion(which: 'next' | 'previous'): void {
  const own = document.querySelector<HTMLElement>('[data-question]')?.dataset['question'] ?? '';
  location.assign(`${base()}/inbox/${which}?from=${encodeURIComponent(own)}`);
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
  n: () => goToQuestion('next'),
  p: () => goToQuestion('previous'),
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
