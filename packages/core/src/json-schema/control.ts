/**
 * One property of a stranger's schema as a field of a form: with a control if one fits, otherwise as JSON with the schema beside
 * it. Whatever the control cannot express is judged by the schema, or said to be unchecked. Pure.
 */
import {
  type AskedField,
  assertions,
  type Choice,
  checkWithin,
  type FormProblem,
  formLimits,
  isTextFormat,
  type JsonField,
  type Scalar,
  type TextField,
} from '../form/index.ts';
import { isRecord, own } from '../json/index.ts';
import { judgePattern, Work } from '../patterns/index.ts';
import { notJudged } from './judge-by-schema.ts';
import { type Schema, unwrap } from './unwrap.ts';

/** Where a property is from, and what reading it may cost. */
export interface Reading {
  /** The whole schema, which a property may refer to. */
  readonly document: unknown;
  readonly work: Work;
  /**
   * How much of the schema may become choices, defaults and text to show, in characters; lowered as it is used. A part that many
   * properties refer to counts for each.
   */
  room: number;
  /** How many more patterns are looked at. */
  patterns: number;
  readonly notes: FormProblem[];
}

/** A field, and whether its schema says more than the field does. */
export interface ReadProperty {
  readonly field: AskedField;
  readonly says: 'all' | 'more';
}

/** What may be spent on one schema. */
export const newReading = (document: unknown, work = new Work(formLimits.readingSteps)): Reading => ({
  document,
  work,
  room: formLimits.schema,
  patterns: formLimits.patterns,
  notes: [],
});

/** Pays for what becomes part of a field. @returns false if there is not as much room left */
function fits(reading: Reading, characters: number): boolean {
  if (characters > reading.room) return false;
  reading.room -= characters;
  return true;
}

/** The keywords that each control expresses. */
const expressed: Readonly<Record<AskedField['kind'], readonly string[]>> = {
  text: ['minLength', 'maxLength', 'pattern', 'format'],
  number: ['minimum', 'maximum', 'format'],
  boolean: ['format'],
  select: ['enum', 'const', 'oneOf', 'anyOf', 'format'],
  'multi-select': ['items', 'minItems', 'maxItems', 'uniqueItems'],
  json: [],
};

/** Reads one property. */
export function readProperty(name: string, property: unknown, required: boolean, reading: Reading): ReadProperty {
  const { schema, nullable } = unwrap(property, reading.document, reading.work);
  const note = (rule: string, says: string): void =>
    void reading.notes.push({ field: name, rule, message: `'${name}' ${says}.` });
  const title = words(schema, 'title', formLimits.title);
  const description = words(schema, 'description', formLimits.description);
  const named = {
    name,
    required: required && !nullable,
    ...(title !== undefined && { title }),
    ...(description !== undefined && { description }),
    ...(required && nullable && { nullable: true as const }),
  };
  const control = controlOf(schema, reading);
  const kind = control?.kind ?? 'json';
  const rest = Object.keys(schema).filter(key => assertions.has(key) && !expressed[kind].includes(key));
  const isMore = kind === 'json' || rest.length > 0;
  const isRead = isMore && walks(schema, reading.work);
  const unchecked = uncheckedIn(schema, isRead);
  const base = {
    ...(control ?? { kind: 'json' as const, shape: isRead ? shapeOf(schema, reading) : '…' }),
    ...named,
    ...(unchecked.length > 0 && { unchecked }),
  } as AskedField;
  const field = withDefault(base, own(schema, 'default'), reading, note);
  return { field, says: isMore ? 'more' : 'all' };
}

type Control = DistributiveOmit<Exclude<AskedField, JsonField>, 'name' | 'required'>;
type DistributiveOmit<T, K extends PropertyKey> = T extends unknown ? Omit<T, K> : never;

function controlOf(schema: Schema, reading: Reading): Control | undefined {
  const type = typeOf(schema);
  if (type === 'boolean') return { kind: 'boolean' };
  const choices = type === 'array' || type === 'object' ? undefined : choicesIn(schema, reading);
  if (choices) return { kind: 'select', choices };
  switch (type) {
    case 'string':
      return {
        kind: 'text',
        ...formatOf(schema),
        ...counts(schema, 'minLength', 'maxLength'),
        ...patternOf(schema, reading),
      };
    case 'number':
    case 'integer':
      return { kind: 'number', integer: type === 'integer', ...rangeOf(schema, type === 'integer') };
    case 'array': {
      const items = own(schema, 'items');
      const offered = isRecord(items) && choicesIn(unwrap(items, reading.document, reading.work).schema, reading);
      if (!offered) return undefined;
      const bounds = counts(schema, 'minItems', 'maxItems');
      const possible = (bounds['minItems'] ?? 0) <= offered.length;
      return { kind: 'multi-select', choices: offered, ...(possible && bounds) };
    }
    default:
      return undefined;
  }
}

const ofText = ['minLength', 'maxLength', 'pattern'];
const ofNumbers = ['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'multipleOf'];

/** The one type of a schema; where it names none, the one that its keywords are about. */
function typeOf(schema: Schema): unknown {
  const type = own(schema, 'type');
  if (Array.isArray(type)) {
    const numbers = type.length > 0 && type.every(each => each === 'number' || each === 'integer');
    return numbers ? 'number' : undefined;
  }
  if (type !== undefined) return type;
  const says = (keys: readonly string[]): boolean => keys.some(key => Object.hasOwn(schema, key));
  if (says(ofText) || isTextFormat(own(schema, 'format'))) return 'string';
  return says(ofNumbers) ? 'number' : says(['items']) ? 'array' : undefined;
}

const isScalar = (value: unknown): value is Scalar => value === null || typeof value !== 'object';

/** @returns undefined if there are no choices, or too many to be shown */
function choicesIn(schema: Schema, reading: Reading): readonly Choice<Scalar>[] | undefined {
  const choices = reading.work.usedUp ? undefined : choicesOf(schema, reading);
  if (!choices) return undefined;
  reading.work.spend(choices.length);
  const characters = choices.reduce((sum, { value, title }) => sum + String(value).length + title.length, 0);
  return fits(reading, characters) ? choices : undefined;
}

/** Fixed values, however they are spelled; undefined if there are none, too many, or others besides. */
function choicesOf(schema: Schema, reading: Reading): readonly Choice<Scalar>[] | undefined {
  if (Object.hasOwn(schema, 'const')) return listed([schema['const']], []);
  const values = own(schema, 'enum');
  if (Array.isArray(values)) return listed(values, [own(schema, 'enumNames')].flat());
  const branches = own(schema, 'oneOf') ?? own(schema, 'anyOf');
  if (!Array.isArray(branches) || branches.length > formLimits.choices) return undefined;
  const all: Choice<Scalar>[] = [];
  for (const branch of branches) {
    const { schema: part } = unwrap(branch, reading.document, reading.work);
    const others = Object.keys(part).some(key => assertions.has(key) && key !== 'const' && key !== 'enum');
    const ofBoolean = own(part, 'type') === 'boolean' ? [true, false] : undefined;
    const fixed = Object.hasOwn(part, 'const') ? [part['const']] : (own(part, 'enum') ?? ofBoolean);
    if (others || !Array.isArray(fixed)) return undefined;
    const title = fixed.length === 1 ? [own(part, 'title')] : [];
    const offered = listed(fixed, title);
    if (!offered) return undefined;
    all.push(...offered);
    if (all.length > formLimits.choices) return undefined;
  }
  return all.length > 0 ? distinct(all) : undefined;
}

function listed(values: readonly unknown[], titles: readonly unknown[]): readonly Choice<Scalar>[] | undefined {
  const fits = values.length > 0 && values.length <= formLimits.choices && values.every(isScalar);
  if (!fits || values.some(value => typeof value === 'string' && value.length > formLimits.choice)) return undefined;
  return distinct(
    (values as readonly Scalar[]).map((value, at) => {
      const title = titles[at];
      return {
        value,
        title: typeof title === 'string' && title !== '' ? title.slice(0, formLimits.choice) : String(value),
      };
    }),
  );
}

const distinct = (choices: readonly Choice<Scalar>[]): readonly Choice<Scalar>[] => {
  const first = new Map<Scalar, Choice<Scalar>>();
  for (const choice of choices) if (!first.has(choice.value)) first.set(choice.value, choice);
  return [...first.values()];
};

function words(schema: Schema, key: string, most: number): string | undefined {
  const value = own(schema, key);
  if (typeof value !== 'string') return undefined;
  return value.length > most ? `${value.slice(0, most - 1)}…` : value;
}

const formatOf = (schema: Schema): Pick<TextField, 'format'> => {
  const format = own(schema, 'format');
  return isTextFormat(format) ? { format } : {};
};

/** Bounds that no value can meet bind nobody. */
function counts(schema: Schema, low: string, high: string): Readonly<Record<string, number>> {
  const [least, most] = [own(schema, low), own(schema, high)].map(value =>
    Number.isSafeInteger(value) && (value as number) >= 0 ? (value as number) : undefined,
  );
  if ((least ?? 0) > (most ?? Number.POSITIVE_INFINITY)) return {};
  return { ...(least !== undefined && { [low]: least }), ...(most !== undefined && { [high]: most }) };
}

function rangeOf(schema: Schema, integer: boolean): { readonly minimum?: number; readonly maximum?: number } {
  const [low, high] = [own(schema, 'minimum'), own(schema, 'maximum')].map(value =>
    typeof value === 'number' && Number.isFinite(value) ? value : undefined,
  );
  const [least, most] = [low ?? Number.NEGATIVE_INFINITY, high ?? Number.POSITIVE_INFINITY];
  if (integer ? Math.ceil(least) > Math.floor(most) : least > most) return {};
  return { ...(low !== undefined && { minimum: low }), ...(high !== undefined && { maximum: high }) };
}

function patternOf(schema: Schema, reading: Reading): Pick<TextField, 'pattern' | 'uncheckedPattern'> {
  const pattern = own(schema, 'pattern');
  if (typeof pattern !== 'string') return {};
  reading.patterns -= 1;
  const judged = reading.patterns >= 0 && pattern.length <= formLimits.pattern;
  if (judged && judgePattern(pattern, reading.work).verdict === 'linear') return { pattern };
  return { uncheckedPattern: pattern.slice(0, formLimits.pattern) };
}

/** What a person should know is not checked. Formats other than the wire's are names that servers give to rules of their own. */
function uncheckedIn(schema: Schema, deep: boolean): readonly string[] {
  const format = own(schema, 'format');
  const found = new Set<string>();
  if (typeof format === 'string' && !isTextFormat(format)) found.add(`format '${format.slice(0, 40)}'`);
  if (deep) for (const keyword of unjudged(schema)) found.add(keyword);
  return [...found].slice(0, 10);
}

/** Pays for every part of a schema, so that one to which many properties refer is not walked for each without end. */
function walks(schema: unknown, work: Work): boolean {
  if (!work.spend(1)) return false;
  return typeof schema !== 'object' || schema === null || Object.values(schema).every(part => walks(part, work));
}

const deepest = 100;

/** The keywords of a schema and its parts that {@link judgeBySchema} does not judge. */
function* unjudged(schema: unknown, depth = 0): Generator<string> {
  if (typeof schema !== 'object' || schema === null || depth > deepest) return;
  for (const [key, value] of Object.entries(schema)) {
    if (notJudged.has(key)) yield `'${key}'`;
    else if (key === '$ref' && typeof value === 'string' && !value.startsWith('#'))
      yield "a '$ref' to another document";
    yield* unjudged(value, depth + 1);
  }
}

/** The most that is shown of one schema. */
const longestShape = 2_000;

/** A schema as text, without what is shown beside it anyway. */
function shapeOf(schema: Schema, reading: Reading): string {
  const { title: _, description: __, default: ___, ...rest } = schema;
  const text = Object.keys(rest).length === 0 ? '' : JSON.stringify(rest);
  const shown = text.length > longestShape ? `${text.slice(0, longestShape)}…` : text;
  return fits(reading, shown.length) ? shown : '…';
}

function withDefault(
  field: AskedField,
  value: unknown,
  reading: Reading,
  note: (rule: string, says: string) => void,
): AskedField {
  if (value === undefined) return field;
  const longest = field.kind === 'text' ? formLimits.default : formLimits.schema;
  const size = JSON.stringify(value).length;
  const isShown = size <= longest && fits(reading, size);
  const problem = !isShown ? 'is too long' : checkWithin(reading.work, field, value)?.message.replace(/\.$/, '');
  if (problem === undefined) return { ...field, default: value } as AskedField;
  note('default', `has a default that does not fit: ${problem}`);
  return field;
}
