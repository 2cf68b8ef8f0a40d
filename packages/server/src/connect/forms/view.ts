/** Renders questions as inputs: nested, repeated, and only those that apply. Needs no client script. Pure. */
import { textFormats } from '@midcall/core/form';
import {
  areaControl,
  attributes,
  type Html,
  html,
  lineControl,
  listControl,
  numberControl,
  optionControl,
} from '@midcall/core/page';
import type { Sent } from '../pages/page.ts';
import { safeText } from '../pages/view.ts';
import { choicesOf, type FieldItem, type Item, type Items, type ListItem, mostEntries } from './item.ts';
import { applies, at, countOf, entries } from './read.ts';

interface Drawing {
  readonly sent: Sent;
  readonly issues: ReadonlyMap<string, string>;
}

/** Draws the questions that apply. */
export function itemFields(items: Items, sent: Sent, issues: ReadonlyMap<string, string> = new Map()): Html {
  return html`<div class="fields">${group(items, '', { sent, issues })}</div>`;
}

const group = (items: Items, prefix: string, drawing: Drawing): readonly Html[] =>
  Object.entries(items)
    .filter(([, item]) => applies(item, prefix, drawing.sent))
    .map(([name, item]) => one(item, at(prefix, name), drawing));

function one(item: Item, path: string, drawing: Drawing): Html {
  if (item.kind === 'group') {
    return html`<fieldset class="group"><legend>${safeText(item.label, 500)}</legend>${help(item, path)}<div class="fields">${group(item.items, path, drawing)}</div></fieldset>`;
  }
  return item.kind === 'list' ? list(item, path, drawing) : field(item, path, drawing);
}

function list(item: ListItem, path: string, drawing: Drawing): Html {
  const count = entries(path, item, drawing.sent);
  const label = safeText(item.label, 500);
  return html`<fieldset class="group"><legend>${label}</legend>${help(item, path)}${error(path, drawing)}
<input type="hidden" name="${countOf(path)}" value="${count}"><div class="fields">${Array.from(
    { length: count },
    (_, index) =>
      html`<fieldset class="group"><legend>${label} ${index + 1}</legend><div class="fields">${group(item.items, at(path, index), drawing)}</div>${
        count > (item.min ?? 0) &&
        html`<p><button class="button" name="do" value="remove:${path}:${index}" formnovalidate>Remove ${label} ${index + 1}</button></p>`
      }</fieldset>`,
  )}</div>${count < (item.max ?? mostEntries) && html`<p><button class="button" name="do" value="add:${path}" formnovalidate>Add ${label}</button></p>`}</fieldset>`;
}

const help = (item: Item, path: string): Html | false =>
  item.help !== undefined && html`<p class="help" id="h-${path}">${safeText(item.help, 4_000)}</p>`;

const error = (path: string, { issues }: Drawing): Html | false =>
  issues.has(path) && html`<p class="error" id="e-${path}">${safeText(issues.get(path)!, 500)}</p>`;

function field(item: FieldItem, path: string, drawing: Drawing): Html {
  const values = drawing.sent.get(path) ?? [];
  const value = values.at(-1) ?? '';
  const wrong = drawing.issues.has(path);
  const described = [item.help !== undefined && `h-${path}`, wrong && `e-${path}`].filter(Boolean).join(' ');
  const shared = {
    id: `f-${path}`,
    name: path,
    required: item.required ?? true,
    'aria-describedby': described === '' ? undefined : described,
    'aria-invalid': wrong && 'true',
  };
  const optional = item.required === false && html`<span class="need">optional</span>`;
  const label = html`<label for="f-${path}">${safeText(item.label, 500)}${optional}</label>`;
  const framed = (control: Html): Html =>
    html`<div class="field">${label}${help(item, path)}${control}${error(path, drawing)}</div>`;
  switch (item.kind) {
    case 'text':
      if (item.long) {
        return framed(areaControl({ ...shared, rows: 6, maxlength: item.maxLength }, value));
      }
      return framed(
        lineControl({
          ...shared,
          type: item.format ? textFormats[item.format].input!.type : 'text',
          value,
          minlength: item.minLength,
          maxlength: item.maxLength,
        }),
      );
    case 'number':
      return framed(numberControl({ ...shared, value }, item));
    case 'select':
      if (item.choices.length > 7) {
        return framed(
          listControl(shared, [
            { value: '', title: 'Choose…', selected: false },
            ...choicesOf(item).map(({ value, title }) => ({
              value,
              title: safeText(title, 500),
              selected: values.includes(value),
            })),
          ]),
        );
      }
      return options(item, path, drawing, 'radio', choicesOf(item), described);
    case 'boolean':
      return options(
        item,
        path,
        drawing,
        'radio',
        [
          { value: 'true', title: 'Yes' },
          { value: 'false', title: 'No' },
        ],
        described,
      );
    case 'multi-select':
      return options(item, path, drawing, 'checkbox', choicesOf(item), described);
  }
}

function options(
  item: FieldItem,
  path: string,
  drawing: Drawing,
  type: 'radio' | 'checkbox',
  choices: readonly { readonly value: string; readonly title: string }[],
  described: string,
): Html {
  const values = drawing.sent.get(path) ?? [];
  const optional = item.required === false && html`<span class="need">optional</span>`;
  return html`<fieldset${attributes({ class: 'field', 'aria-describedby': described === '' ? undefined : described })}><legend>${safeText(item.label, 500)}${optional}</legend>${help(item, path)}<div class="options">${choices.map(
    ({ value, title }) =>
      optionControl(
        {
          type,
          name: path,
          value,
          checked: values.includes(value),
          required: type === 'radio' && (item.required ?? true),
        },
        html`<span>${safeText(title, 500)}</span>`,
      ),
  )}</div>${error(path, drawing)}</fieldset>`;
}
