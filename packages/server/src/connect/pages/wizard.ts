/**
 * The page for a wizard: one form at a time, then all answers together. Nothing is stored between two requests: the person's
 * input to other forms travels in the page, so that going back and forth loses nothing and any replica can show it.
 */
import { checkContent, type Field, labelOf, readForm } from '@midcall/core/form';
import { type Html, html } from '@midcall/core/page';
import type { Json } from '../../base/index.ts';
import { contentOf, type GroupItem, itemsOf } from '../forms/item.ts';
import { defaults, readItems } from '../forms/read.ts';
import { misfits } from '../forms/step.ts';
import { itemFields } from '../forms/view.ts';
import type { PageKind, PageView, Sent, Step } from './page.ts';
import { safeText } from './view.ts';

interface Data {
  readonly forms: readonly {
    readonly name: string;
    readonly title: string;
    readonly schema: Json;
    readonly when?: {
      readonly form: string;
      readonly field: string;
      readonly is: string | boolean | readonly string[];
    };
  }[];
  /** The form that is shown first. */
  readonly start?: string;
}

interface OpenForm extends Omit<Data['forms'][number], 'schema'> {
  readonly fields: readonly Field[];
  readonly group: GroupItem;
}

function formsOf(data: Data): readonly OpenForm[] {
  return data.forms.map(({ schema, ...form }) => {
    const read = readForm(schema);
    const fields = read.ok ? read.fields : [];
    return { ...form, fields, group: { kind: 'group', label: form.title, items: itemsOf(fields) } };
  });
}

/** The valid part of a form's input, and the errors, by path. */
function read({ name, fields, group }: OpenForm, sent: Sent) {
  const { value, issues } = readItems({ [name]: group }, sent);
  return { content: contentOf(fields, value[name] as Record<string, Json>), issues };
}

/** The forms to ask, given the input so far. */
function applying(forms: readonly OpenForm[], sent: Sent): readonly OpenForm[] {
  const formsByName = new Map<string, OpenForm>();
  for (const form of forms) {
    const before = form.when && formsByName.get(form.when.form);
    if (!form.when || (before && holds(form.when.is, read(before, sent).content[form.when.field]))) {
      formsByName.set(form.name, form);
    }
  }
  return [...formsByName.values()];
}

function holds(is: string | boolean | readonly string[], value: Json | undefined): boolean {
  if (!Array.isArray(is)) return value === is;
  return Array.isArray(value) ? value.some(each => is.includes(each)) : is.includes(value);
}

/** The input to forms that are not shown. */
const carried = (forms: readonly OpenForm[], currentName: string | undefined, sent: Sent): readonly Html[] =>
  forms
    .filter(({ name }) => name !== currentName)
    .flatMap(({ name, group }) => Object.keys(group.items).map(key => `${name}.${key}`))
    .flatMap(path => (sent.get(path) ?? []).map(value => html`<input type="hidden" name="${path}" value="${value}">`));

const REVIEW = '.review';

const backButton = html`<p><button class="button" name="do" value="back" formnovalidate>Back</button></p>`;

function formView(
  forms: readonly OpenForm[],
  name: string,
  sent: Sent,
  issues: ReadonlyMap<string, string> = new Map(),
  problem?: string,
): PageView {
  const steps = applying(forms, sent);
  const index = steps.findIndex(each => each.name === name);
  const current = steps[index]!;
  const body = html`<input type="hidden" name="wizard-at" value="${name}">${carried(forms, name, sent)}${itemFields({ [name]: current.group }, sent, issues)}${
    index > 0 && backButton
  }`;
  const title = steps.length === 1 ? current.title : `Step ${index + 1} of ${steps.length}`;
  return { title, send: 'Next', body, ...(problem !== undefined && { problem }) };
}

function reviewView(forms: readonly OpenForm[], sent: Sent): PageView {
  const steps = applying(forms, sent);
  const sections = steps.map(form => {
    const { content } = read(form, sent);
    const facts = form.fields.map(
      field =>
        html`<div><dt>${safeText(labelOf(field), 200)}</dt><dd>${safeText(spoken(field, content[field.name]), 2_000, true)}</dd></div>`,
    );
    const title = safeText(form.title, 200);
    return html`<section class="fields" aria-label="${title}"><h2>${title}</h2><dl class="facts">${facts}</dl>
<p><button class="button" name="do" value="change:${form.name}" formnovalidate>Change ${title}</button></p></section>`;
  });
  const body = html`<input type="hidden" name="wizard-at" value="${REVIEW}">${carried(forms, undefined, sent)}${sections}${backButton}`;
  return { title: 'Check your answers', send: 'Send answers', body };
}

function spoken(field: Field, value: Json | undefined): string {
  if (value === undefined) return '(empty)';
  if (typeof value === 'boolean') return value ? 'Yes' : 'No';
  const titleOf = (each: unknown): string =>
    ('choices' in field ? field.choices.find(choice => choice.value === each)?.title : undefined) ?? String(each);
  return Array.isArray(value) ? value.map(titleOf).join(', ') || '(none)' : titleOf(value);
}

function submit(forms: readonly OpenForm[], sent: Sent): Step {
  const at = sent.get('wizard-at')?.[0];
  const action = sent.get('do')?.[0] ?? 'send';
  const steps = applying(forms, sent);
  const last = steps.at(-1)!;
  const index = steps.findIndex(({ name }) => name === at);
  if (action.startsWith('change:')) {
    const changed = steps.find(({ name }) => name === action.slice('change:'.length)) ?? steps[0]!;
    return { again: formView(forms, changed.name, sent) };
  }
  if (action === 'back') {
    const before = at === REVIEW ? last : (steps[index - 1] ?? steps[0]!);
    return { again: formView(forms, before.name, sent) };
  }
  if (at !== REVIEW) {
    const current = steps[index] ?? steps[0]!;
    const wrong = mistakes(current, sent);
    if (wrong) return { again: formView(forms, current.name, sent, wrong.issues, wrong.problem) };
    const next = steps[steps.indexOf(current) + 1];
    if (next) return { again: formView(forms, next.name, sent) };
    if (steps.length > 1) return { again: reviewView(forms, sent) };
  }
  for (const form of steps) {
    const wrong = mistakes(form, sent);
    if (wrong) return { again: formView(forms, form.name, sent, wrong.issues, wrong.problem) };
  }
  return { finish: () => Object.fromEntries(steps.map(form => [form.name, read(form, sent).content])) };
}

/** The errors that keep a person from going on to the next form. */
function mistakes(form: OpenForm, sent: Sent) {
  const { content, issues } = read(form, sent);
  if (issues.size > 0) return { issues, problem: misfits(issues.size) };
  const checked = checkContent(form.fields, content);
  if (checked.ok) return undefined;
  return { issues, problem: checked.issues[0]?.message ?? 'An answer does not fit yet.' };
}

/** Every form in its initial state. */
const untouched = (forms: readonly OpenForm[]): Sent =>
  defaults(Object.fromEntries(forms.map(({ name, group }) => [name, group])));

export const wizardKind: PageKind = {
  name: 'wizard',
  show({ data }) {
    const { start } = data as unknown as Data;
    const forms = formsOf(data as unknown as Data);
    const sent = untouched(forms);
    const steps = applying(forms, sent);
    return formView(forms, (steps.find(({ name }) => name === start) ?? steps[0]!).name, sent);
  },
  submit: ({ data }, sent) => submit(formsOf(data as unknown as Data), sent),
};
