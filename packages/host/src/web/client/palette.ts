/** The palette: anything by its name, from anywhere. */
import { base } from './base.ts';
import { found, goToFirst, moveThrough, replaceFound } from './find.ts';

const palette = (): HTMLDialogElement | null => document.querySelector('dialog#palette');

let timer = 0;
const pauseMs = 40;

async function look(box: HTMLInputElement): Promise<void> {
  const place = document.getElementById('palette-found');
  const query = box.value.trim();
  const list = await found(query);
  if (!place || !list) return;
  replaceFound(place, list);
  place.dataset['query'] = query;
}

/** Opens the palette, with open questions and what was used last. */
export function openPalette(): void {
  const dialog = palette();
  const box = dialog?.querySelector('input');
  if (!dialog || !box || dialog.open) return;
  box.value = '';
  dialog.showModal();
  box.focus();
  void look(box).catch(() => {});
}

function onKey(event: KeyboardEvent): void {
  const dialog = palette();
  const box = dialog?.querySelector('input');
  if (!dialog?.open || !box || event.isComposing) return;
  const place = document.getElementById('palette-found');
  if (event.key === 'Escape') {
    // By itself, the first press would only empty the box.
    event.preventDefault();
    dialog.close();
    return;
  }
  if (moveThrough(event, box, place)) return;
  if (event.key === 'Enter' && event.target === box) {
    event.preventDefault();
    // Cancels the pending search, whose result would replace this one.
    window.clearTimeout(timer);
    if (place) void goToFirst(box, place, () => look(box)).catch(() => {});
  }
}

/** What is done in the palette leads back to where one is. */
function stayHere(form: HTMLFormElement): void {
  const to = document.createElement('input');
  const value = `${location.pathname.slice(base().length)}${location.search}` || '/';
  Object.assign(to, { type: 'hidden', name: 'to', value });
  form.append(to);
}

/** Starts listening. */
export function startPalette(): void {
  document.addEventListener('click', event => {
    const at = event.target as Element;
    if (at.closest('[data-palette]')) {
      event.preventDefault();
      openPalette();
    } else if (at === palette() || at.closest('#palette a')) palette()?.close();
    else if (at.closest('#palette form button')) {
      stayHere(at.closest('form')!);
      palette()?.close();
    }
  });
  document.addEventListener('input', event => {
    const box = event.target as HTMLInputElement;
    if (!box.closest('#palette')) return;
    window.clearTimeout(timer);
    timer = window.setTimeout(() => void look(box).catch(() => {}), pauseMs);
  });
  document.addEventListener('keydown', onKey, true);
}
