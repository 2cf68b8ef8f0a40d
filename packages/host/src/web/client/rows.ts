/** The rows of lists: a button adds one, and each has one that removes it. */
import { rowsChanged } from './forms.ts';

const controls = 'input:not([type=hidden]),select,textarea';

const isFilled = ({ type, checked, value }: HTMLInputElement): boolean =>
  type === 'radio' || type === 'checkbox' ? checked && value !== '' : value !== '';

/** The beginning of the names in a row that was asked for, by the form in which it is to appear. */
const added = new WeakMap<HTMLFormElement, string>();

/** Adds a row to a list, and goes to it; a blank row at its end is as good as a new one. */
function addRow(button: HTMLButtonElement): void {
  const { form } = button;
  const list = button.parentElement?.querySelector<HTMLElement>(':scope > [data-rows]');
  const name = list?.dataset['rows'];
  if (!form || name === undefined) return;
  const last = [...(list?.lastElementChild?.querySelectorAll<HTMLInputElement>(controls) ?? [])];
  if (last.length > 0 && !last.some(isFilled)) {
    last[0]?.focus();
    return;
  }
  const numbers = new FormData(form).getAll(`${name}.rows`).map(Number);
  const number = 1 + Math.max(-1, ...numbers);
  const row = document.createElement('input');
  Object.assign(row, { type: 'hidden', name: `${name}.rows`, value: String(number) });
  form.append(row);
  added.set(form, `${name}.${number}.`);
  rowsChanged(form);
}

/** Goes to the row that was asked for, once it is there. */
function focusAdded(form: HTMLFormElement): void {
  const row = added.get(form);
  if (row === undefined) return;
  const control = [...form.querySelectorAll<HTMLInputElement>(controls)].find(each => each.name.startsWith(row));
  if (!control) return;
  added.delete(form);
  control.focus();
}

/** Removes a row from a list, and goes to the one in its place. */
function dropRow(button: HTMLButtonElement): void {
  const row = button.closest('li');
  const { form } = button;
  if (!row || !form) return;
  const next = row.nextElementSibling ?? row.previousElementSibling;
  const add = row.closest('.rows')?.querySelector<HTMLElement>('[data-add-row]');
  row.remove();
  (next?.querySelector<HTMLElement>(controls) ?? add)?.focus();
  rowsChanged(form);
}

/** Removes blank rows below others: a button adds rows here, so nobody needs them. */
function dropSpareRows(part: ParentNode): void {
  for (const row of part.querySelectorAll('[data-spare]')) if (row.previousElementSibling) row.remove();
}

function onClick(event: MouseEvent): void {
  const button = (event.target as Element).closest('button');
  if (!button || event.defaultPrevented) return;
  if (button.dataset['dropRow'] !== undefined) dropRow(button);
  else if (button.dataset['addRow'] !== undefined) addRow(button);
}

/** Starts listening. */
export function startRows(): void {
  document.addEventListener('click', onClick);
  document.addEventListener('midcall:checked', event => focusAdded((event as CustomEvent<HTMLFormElement>).detail));
  document.addEventListener('midcall:fetched', event => dropSpareRows((event as CustomEvent<Document>).detail));
  dropSpareRows(document);
}
