/**
 * Puts the cursor where one types: in the first field of a page that is there for its form, and of a question that comes while
 * nothing has the focus. Keys typed then are no longer shortcuts of the page.
 */

/** Forms that got the cursor automatically, while a key may have been meant for something else. */
const cameTo = new WeakSet<HTMLFormElement>();

const fields = 'input:not([type=hidden]),select,textarea';

/** The field to start with: in a group of choices the chosen one, as with the Tab key. */
function firstField(form: Element): HTMLElement | undefined {
  const all = [...form.querySelectorAll<HTMLInputElement>(fields)];
  const first = all.find(each => !each.disabled && each.checkVisibility());
  if (first?.type !== 'radio') return first;
  return all.find(each => each.type === 'radio' && each.name === first.name && each.checked) ?? first;
}

/** An on-screen keyboard would cover what has to be read first. */
const mayType = (): boolean => !window.matchMedia('(pointer: coarse)').matches;

function focusIn(form: Element | null | undefined): HTMLElement | undefined {
  const field = form && mayType() ? firstField(form) : undefined;
  field?.focus({ preventScroll: true });
  return field;
}

/** Goes to the first field of this page's form. @returns false if it has none */
export function focusForm(): boolean {
  const id = location.hash.slice(1);
  // Going from question to question by shortcut leads to the heading of each, so that the shortcuts keep working.
  if (document.getElementById(id)?.matches('.frame-title') === true) return true;
  const asked = id === '' ? null : document.getElementById(id)?.closest('[data-question]');
  const form = (asked ?? document.querySelector('main')!).querySelector('form[data-first]');
  return focusIn(form) !== undefined;
}

/** Goes to a question that has just come. */
export function focusCard(card: Element): void {
  const form = card.querySelector<HTMLFormElement>('form[data-first]');
  if (form && focusIn(form)) cameTo.add(form);
  else card.querySelector<HTMLElement>('.frame-title')?.focus();
}

/** An Enter that was meant for something else sends nothing. */
function onKey(event: KeyboardEvent): void {
  const form = (event.target as HTMLInputElement).form;
  if (!form || event.key === 'Tab' || event.key === 'Shift') return;
  const isLeftover = event.repeat || cameTo.delete(form);
  if (isLeftover && event.key === 'Enter' && (event.target as Element).matches('input,[data-one-line]'))
    event.preventDefault();
}

/** Goes to the form of the page, unless something has the focus. */
export function startFocus(): void {
  document.addEventListener('keydown', onKey, true);
  document.addEventListener('pointerdown', event => {
    const form = (event.target as Element).closest('form');
    if (form) cameTo.delete(form);
  });
  const { activeElement: at } = document;
  if (at === null || at === document.body) focusForm();
}
