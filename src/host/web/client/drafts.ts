/**
 * Keeps what somebody has put into an open question's form, in this tab alone, so that a reload does not lose it.
 *
 * - D1 Nothing that a secret may be typed into is kept (`data-secret`, password controls), and none of our hidden fields.
 * - D2 A draft goes when its question is no longer open.
 */

const prefix = 'midcall.draft.';

type Control = HTMLInputElement | HTMLSelectElement | HTMLTextAreaElement;
type Draft = readonly (readonly [string, string])[];

/** Forms that were filled in from a draft already, or had none. */
const known = new WeakSet<HTMLFormElement>();

const questionOf = (form: HTMLFormElement): string | undefined =>
  form.closest<HTMLElement>('[data-question]')?.dataset['question'];

const controlsOf = (form: HTMLFormElement): readonly Control[] =>
  ([...form.elements] as Element[]).filter(
    (each): each is Control =>
      (each instanceof HTMLInputElement || each instanceof HTMLSelectElement || each instanceof HTMLTextAreaElement) &&
      each.name !== '' &&
      each.type !== 'hidden' &&
      each.type !== 'password' &&
      each.closest('[data-secret]') === null,
  );

const isSwitch = (control: Control): control is HTMLInputElement =>
  control.type === 'radio' || control.type === 'checkbox';

function keep(form: HTMLFormElement): void {
  const id = questionOf(form);
  if (id === undefined) return;
  const draft: Draft = controlsOf(form)
    .filter(control => !isSwitch(control) || control.checked)
    .map(control => [control.name, control.value]);
  try {
    sessionStorage.setItem(prefix + id, JSON.stringify(draft));
  } catch {
    // No room, or no storage: the form works without.
  }
}

function read(id: string): Draft | undefined {
  try {
    const draft: unknown = JSON.parse(sessionStorage.getItem(prefix + id) ?? 'null');
    return Array.isArray(draft) ? (draft as Draft) : undefined;
  } catch {
    return undefined;
  }
}

function fillIn(form: HTMLFormElement, draft: Draft): void {
  const controls = controlsOf(form);
  for (const control of controls) {
    const values = draft.filter(([name]) => name === control.name).map(([, value]) => value);
    const [value] = values;
    if (isSwitch(control)) control.checked = values.includes(control.value);
    else if (value !== undefined && fits(control, value)) control.value = value;
  }
  controls[0]?.dispatchEvent(new Event('input', { bubbles: true }));
}

const fits = (control: Control, value: string): boolean =>
  !(control instanceof HTMLSelectElement) || [...control.options].some(option => option.value === value);

function forgetEnded(): void {
  const open = document.body.dataset['open']?.split(' ');
  if (!open) return;
  for (const key of Object.keys(sessionStorage))
    if (key.startsWith(prefix) && !open.includes(key.slice(prefix.length))) sessionStorage.removeItem(key);
}

function look(): void {
  try {
    forgetEnded();
  } catch {
    return;
  }
  for (const form of document.querySelectorAll<HTMLFormElement>('[data-question] form')) {
    if (known.has(form)) continue;
    known.add(form);
    const draft = read(questionOf(form) ?? '');
    if (draft) fillIn(form, draft);
  }
}

/** Starts keeping; after {@link startForms}, which is told of what is filled in. */
export function startDrafts(): void {
  const onInput = (event: Event): void => {
    const { form } = event.target as Control;
    if (form) keep(form);
  };
  document.addEventListener('input', onInput);
  document.addEventListener('change', onInput);
  document.addEventListener('midcall:shown', look);
  look();
}
