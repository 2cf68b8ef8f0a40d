/**
 * The controls of a tool's arguments: those of single fields, and for a list one row per item. Client script adds a row where its
 * button is pressed; without it there is always one empty row at the end. A blank row is not an item. Pure.
 */
import { labelOf } from '@midcall/core/form';
import { own } from '@midcall/core/json';
import { checkArgument, newReading, unwrap } from '@midcall/core/json-schema';
import { areaControl, attributes, type Html, html, lineControl } from '@midcall/core/page';
import { mayHaveLines, secretNames } from '../../index.ts';
import { icons, visibleHtml } from '../html/index.ts';
import { texts } from '../texts/index.ts';
import type { ArgumentField, ListField } from './argument-form.ts';
import { cellName, type Draft, type FieldIssue, first, isBlank, rowsOf, valueFrom } from './draft.ts';
import { earlierList, fieldControl, oneLine, type Place, sentence } from './field-controls.ts';

/** True if a list has as many rows as it may have. */
const isFull = ({ maxItems }: ListField, rows: readonly string[]): boolean =>
  maxItems !== undefined && rows.length >= maxItems;

/** A blank row below the existing ones, unless the last one is blank or there may be no more. */
function spareRow(list: ListField, name: string, rows: readonly string[], { draft }: Place): string | undefined {
  const last = rows.at(-1);
  if (isFull(list, rows) || (last !== undefined && isBlank(draft, list, name, last))) return undefined;
  return String(1 + Math.max(-1, ...rows.map(Number)));
}

/** A row of a list, with the button that removes it unless nothing would be removed. */
interface Row {
  readonly number: string;
  readonly at: number;
  readonly isRemovable: boolean;
}

const addButton = (list: ListField): Html =>
  html`<button${attributes({ type: 'button', class: 'button small add-row script-only', 'data-add-row': true, 'aria-label': texts.field.addRowTo(labelOf(list)) })}>${icons.plus}${texts.field.addRow}</button>`;

const removeButton = (list: ListField, { at, isRemovable }: Row): Html | false =>
  isRemovable &&
  html`<button${attributes({ type: 'button', class: 'button icon-button small script-only', 'data-drop-row': true, 'aria-label': texts.field.removeRowOf(labelOf(list), at + 1), title: texts.field.removeRow })}>${icons.declined}</button>`;

function valueRow(list: ListField, name: string, row: Row, place: Place, describedBy: string): Html {
  const [column] = list.columns;
  const cell = cellName(name, row.number, 0);
  const id = `${place.scope}-${cell}`;
  const secret = place.secrets.has(list.name);
  const { list: earlier, options } = earlierList(place, list.name, id);
  const wrong = place.issues.filter(issue => issue.cell === cell);
  const value = secret ? '' : (first(place.draft, cell) ?? '');
  const common = {
    id,
    name: cell,
    'aria-label': texts.field.row(labelOf(list), row.at + 1),
    'aria-describedby': [describedBy, wrong.length > 0 && `${id}-error`].filter(Boolean).join(' ') || undefined,
    'aria-invalid': wrong.length > 0 && 'true',
  };
  const hasLines = !secret && column !== undefined && mayHaveLines(column);
  const control =
    hasLines && (earlier === undefined || value.includes('\n'))
      ? areaControl({ ...common, ...oneLine }, value)
      : lineControl({
          ...common,
          type: secret ? 'password' : 'text',
          inputmode: column?.kind === 'number' && (column.integer ? 'numeric' : 'decimal'),
          value,
          list: secret ? undefined : earlier,
          autocomplete: 'off',
          'data-lines': hasLines,
        });
  return html`<div class="row-value">${control}${wrong.length > 0 && html`<p class="error" id="${id}-error">${wrong.map(issue => html`<span>${visibleHtml(issue.message, 400)}</span> `)}</p>`}</div>${options}${removeButton(list, row)}`;
}

function objectRow(list: ListField, name: string, row: Row, place: Place): Html {
  const own = `${name}.${row.number}.`;
  const issues = place.issues.flatMap(issue => {
    const column = issue.cell?.startsWith(own) ? list.columns[Number(issue.cell.slice(own.length + 1))] : undefined;
    return column ? [{ ...issue, field: column.name }] : [];
  });
  const within = { ...place, secrets: secretNames(list.columns), issues };
  const title = texts.field.row(labelOf(list), row.at + 1);
  return html`<fieldset class="row-fields"><legend>${visibleHtml(title, 200)}</legend>${list.columns.map(
    (column, index) => fieldControl(column, index, within, `${name}.${row.number}.`),
  )}</fieldset>${removeButton(list, row)}`;
}

function listEditor(list: ListField, index: number, place: Place): Html {
  const name = `f${index}`;
  const id = `${place.scope}-${name}`;
  const issues = place.issues.filter(issue => issue.field === list.name && issue.cell === undefined);
  const describedBy = [`${id}-help`, issues.length > 0 && `${id}-error`].filter(Boolean).join(' ');
  const rule = list.maxItems === undefined ? texts.field.oneEach : texts.field.atMostRows(list.maxItems);
  const own = rowsOf(place.draft, name);
  const spare = spareRow(list, name, own, place);
  const numbers = spare === undefined ? own : [...own, spare];
  const rows = numbers.map((number, at) => {
    const isRemovable = numbers.length > 1 || !isBlank(place.draft, list, name, number);
    const row = { number, at, isRemovable };
    const inner = list.ofObjects ? objectRow(list, name, row, place) : valueRow(list, name, row, place, describedBy);
    return html`<li${attributes({ class: list.ofObjects ? 'row row-object' : 'row', 'data-key': `${id}-${number}`, 'data-spare': number === spare })}><input type="hidden" name="${name}.rows" value="${number}">${inner}</li>`;
  });
  return html`<fieldset${attributes({ class: 'field rows', id, 'data-field': name, 'aria-describedby': describedBy, 'aria-invalid': issues.length > 0 && 'true', role: 'group' })}><legend><span class="field-title" id="${id}-title">${visibleHtml(labelOf(list), 200)}</span> <span class="need">${list.required ? texts.field.required : texts.field.optional}</span></legend><p class="help" id="${id}-help">${list.description !== undefined && html`${visibleHtml(sentence(list.description), 1_000)} `}<span class="rule">${rule}</span></p><ol class="row-list" data-rows="${name}">${rows}</ol>${!isFull(list, own) && addButton(list)}${
    issues.length > 0 &&
    html`<p class="error" id="${id}-error">${issues.map(issue => html`<span>${visibleHtml(issue.message, 400)}</span> `)}</p>`
  }</fieldset>`;
}

/** One argument: label, rule, control or rows, errors. */
export function argumentControl(field: ArgumentField, index: number, place: Place): Html {
  return field.kind === 'list' ? listEditor(field, index, place) : fieldControl(field, index, place);
}

/**
 * Tells what is wrong in the rows of a list, each at its own control.
 * @param name - of the list's controls
 * @param schema - of the list; untrusted
 * @param root - the whole schema
 */
export function listIssues(
  list: ListField,
  name: string,
  draft: Draft,
  schema: unknown,
  root: unknown,
): readonly FieldIssue[] {
  const { document, work } = newReading(root);
  const items = unwrap(own(unwrap(schema, document, work).schema, 'items'), document, work).schema;
  const members = own(items, 'properties');
  return rowsOf(draft, name)
    .filter(row => !isBlank(draft, list, name, row))
    .flatMap(row =>
      list.columns.flatMap((column, at) => {
        const cell = cellName(name, row, at);
        const { value, issue } = valueFrom(column, cell, draft);
        const part = list.ofObjects ? own(members, column.name) : items;
        const found = issue ?? checkArgument({ ...column, schema: part, root }, value);
        return found ? [{ ...found, field: list.name, cell }] : [];
      }),
    );
}
