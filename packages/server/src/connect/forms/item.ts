/**
 * Forms that the flat elicitation schema cannot express: groups, lists, questions that depend on others, long text. A
 * definition is plain JSON, so that it can be stored in the record of a page and any replica can show it.
 */
import { MidcallError } from '@midcall/core/errors';
import { type Choice, type Field, formLimits, isLineFormat, type LineFormat, labelOf } from '@midcall/core/form';
import type { Json } from '../../base/index.ts';

interface Labelled {
  readonly label: string;
  readonly help?: string;
  /** Shown and read only if an earlier sibling has this value, or one of these. */
  readonly when?: { readonly field: string; readonly is: string | boolean | readonly string[] };
}

interface FieldBase extends Labelled {
  /** True if absent. */
  readonly required?: boolean;
}

/** A line of text, or several. */
export interface TextItem extends FieldBase {
  readonly kind: 'text';
  /** True for several lines. */
  readonly long?: boolean;
  readonly format?: LineFormat;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly default?: string;
}

/** A number. */
export interface NumberItem extends FieldBase {
  readonly kind: 'number';
  readonly integer?: boolean;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly default?: number;
}

/** Yes or no. */
export interface BooleanItem extends FieldBase {
  readonly kind: 'boolean';
  readonly default?: boolean;
}

/** One of several choices. */
export interface SelectItem extends FieldBase {
  readonly kind: 'select';
  readonly choices: readonly (string | Choice)[];
  readonly default?: string;
}

/** Any number of several choices. */
export interface MultiSelectItem extends FieldBase {
  readonly kind: 'multi-select';
  readonly choices: readonly (string | Choice)[];
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly default?: readonly string[];
}

/** Questions under one heading. */
export interface GroupItem extends Labelled {
  readonly kind: 'group';
  readonly items: Items;
}

/** A list of entries of one shape, which the person adds. */
export interface ListItem extends Labelled {
  readonly kind: 'list';
  readonly items: Items;
  /** The minimum number of entries; 0 if absent. */
  readonly min?: number;
  /** The maximum number of entries; 20 if absent. */
  readonly max?: number;
}

/** A question with one value. */
export type FieldItem = TextItem | NumberItem | BooleanItem | SelectItem | MultiSelectItem;
/** One question of a form page, or a group or list of them. */
export type Item = FieldItem | GroupItem | ListItem;

/** Questions by name, in order. */
export interface Items {
  readonly [name: string]: Item;
}

type ItemValue<I> = I extends { kind: 'text' | 'select' }
  ? string
  : I extends { kind: 'number' }
    ? number
    : I extends { kind: 'boolean' }
      ? boolean
      : I extends { kind: 'multi-select' }
        ? readonly string[]
        : I extends { kind: 'group'; items: infer S }
          ? ItemsValue<S>
          : I extends { kind: 'list'; items: infer S }
            ? readonly ItemsValue<S>[]
            : never;

type MayBeAbsent<I> = I extends { when: object } | { required: false } ? true : false;

/** The type of a form's answer. */
export type ItemsValue<S> = {
  readonly [K in keyof S as MayBeAbsent<S[K]> extends true ? never : K]: ItemValue<S[K]>;
} & {
  readonly [K in keyof S as MayBeAbsent<S[K]> extends true ? K : never]?: ItemValue<S[K]>;
};

export const mostEntries = 20;
const name = /^[A-Za-z][\w-]{0,63}$/;
const reserved = new Set(['constructor', 'prototype', '__proto__']);
const deepest = 4;

/**
 * Checks a definition.
 * @throws MidcallError `form/unsupported`, which names the question
 */
export function checkItems(items: Items, where = '', depth = 0): void {
  const fail = (at: string, why: string): never => {
    throw new MidcallError('form/unsupported', `Form: ${at === '' ? 'it' : `'${at}'`} ${why}.`);
  };
  if (depth === 0 && JSON.stringify(items).length > formLimits.schema)
    fail(where, `is larger than ${formLimits.schema} characters`);
  if (depth > deepest) fail(where, `lies deeper than ${deepest} groups`);
  const entries = Object.entries(items);
  if (entries.length === 0) fail(where, 'asks nothing');
  if (entries.length > formLimits.fields) fail(where, `asks more than ${formLimits.fields} questions`);
  const before = new Map<string, Item>();
  for (const [key, item] of entries) {
    const at = where === '' ? key : `${where}.${key}`;
    if (!name.test(key) || reserved.has(key)) fail(at, 'is not a valid name: use letters, digits, - and _');
    if (typeof item.label !== 'string' || item.label === '') fail(at, 'has no label');
    if (item.when) {
      const on = before.get(item.when.field);
      if (!on || (on.kind !== 'select' && on.kind !== 'boolean')) {
        fail(at, 'depends on a question that is not a select or boolean before it in the same group');
      }
    }
    if (item.kind === 'group' || item.kind === 'list') checkItems(item.items, at, depth + 1);
    else if ('choices' in item && (item.choices.length === 0 || item.choices.length > formLimits.choices)) {
      fail(at, `needs 1 to ${formLimits.choices} choices`);
    } else if (!['text', 'number', 'boolean', 'select', 'multi-select'].includes(item.kind))
      fail(at, 'has no known kind');
    before.set(key, item);
  }
}

/** A question without parts as the field that checks it. */
export function fieldOf(path: string, item: FieldItem): Field {
  const { label, help, required = true } = item;
  const shared = { name: path, title: label, required, ...(help === undefined ? {} : { description: help }) };
  switch (item.kind) {
    case 'text':
      return { ...shared, kind: 'text', ...pick(item, ['format', 'minLength', 'maxLength']) };
    case 'number':
      return { ...shared, kind: 'number', integer: item.integer ?? false, ...pick(item, ['minimum', 'maximum']) };
    case 'boolean':
      return { ...shared, kind: 'boolean' };
    case 'select':
      return { ...shared, kind: 'select', choices: choicesOf(item) };
    case 'multi-select':
      return { ...shared, kind: 'multi-select', choices: choicesOf(item), ...pick(item, ['minItems', 'maxItems']) };
  }
}

export const choicesOf = (item: SelectItem | MultiSelectItem): Choice[] =>
  item.choices.map(choice => (typeof choice === 'string' ? { value: choice, title: choice } : choice));

function pick<T extends object, K extends keyof T>(
  from: T,
  keys: readonly K[],
): { [P in K]?: Exclude<T[P], undefined> } {
  return Object.fromEntries(keys.filter(key => from[key] !== undefined).map(key => [key, from[key]])) as never;
}

/** A field of a flat form as a question. */
export function itemOf(field: Field): FieldItem {
  const { description, required } = field;
  const shared = { label: labelOf(field), required, ...(description === undefined ? {} : { help: description }) };
  switch (field.kind) {
    case 'text': {
      const { format, ...rest } = pick(field, ['format', 'minLength', 'maxLength', 'default']);
      return {
        ...shared,
        kind: 'text',
        ...rest,
        ...(isLineFormat(format) && { format }),
      };
    }
    case 'number':
      return { ...shared, kind: 'number', integer: field.integer, ...pick(field, ['minimum', 'maximum', 'default']) };
    case 'boolean':
      return { ...shared, kind: 'boolean', ...pick(field, ['default']) };
    case 'select':
      return { ...shared, kind: 'select', choices: field.choices, ...pick(field, ['default']) };
    case 'multi-select':
      return {
        ...shared,
        kind: 'multi-select',
        choices: field.choices,
        ...pick(field, ['minItems', 'maxItems', 'default']),
      };
  }
}

/** The fields of a flat form as questions, numbered: the names of fields are the author's and may contain dots. */
export const itemsOf = (fields: readonly Field[]): Record<string, FieldItem> =>
  Object.fromEntries(fields.map((field, index) => [`q${index}`, itemOf(field)]));

/** What was entered for the fields of a flat form, by their names. @param value - by their numbers */
export function contentOf(fields: readonly Field[], value: Readonly<Record<string, Json>>): Record<string, Json> {
  const entries = fields.map((field, index) => [field.name, value[`q${index}`]] as const);
  return Object.fromEntries(entries.filter((entry): entry is readonly [string, Json] => entry[1] !== undefined));
}
