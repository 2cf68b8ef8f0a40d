/**
 * What somebody has entered in a question's form, where nothing stores it but this tab: it is there again when they come back from
 * another page, and can be copied if the question ends before they have sent it. Any form keeps in the same way what is entered after
 * it was sent (forms.ts), and what was sent in vain once its page was left (kept.ts).
 *
 * - tab-D1 No secret is put aside (`data-secret`, password controls).
 * - tab-D2 It is only in the memory of the page: who loads the page anew is warned, and loses it.
 */
import { isSecret } from './drafts.ts';
import { anyTouched, isBeingSent, isTouched, pageShown, touch } from './page.ts';

type Control = HTMLInputElement | HTMLTextAreaElement | HTMLSelectElement;

/** What was entered, by the page and the id of the form, and the name of the control. */
const aside = new Map<string, ReadonlyMap<string, readonly string[]>>();

const controlsOf = (form: HTMLFormElement): readonly Control[] =>
  [...form.elements].filter(
    (each): each is Control => each.matches('input:not([type=hidden]),textarea,select') && !isSecret(each),
  );

const isOption = (control: Control): control is HTMLInputElement =>
  control instanceof HTMLInputElement && (control.type === 'radio' || control.type === 'checkbox');

/** What a form would send, without our own controls and without secrets. */
export function entered(form: HTMLFormElement): ReadonlyMap<string, readonly string[]> {
  const all = new Map<string, string[]>();
  for (const control of controlsOf(form)) {
    if (control.name === '') continue;
    const own = all.get(control.name) ?? [];
    all.set(control.name, own);
    if (!isOption(control) || control.checked) own.push(control.value);
  }
  return all;
}

const keyOf = (form: HTMLFormElement, page = pageShown()): string => `${page} ${form.getAttribute('id') ?? ''}`;

/** Puts aside what was entered in a form of a page. */
export function putAside(form: HTMLFormElement, page = pageShown()): void {
  if (isTouched(form)) aside.set(keyOf(form, page), entered(form));
}

/** Enters it again. */
export function restore(form: HTMLFormElement, values: ReadonlyMap<string, readonly string[]>): void {
  for (const control of controlsOf(form)) {
    const own = values.get(control.name);
    if (!own) continue;
    if (isOption(control)) control.checked = own.includes(control.value);
    else control.value = own[0] ?? control.value;
  }
  touch(form);
  // The review below the fields, and what depends on a choice, follow.
  controlsOf(form)[0]?.dispatchEvent(new Event('input', { bubbles: true }));
}

/** What a field shows as entered. */
function textIn(field: Element): string {
  const controls = [...field.querySelectorAll<Control>('input,textarea,select')].filter(each => each.name !== '');
  return controls
    .flatMap(control => {
      if (control instanceof HTMLSelectElement)
        return control.value === '' ? [] : [...control.selectedOptions].map(({ text }) => text);
      if (!isOption(control)) return control.value === '' ? [] : [control.value];
      const words = control.closest('.option')?.querySelector('.option-text > span')?.textContent;
      return control.checked && control.value !== '' ? [words ?? control.value] : [];
    })
    .join(', ');
}

/** Shows what was entered in a form that is not on the page any more, so that it can be copied. */
export function leaveForCopying(form: HTMLFormElement, box: HTMLElement): void {
  const rows = [...form.querySelectorAll('.field')].flatMap(field => {
    const text = isSecret(field) || field.querySelector('input[type=password],.masked') ? '' : textIn(field);
    if (text === '') return [];
    const [row, term, value] = ['div', 'dt', 'dd'].map(name => document.createElement(name));
    term!.textContent = (field.querySelector('.field-title') ?? field.querySelector('label,legend'))?.textContent ?? '';
    value!.textContent = text;
    row!.dataset['typed'] = '';
    row!.append(term!, value!);
    return [row!];
  });
  if (rows.length === 0) return;
  box.querySelector('dl')?.replaceChildren(...rows);
  box.hidden = false;
}

/** Before another page, or this one as it is now, takes the place of what is on screen. */
function beforeShown(next: Document): void {
  for (const form of document.querySelectorAll<HTMLFormElement>('[data-question] > form')) {
    const id = form.getAttribute('id') ?? '';
    if (isBeingSent(form) || !isTouched(form)) continue;
    putAside(form);
    const box = next.getElementById(id.replace(/-form$/, '-typed'));
    if (box?.hidden) leaveForCopying(form, box);
  }
}

/** Enters again what was put aside of the forms of this page. */
export function bringBack(): void {
  for (const form of document.forms) {
    const key = keyOf(form);
    const values = aside.get(key);
    aside.delete(key);
    if (values && !isTouched(form)) restore(form, values);
  }
}

/** Starts putting aside. */
export function startTabDrafts(): void {
  document.addEventListener('midcall:fetched', event => beforeShown((event as CustomEvent<Document>).detail));
  window.addEventListener('beforeunload', event => {
    if (anyTouched()) event.preventDefault();
  });
}
