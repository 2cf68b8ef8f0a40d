/**
 * What a person has entered in a form so far, as the browser posts it, and the content that it stands for. Controls are named
 * by position (`f0`, `f1`), never by the server's property names, and a choice is posted as its position, so that no name or
 * value of a server can collide with ours.
 */
import { emptied, type Issue, parseTextual, type TextField } from '@midcall/core/form';
import { isRecord, parseShallow } from '@midcall/core/json';
import { spelledOffset, zoneOffset } from '@midcall/core/time';
import { texts } from '../texts/index.ts';
import type { ArgumentField, ListField, SingleField } from './argument-form.ts';

/** What is wrong with a field, or with one control of it. */
export interface FieldIssue extends Issue {
  /** The name of the control, if the field is a list. */
  readonly cell?: string;
}

/** Posted values by control name. */
export type Draft = ReadonlyMap<string, readonly string[]>;

/** The posted values of a form body or a query. */
export function draftOf(entries: Iterable<readonly [string, unknown]>): Draft {
  const draft = new Map<string, string[]>();
  for (const [name, value] of entries) {
    if (typeof value !== 'string') continue;
    const text = value.replace(/\r\n?/g, '\n');
    const before = draft.get(name);
    if (before) before.push(text);
    else draft.set(name, [text]);
  }
  return draft;
}

/** The first posted value of a control. */
export const first = (draft: Draft, name: string): string | undefined => draft.get(name)?.[0];

function defaults(field: ArgumentField, name: string, zone: string): [string, string[]][] {
  if (field.default === undefined) return [];
  switch (field.kind) {
    case 'select': {
      const at = field.choices.findIndex(choice => choice.value === field.default);
      return at < 0 ? [] : [[name, [String(at)]]];
    }
    case 'multi-select': {
      const chosen = new Set<unknown>(field.default);
      return [[name, field.choices.flatMap((choice, at) => (chosen.has(choice.value) ? [String(at)] : []))]];
    }
    case 'text':
      if (field.format === 'date-time') {
        return [
          [name, [toZoned(field.default, zone) ?? '']],
          [`${name}.zone`, [zone]],
        ];
      }
      return [[name, [String(field.default)]]];
    case 'json':
      return [[name, [JSON.stringify(field.default, null, 2)]]];
    case 'list':
      return Array.isArray(field.default) ? rowDefaults(field, field.default, name, zone) : [];
    default:
      return [[name, [String(field.default)]]];
  }
}

/** Rows are numbered in order of creation, and keep their numbers when others are removed. */
function rowDefaults(list: ListField, items: readonly unknown[], name: string, zone: string): [string, string[]][] {
  const cells = items.flatMap((item, row) => {
    const values = list.ofObjects ? (isRecord(item) ? item : {}) : { [list.name]: item };
    return list.columns.flatMap((column, at) =>
      Object.hasOwn(values, column.name)
        ? defaults({ ...column, default: values[column.name] } as SingleField, cellName(name, row, at), zone)
        : [],
    );
  });
  return [[`${name}.rows`, items.map((_, row) => String(row))], ...cells];
}

/** The name of the control in a row's column. */
export const cellName = (list: string, row: number | string, column: number): string => `${list}.${row}.f${column}`;

/** The numbers of a list's rows, in order. */
export const rowsOf = (draft: Draft, list: string): readonly string[] => [
  ...new Set((draft.get(`${list}.rows`) ?? []).filter(row => /^\d{1,6}$/.test(row))),
];

/** True for a row without any input. */
export const isBlank = (draft: Draft, list: ListField, name: string, row: string): boolean =>
  list.columns.every((_, at) => (draft.get(cellName(name, row, at)) ?? []).every(value => value === ''));

/** The initial content of a form: the defaults. */
export function untouched(fields: readonly ArgumentField[], zone: string): Draft {
  return new Map(fields.flatMap((field, at) => defaults(field, `f${at}`, zone)));
}

/** Given content as a draft, so that a form can be shown again with earlier values. */
export function draftFrom(
  fields: readonly ArgumentField[],
  content: Readonly<Record<string, unknown>>,
  zone: string,
): Draft {
  return untouched(
    fields.map(field => {
      const { default: _, ...rest } = field;
      return (Object.hasOwn(content, field.name) ? { ...rest, default: content[field.name] } : rest) as ArgumentField;
    }),
    zone,
  );
}

/** An invalid value stays as it was typed, and is reported when the whole form is checked. */
function formatted(field: TextField, text: string, zone: string): unknown {
  const read = parseTextual(field, field.format === 'date-time' ? [text, zone === 'UTC' ? 'Z' : zone] : text);
  return read.ok ? read.value : text;
}

/** The items of a list's rows, without those that are blank. */
function itemsFrom(list: ListField, name: string, draft: Draft): { value?: unknown; issue?: Issue } {
  const items: unknown[] = [];
  for (const row of rowsOf(draft, name)) {
    if (isBlank(draft, list, name, row)) continue;
    const cells = list.columns.map((column, at) => ({ column, ...valueFrom(column, cellName(name, row, at), draft) }));
    const wrong = cells.find(cell => cell.issue)?.issue;
    // Which cell it is, `listIssues` says.
    if (wrong) return { issue: { ...wrong, field: list.name } };
    const own = cells.filter(cell => cell.value !== undefined);
    items.push(
      list.ofObjects ? Object.fromEntries(own.map(({ column, value }) => [column.name, value])) : own[0]?.value,
    );
  }
  return items.length === 0 && !list.required && list.default === undefined ? {} : { value: items };
}

/** The value of one control, or of a list. */
export function valueFrom(field: ArgumentField, name: string, draft: Draft): { value?: unknown; issue?: Issue } {
  if (field.kind === 'list') return itemsFrom(field, name, draft);
  const text = first(draft, name) ?? '';
  switch (field.kind) {
    case 'text':
      if (text === '') return draft.has(name) && emptied(field, text) ? { value: text } : {};
      if (field.format === undefined) return { value: text };
      return { value: formatted(field, text, first(draft, `${name}.zone`) ?? 'UTC') };
    case 'number': {
      const trimmed = text.trim();
      if (trimmed === '') return {};
      const number = Number(trimmed);
      return { value: Number.isFinite(number) ? number : trimmed };
    }
    case 'boolean':
      return text === 'true' || text === 'false' ? { value: text === 'true' } : {};
    case 'select': {
      const choice = text === '' ? undefined : field.choices[Number(text)];
      if (text !== '' && !choice) return { value: text };
      return choice ? { value: choice.value } : {};
    }
    case 'multi-select': {
      const chosen = (draft.get(name) ?? []).map(at => field.choices[Number(at)]?.value ?? at);
      return chosen.length === 0 && !field.required && field.default === undefined ? {} : { value: chosen };
    }
    case 'json':
      if (text.trim() === '') return {};
      try {
        return { value: parseShallow(text) };
      } catch (error) {
        return { issue: { field: field.name, rule: 'json', message: texts.field.notJson((error as Error).message) } };
      }
  }
}

/** The issues in controls that the person has visited: the script names the ones they have left. */
export function visitedIssues(
  fields: readonly ArgumentField[],
  draft: Draft,
  issues: readonly FieldIssue[],
): readonly FieldIssue[] {
  const visited = new Set(draft.get('visited') ?? []);
  return issues.filter(issue => {
    if (issue.cell !== undefined) return visited.has(issue.cell);
    const at = fields.findIndex(field => field.name === issue.field);
    return at >= 0 && [...visited].some(name => name === `f${at}` || name.startsWith(`f${at}.`));
  });
}

/** The content a draft stands for; unchecked, except that JSON must parse. */
export function contentOf(
  fields: readonly ArgumentField[],
  draft: Draft,
): { readonly content: Record<string, unknown>; readonly issues: readonly Issue[] } {
  const entries: [string, unknown][] = [];
  const issues: Issue[] = [];
  for (const [at, field] of fields.entries()) {
    const { value, issue } = valueFrom(field, `f${at}`, draft);
    if (issue) issues.push(issue);
    else if (value !== undefined) entries.push([field.name, value]);
  }
  return { content: Object.fromEntries(entries), issues };
}

/** A value as a person reads it in a review. */
export function readable(field: ArgumentField, value: unknown): string {
  if (field.kind === 'boolean')
    return value === true ? texts.field.yes : value === false ? texts.field.no : String(value);
  if (field.kind === 'select') return field.choices.find(choice => choice.value === value)?.title ?? String(value);
  if (field.kind === 'multi-select' && Array.isArray(value)) {
    if (value.length === 0) return texts.field.nothingChosen;
    return value.map(each => field.choices.find(choice => choice.value === each)?.title ?? String(each)).join(', ');
  }
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/** True if the platform knows a zone of this name. */
export const isZone = (zone: string): boolean => zoneOffset(0, zone) !== undefined;

/** The zone's offset at a moment, such as `+02:00`. */
export const offsetIn = (zone: string, at: number): string => spelledOffset(zoneOffset(at, zone) ?? 0);

/** RFC 3339 as wall-clock time in a zone, to the second; undefined if it is not a time, or the zone is unknown. */
export function toZoned(text: string, zone: string): string | undefined {
  const at = Date.parse(text);
  const offset = Number.isNaN(at) ? undefined : zoneOffset(at, zone);
  if (offset === undefined) return undefined;
  return new Date(at + offset * 60_000).toISOString().slice(0, 19).replace(/:00$/, '');
}
