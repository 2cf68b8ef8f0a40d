/**
 * One control for each kind of field, with its label, the rule in words and its errors. A default is filled in and
 * marked as a default. Works without client script; pure.
 */
import { type Choice, isCardNumber, labelOf, type Scalar, textFormats } from '@midcall/core/form';
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
import { isLongText, mayHaveLines, saidAlready, secretWarnings } from '../../index.ts';
import { icons, visibleHtml } from '../html/index.ts';
import { texts } from '../texts/index.ts';
import type { SingleField } from './argument-form.ts';
import { type Draft, type FieldIssue, first, isZone, offsetIn } from './draft.ts';

/** Where a control is: the form it belongs to, and that form's content. */
export interface Place {
  /** Unique on the page; begins every id. */
  readonly scope: string;
  readonly draft: Draft;
  readonly issues: readonly FieldIssue[];
  /** Names of the fields that ask for a secret: their input is hidden, and never written into a page again. */
  readonly secrets: ReadonlySet<string>;
  /** True for a question's form, which must not ask for a secret; a tool's arguments may hold one. */
  readonly warns: boolean;
  /** The person's time zone, by IANA name. */
  readonly zone: string;
  readonly now: number;
  /** Values of earlier calls by field, to be offered. */
  readonly earlier?: ReadonlyMap<string, readonly string[]>;
  /** Where the server is asked to complete what is typed; absent if it does not. */
  readonly completes?: string;
}

/** Up to this many choices are all shown; more become a drop-down list. */
const mostOpen = 7;
/** From this many choices on, they are a list of their own that scrolls and can be filtered. */
const filterFrom = 20;

/** A length limit above this is mentioned only when it is exceeded. */
const worthSaying = 500;

interface Part extends Place {
  readonly field: SingleField;
  readonly name: string;
  readonly id: string;
  readonly describedBy: string | undefined;
  readonly invalid: boolean;
}

function ruleOf(field: SingleField): string {
  const rule = ownRuleOf(field);
  return field.unchecked ? `${rule} ${texts.field.unchecked(field.unchecked)}`.trim() : rule;
}

function ownRuleOf(field: SingleField): string {
  const { between, range } = texts.field;
  const stated = (min: number | undefined, max: number | undefined, of: 'characters' | 'choices' | 'number') =>
    saidAlready(field.description, min, max, of);
  switch (field.kind) {
    case 'text': {
      const most = (field.maxLength ?? Number.POSITIVE_INFINITY) > worthSaying ? undefined : field.maxLength;
      const least = (field.minLength ?? 0) > 1 ? field.minLength : undefined;
      const parts = [stated(least, most, 'characters') ? '' : between(texts.field.characters, least, most)];
      const { input, notation = '' } = field.format ? textFormats[field.format] : {};
      if (input && !input.explains) parts.unshift(texts.field.notation(notation));
      if (field.pattern !== undefined) parts.push(texts.field.pattern(field.pattern));
      if (field.uncheckedPattern !== undefined) parts.push(texts.field.uncheckedPattern(field.uncheckedPattern));
      return parts.filter(Boolean).join(' ');
    }
    case 'number':
      return [
        field.integer && texts.field.whole,
        !stated(field.minimum, field.maximum, 'number') && range(field.minimum, field.maximum),
      ]
        .filter(Boolean)
        .join(' ');
    case 'multi-select': {
      const least = field.minItems || undefined;
      return stated(least, field.maxItems, 'choices') ? '' : between(texts.field.choices, least, field.maxItems);
    }
    case 'json':
      return field.shape === '' ? texts.field.json : texts.field.jsonThatFits(field.shape);
    default:
      return '';
  }
}

const common = (part: Part) => ({
  id: part.id,
  name: part.name,
  'aria-describedby': part.describedBy,
  'aria-invalid': part.invalid && 'true',
  'aria-required': part.field.required && 'true',
});

const optionMark = (isDefault: boolean): Html | false =>
  isDefault && html` <span class="mark">${texts.field.default}</span>`;

function option(
  part: Part,
  type: 'radio' | 'checkbox',
  value: string,
  title: string,
  mark: Html | false,
  aside: Html | false = false,
): Html {
  const checked = part.draft.get(part.name)?.includes(value) ?? false;
  return optionControl(
    { type, name: part.name, value, checked, id: `${part.id}-${value}` },
    html`<span class="option-text"><span>${visibleHtml(title, 400)}${mark}</span>${aside}</span>`,
  );
}

/** From this many letters on, choices are below each other. */
const mostLetters = 48;

/** How choices are arranged: on one line if they are short, below each other, or in a box that scrolls. */
function choicesClass(choices: readonly Choice<Scalar>[]): string {
  if (choices.length > mostOpen) return 'options long';
  const letters = choices.reduce(
    (sum, { title, value }) => sum + title.length + (title === String(value) ? 0 : String(value).length),
    0,
  );
  return letters < mostLetters ? 'options inline' : 'options';
}

function openChoices(
  part: Part,
  choices: readonly Choice<Scalar>[],
  type: 'radio' | 'checkbox',
  defaults: readonly Scalar[],
): Html {
  return html`${choices.map((choice, at) =>
    option(
      part,
      type,
      String(at),
      choice.title,
      optionMark(defaults.includes(choice.value)),
      choice.title !== String(choice.value) &&
        html`<code class="option-value">${visibleHtml(String(choice.value), 120)}</code>`,
    ),
  )}`;
}

/** An omitted argument is not a missing answer. */
const leftOut = (part: Part): string => (part.scope === 'arguments' ? texts.field.notSet : texts.field.leaveOut);

function leaveOut(part: Part): Html | false {
  if (part.field.required) return false;
  const checked = (first(part.draft, part.name) ?? '') === '';
  return optionControl(
    { type: 'radio', name: part.name, value: '', checked, id: `${part.id}-none` },
    html`<span class="option-text"><span>${leftOut(part)}</span></span>`,
    'option quiet',
  );
}

function filterBox(part: Part, count: number): Html | false {
  return (
    count >= filterFrom &&
    lineControl({
      type: 'search',
      class: 'filter',
      'data-filter': part.id,
      placeholder: texts.field.filter(count),
      'aria-label': texts.field.filter(count),
      autocomplete: 'off',
      hidden: true,
    })
  );
}

/** The values of earlier calls, for a control that lists them. */
export function earlierList(
  place: Place,
  field: string,
  id: string,
): { readonly list?: string; readonly options: Html | false } {
  const values = place.earlier?.get(field) ?? [];
  if (values.length === 0 && place.completes === undefined) return { options: false };
  const list = `${id}-earlier`;
  return {
    list,
    options: html`<datalist${attributes({ id: list, 'data-morph': place.completes !== undefined && 'keep' })}>${values.map(value => html`<option value="${value}"></option>`)}</datalist>`,
  };
}

/** A box that begins as one line and grows; Enter sends its form as long as it is one. */
export const oneLine = { rows: 1, class: 'one-line', 'data-one-line': 'text', autocomplete: 'off' } as const;

function textControl(part: Part): Html {
  const field = part.field as Extract<SingleField, { kind: 'text' }>;
  const value = first(part.draft, part.name) ?? '';
  if (field.format === 'date-time') return dateTimeControl(part, value);
  if (isLongText(field, value)) return areaControl({ ...common(part), rows: 4, autocomplete: 'off' }, value);
  const input = field.format && textFormats[field.format].input;
  const { type, autocomplete = 'off', explains } = input ?? { type: 'text' };
  const { list, options } = earlierList(part, field.name, part.id);
  // A list of proposals is for a line only; pasted lines make it a box (`client/lines.ts`).
  const hasLines = mayHaveLines(field);
  if (hasLines && list === undefined) return areaControl({ ...common(part), ...oneLine }, value);
  const control = {
    ...common(part),
    type,
    value,
    autocomplete,
    list,
    class: explains && 'narrow',
    'data-complete': part.completes,
    'data-lines': hasLines,
  };
  return html`${lineControl(control)}${options}`;
}

/**
 * Hidden as it is typed. The posted value is not sent back: client script leaves it in the control, and without script it has
 * to be typed again.
 */
function secretControl(part: Part): Html {
  const { field } = part;
  const posted = first(part.draft, part.name) ?? '';
  const isDefault = field.default !== undefined && posted === String(field.default);
  const value = isDefault ? posted : '';
  const shared = { ...common(part), autocomplete: 'off', spellcheck: 'false' };
  const inputmode = field.kind === 'number' && (field.integer ? 'numeric' : 'decimal');
  const control = isLongText(field, value)
    ? areaControl({ ...shared, rows: 4, class: 'masked' }, value)
    : lineControl({ ...shared, type: 'password', inputmode, value });
  const retypeHint =
    posted !== '' && !isDefault && html`<noscript><p class="help">${texts.field.typeAgain}</p></noscript>`;
  return html`<div class="secret-entry">${control}<button${attributes({ type: 'button', class: 'button small script-only', 'data-reveal': part.id, 'aria-controls': part.id, 'aria-describedby': `${part.id}-title`, 'aria-pressed': 'false', 'data-morph': 'keep' })}>${texts.field.reveal}</button></div>${retypeHint}`;
}

/** The warning next to the field, in our own words: why this should not be asked for. */
function secretWarning(part: Part, secret: boolean, typedCard: boolean): Html | false {
  if (!secret && !typedCard) return false;
  if (!part.warns) return html`<p class="help" id="${part.id}-secret">${secretWarnings.argument}</p>`;
  const text = secret ? secretWarnings.asked : secretWarnings.typed;
  return html`<p class="secret-warning" id="${part.id}-secret" data-key="${part.id}-secret">${icons.warning}<span>${text}</span></p>`;
}

function dateTimeControl(part: Part, value: string): Html {
  const chosen = first(part.draft, `${part.name}.zone`);
  const zones = [...new Set([part.zone, 'UTC', ...(chosen !== undefined && isZone(chosen) ? [chosen] : [])])];
  const offset = (zone: string): string => (zone === 'UTC' ? '' : ` (UTC${offsetIn(zone, part.now)})`);
  return html`<div class="pair">${lineControl({ ...common(part), type: 'datetime-local', step: 1, value })}${listControl(
    { name: `${part.name}.zone`, id: `${part.id}-zone`, 'aria-label': texts.field.zone, 'data-zone': true },
    zones.map(zone => ({
      value: zone,
      title: `${zone.replaceAll('_', ' ')}${offset(zone)}`,
      selected: zone === (chosen ?? part.zone),
    })),
  )}</div>`;
}

function dropDown(part: Part, choices: readonly Choice<Scalar>[]): Html {
  const chosen = first(part.draft, part.name) ?? '';
  const none = { value: '', title: part.field.required ? texts.field.choose : leftOut(part), selected: chosen === '' };
  const options = choices.map((choice, at) => ({
    value: String(at),
    title: visibleHtml(choice.title, 400),
    selected: chosen === String(at),
  }));
  return listControl(common(part), [none, ...options]);
}

function group(part: Part, label: Html, inner: Html, role: 'radiogroup' | 'group', className: string): Html {
  return html`<fieldset${attributes({ class: `field ${className}`, role, id: part.id, 'data-field': part.name, 'aria-describedby': part.describedBy, 'aria-required': role === 'radiogroup' && part.field.required && 'true', 'aria-invalid': role === 'radiogroup' && part.invalid && 'true' })}>${label}${inner}</fieldset>`;
}

/** A description, ended as a sentence so that the rule can follow it. */
export const sentence = (text: string): string => (/[.!?:;…]\s*$/.test(text) ? text : `${text.trimEnd()}.`);

/**
 * One field: label, rule, control, errors.
 * @param within - the prefix of its controls' names, if it is part of another field
 */
export function fieldControl(field: SingleField, index: number, place: Place, within = ''): Html {
  const name = `${within}f${index}`;
  const id = `${place.scope}-${name}`;
  const issues = place.issues.filter(issue => issue.field === field.name);
  const rule = ruleOf(field);
  const help = [field.description, rule].filter(Boolean).length > 0;
  const secret = place.secrets.has(field.name);
  const typedCard = !secret && isCardNumber(first(place.draft, name));
  const described = [help && `${id}-help`, (secret || typedCard) && `${id}-secret`, issues.length > 0 && `${id}-error`]
    .filter(Boolean)
    .join(' ');
  const part: Part = { ...place, field, name, id, describedBy: described || undefined, invalid: issues.length > 0 };

  const title = html`<span class="field-title" id="${id}-title">${visibleHtml(labelOf(field), 200)}</span> <span class="need">${field.required ? texts.field.required : texts.field.optional}</span>`;
  const helpText =
    help &&
    html`<p class="help" id="${id}-help">${field.description !== undefined && visibleHtml(sentence(field.description), 1000)}${
      field.description !== undefined && rule !== '' && ' '
    }${rule !== '' && html`<span class="rule">${visibleHtml(rule, 2_500)}</span>`}</p>`;
  const errors =
    issues.length > 0 &&
    html`<p class="error" id="${id}-error">${issues.map(issue => html`<span>${visibleHtml(issue.message, 400)}</span> `)}</p>`;
  // Below many choices, what is wrong would be out of sight of the box that filters them.
  const isLong = 'choices' in field && field.choices.length >= filterFrom;
  const asGroup = (inner: Html, role: 'radiogroup' | 'group', className: string) =>
    group(
      part,
      html`<legend>${title}</legend>${helpText}${isLong && errors}`,
      html`${inner}${!isLong && errors}`,
      role,
      className,
    );
  const single = (control: Html) =>
    html`<div${attributes({ class: 'field', 'data-field': name, 'data-secret': secret || typedCard })}><label for="${id}">${title}</label>${helpText}${secretWarning(part, secret, typedCard)}${control}${errors}</div>`;

  if (secret) return single(secretControl(part));
  switch (field.kind) {
    case 'text':
      return single(textControl(part));
    case 'number': {
      const { list, options } = earlierList(place, field.name, id);
      const inputmode = field.integer ? 'numeric' : 'decimal';
      const value = first(place.draft, name) ?? '';
      const control = { ...common(part), class: 'narrow', inputmode, value, list, autocomplete: 'off' };
      return single(html`${numberControl(control, field)}${options}`);
    }
    case 'json':
      return single(
        areaControl(
          { ...common(part), rows: 4, class: 'mono', spellcheck: 'false', autocomplete: 'off' },
          first(place.draft, name) ?? '',
        ),
      );
    case 'boolean':
      return asGroup(
        html`<div class="options inline">${option(part, 'radio', 'true', texts.field.yes, optionMark(field.default === true))}${option(part, 'radio', 'false', texts.field.no, optionMark(field.default === false))}${leaveOut(part)}</div>`,
        'radiogroup',
        'boolean',
      );
    case 'select':
      if (field.choices.length > mostOpen && field.choices.length < filterFrom)
        return single(dropDown(part, field.choices));
      return asGroup(
        html`${filterBox(part, field.choices.length)}<div${attributes({ class: choicesClass(field.choices), 'data-filtered': part.id })}>${field.choices.length > mostOpen && leaveOut(part)}${openChoices(part, field.choices, 'radio', field.default === undefined ? [] : [field.default])}${field.choices.length <= mostOpen && leaveOut(part)}</div>`,
        'radiogroup',
        'choices',
      );
    case 'multi-select':
      return asGroup(
        html`${filterBox(part, field.choices.length)}<div${attributes({ class: choicesClass(field.choices), 'data-filtered': part.id })}>${openChoices(part, field.choices, 'checkbox', field.default ?? [])}</div>`,
        'group',
        'choices',
      );
  }
}
