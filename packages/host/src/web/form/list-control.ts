/**
 * The controls of a tool's arguments: those of single fields, and for a list one row per item. There is always one empty row at the
 * end, so that no button is needed to add one; a blank row is not an item. Works without client script; pure.
 */
import { labelOf } from '@midcall/core/form';
import { attributes, type Html, html, lineControl } from '@midcall/core/page';
import { secretNames } from '../../index.ts';
import { icons } from '../icons.ts';
import { texts } from '../texts/texts.ts';
import { visibleHtml } from '../visible-html.ts';
import type { ArgumentField, ListField } from './argument-form.ts';
import { cellName, first, isBlank, rowsOf } from './draft.ts';
import { earlierList, fieldControl, type Place, sentence } from './field-controls.ts';

/** The rows to show: the existing ones, and a blank one below them if there may be more. */
function shownRows(list: ListField, name: string, { draft }: Place): readonly string[] {
  const rows = rowsOf(draft, name);
  const last = rows.at(-1);
  const full = list.maxItems !== undefined && rows.length >= list.maxItems;
  if (full || (last !== undefined && isBlank(draft, list, name, last))) return rows;
  return [...rows, String(1 + Math.max(-1, ...rows.map(Number)))];
}

const removeButton = (row: string): Html =>
  html`<button${attributes({ type: 'button', class: 'button icon-button small script-only', 'data-drop-row': true, 'aria-label': row, title: texts.field.removeRow })}>${icons.declined}</button>`;

function valueRow(list: ListField, name: string, row: string, at: number, place: Place, describedBy: string): Html {
  const [column] = list.columns;
  const cell = cellName(name, row, 0);
  const id = `${place.scope}-${cell}`;
  const secret = place.secrets.has(list.name);
  const { list: earlier, options } = earlierList(place, list.name, id);
  const control = lineControl({
    id,
    name: cell,
    type: secret ? 'password' : 'text',
    inputmode: column?.kind === 'number' && (column.integer ? 'numeric' : 'decimal'),
    value: secret ? '' : (first(place.draft, cell) ?? ''),
    'aria-label': texts.field.row(labelOf(list), at + 1),
    'aria-describedby': describedBy || undefined,
    list: secret ? undefined : earlier,
    autocomplete: 'off',
  });
  return html`${control}${options}${removeButton(texts.field.removeRowOf(labelOf(list), at + 1))}`;
}

function objectRow(list: ListField, name: string, row: string, at: number, place: Place): Html {
  const within = { ...place, secrets: secretNames(list.columns), issues: [] };
  const title = texts.field.row(labelOf(list), at + 1);
  return html`<fieldset class="row-fields"><legend>${visibleHtml(title, 200)}</legend>${list.columns.map(
    (column, index) => fieldControl(column, index, within, `${name}.${row}.`),
  )}</fieldset>${removeButton(texts.field.removeRowOf(labelOf(list), at + 1))}`;
}

function listEditor(list: ListField, index: number, place: Place): Html {
  const name = `f${index}`;
  const id = `${place.scope}-${name}`;
  const issues = place.issues.filter(issue => issue.field === list.name);
  const describedBy = [`${id}-help`, issues.length > 0 && `${id}-error`].filter(Boolean).join(' ');
  const rule = list.maxItems === undefined ? texts.field.oneEach : texts.field.atMostRows(list.maxItems);
  const rows = shownRows(list, name, place).map((row, at) => {
    const inner = list.ofObjects
      ? objectRow(list, name, row, at, place)
      : valueRow(list, name, row, at, place, describedBy);
    return html`<li${attributes({ class: list.ofObjects ? 'row row-object' : 'row', 'data-key': `${id}-${row}` })}><input type="hidden" name="${name}.rows" value="${row}">${inner}</li>`;
  });
  return html`<fieldset${attributes({ class: 'field rows', id, 'data-field': name, 'aria-describedby': describedBy, 'aria-invalid': issues.length > 0 && 'true', role: 'group' })}><legend><span class="field-title" id="${id}-title">${visibleHtml(labelOf(list), 200)}</span> <span class="need">${list.required ? texts.field.required : texts.field.optional}</span></legend><p class="help" id="${id}-help">${list.description !== undefined && html`${visibleHtml(sentence(list.description), 1_000)} `}<span class="rule">${rule}</span></p><ol class="row-list">${rows}</ol>${
    issues.length > 0 &&
    html`<p class="error" id="${id}-error">${issues.map(issue => html`<span>${visibleHtml(issue.message, 400)}</span> `)}</p>`
  }</fieldset>`;
}

/** One argument: label, rule, control or rows, errors. */
export function argumentControl(field: ArgumentField, index: number, place: Place): Html {
  return field.kind === 'list' ? listEditor(field, index, place) : fieldControl(field, index, place);
}
