/** Converts one property of a requested schema to a field; see `read-form.ts` for the rules R1 to R5. */

import { isRecord, type JsonObject, own } from '../json/index.ts';
import { judgePattern, type Work } from '../patterns/index.ts';
import { checkWithin } from './check-content.ts';
import type { Choice, Field, TextField } from './field.ts';
import { isTextFormat, textFormats } from './format.ts';
import { formLimits } from './limits.ts';
import { assertions, type FormProblem } from './problem.ts';

/** Collects findings: `problems` refuse the form, `notes` say what was left out; and the budget that is left. */
export interface Findings {
  readonly problems: FormProblem[];
  readonly notes: FormProblem[];
  readonly work: Work;
}

const allowed: Readonly<Record<string, readonly string[]>> = {
  text: ['format', 'minLength', 'maxLength', 'pattern'],
  select: ['enum', 'oneOf'],
  number: ['minimum', 'maximum'],
  boolean: [],
  'multi-select': ['items', 'minItems', 'maxItems', 'uniqueItems'],
};

/** Reads one property; undefined if it is refused, with the reason in `findings`. */
export function readField(name: string, schema: unknown, required: boolean, findings: Findings): Field | undefined {
  const before = findings.problems.length;
  const reader = new PropertyReader(name, findings);
  const field = isRecord(schema)
    ? reader.field(schema, required)
    : reader.refuse('type', 'must be described by an object');
  return findings.problems.length > before ? undefined : field;
}

class PropertyReader {
  readonly #name: string;
  readonly #findings: Findings;

  constructor(name: string, findings: Findings) {
    this.#name = name;
    this.#findings = findings;
  }

  refuse(rule: string, says: string): undefined {
    this.#findings.problems.push({ field: this.#name, rule, message: `'${this.#name}' ${says}.` });
    return undefined;
  }

  note(rule: string, says: string): void {
    this.#findings.notes.push({ field: this.#name, rule, message: `'${this.#name}' ${says}.` });
  }

  field(schema: JsonObject, required: boolean): Field | undefined {
    const kind = this.#kind(schema);
    if (kind === undefined) return undefined;
    for (const keyword of Object.keys(schema)) {
      if (assertions.has(keyword) && !allowed[kind]?.includes(keyword)) {
        this.refuse(keyword, `cannot have '${keyword}'`);
      }
    }
    const title = this.#text(schema, 'title', formLimits.title);
    const description = this.#text(schema, 'description', formLimits.description);
    const shared = {
      name: this.#name,
      required,
      ...(title !== undefined && { title }),
      ...(description !== undefined && { description }),
    };
    const withoutDefault = this.#fieldOf(kind, shared, schema);
    return withoutDefault && this.#withDefault(withoutDefault, own(schema, 'default'));
  }

  #kind(schema: JsonObject): Field['kind'] | undefined {
    const type = own(schema, 'type');
    switch (type) {
      case 'string':
        return own(schema, 'enum') !== undefined || own(schema, 'oneOf') !== undefined ? 'select' : 'text';
      case 'number':
      case 'integer':
        return 'number';
      case 'boolean':
        return 'boolean';
      case 'array':
        return 'multi-select';
      case 'object':
        return this.refuse('type', 'is an object; a form is flat');
      default: {
        const keyword = Object.keys(schema).find(each => each !== 'type' && assertions.has(each));
        if (type === undefined && keyword !== undefined) {
          return this.refuse(keyword, `cannot be described by '${keyword}' alone`);
        }
        return this.refuse('type', 'must have type string, number, integer, boolean or array');
      }
    }
  }

  #fieldOf(
    kind: Field['kind'],
    shared: {
      readonly name: string;
      readonly required: boolean;
      readonly title?: string;
      readonly description?: string;
    },
    schema: JsonObject,
  ): Field | undefined {
    switch (kind) {
      case 'text': {
        const format = own(schema, 'format');
        if (format !== undefined && !isTextFormat(format)) {
          const what = typeof format === 'string' ? `the format '${format.slice(0, 40)}'` : 'a format that is not text';
          return this.refuse('format', `has ${what}; a form knows ${knownFormats}`);
        }
        const bounds = this.#counts(schema, 'minLength', 'maxLength');
        return {
          kind,
          ...shared,
          ...(format !== undefined && { format }),
          ...bounds,
          ...this.#pattern(own(schema, 'pattern')),
        } as Field;
      }
      case 'number': {
        const integer = own(schema, 'type') === 'integer';
        return { kind, ...shared, integer, ...this.#range(schema, integer) };
      }
      case 'boolean':
        return { kind, ...shared };
      case 'select': {
        const choices = this.#choices(schema, 'oneOf');
        return choices && { kind, ...shared, choices };
      }
      case 'multi-select': {
        const items = own(schema, 'items');
        if (!isRecord(items))
          return this.refuse('items', 'is a list without choices; a form knows lists of fixed choices only');
        const type = own(items, 'type');
        const key = own(items, 'anyOf') !== undefined ? 'anyOf' : own(items, 'oneOf') !== undefined ? 'oneOf' : 'enum';
        const stray = Object.keys(items).find(each => assertions.has(each) && each !== key);
        if (stray !== undefined || (type !== undefined && type !== 'string') || own(items, key) === undefined) {
          return this.refuse('items', 'is a list of something other than fixed choices');
        }
        const unique = own(schema, 'uniqueItems');
        if (unique !== undefined && typeof unique !== 'boolean')
          this.refuse('uniqueItems', "has a broken 'uniqueItems'");
        const choices = this.#choices(items, key === 'enum' ? 'anyOf' : key);
        const bounds = this.#counts(schema, 'minItems', 'maxItems');
        if (choices && (bounds['minItems'] ?? 0) > choices.length) {
          return this.refuse(
            'minItems',
            `needs ${bounds['minItems']} of ${choices.length === 1 ? '1 choice' : `${choices.length} choices`}`,
          );
        }
        return choices && ({ kind, ...shared, choices, ...bounds } as Field);
      }
    }
  }

  #text(schema: JsonObject, key: string, most: number): string | undefined {
    const value = own(schema, key);
    if (value === undefined) return undefined;
    if (typeof value !== 'string') return this.refuse(key, `has a ${key} that is not text`);
    return value.length > most ? this.refuse('size', `has a ${key} of more than ${most} characters`) : value;
  }

  #pattern(value: unknown): Pick<TextField, 'pattern' | 'uncheckedPattern'> {
    if (value === undefined) return {};
    if (typeof value !== 'string') return this.refuse('pattern', 'has a pattern that is not text') ?? {};
    if (value.length > formLimits.pattern) {
      return this.refuse('size', `has a pattern of more than ${formLimits.pattern} characters`) ?? {};
    }
    const { work } = this.#findings;
    switch (judgePattern(value, work).verdict) {
      case 'linear':
        return { pattern: value };
      case 'broken':
        return this.refuse('pattern', 'has a pattern that is not a regular expression') ?? {};
      case 'unchecked':
        this.note('pattern', work.usedUp ? tooMuch : tooClever);
        return { uncheckedPattern: value };
    }
  }

  #counts(schema: JsonObject, low: string, high: string): Readonly<Record<string, number>> {
    const bounds: Record<string, number> = {};
    for (const key of [low, high]) {
      const value = own(schema, key);
      if (value === undefined) continue;
      if (typeof value === 'number' && Number.isSafeInteger(value) && value >= 0) bounds[key] = value;
      else this.refuse(key, `has a '${key}' that is not a count`);
    }
    if ((bounds[low] ?? 0) > (bounds[high] ?? Number.POSITIVE_INFINITY))
      this.refuse(low, `has '${low}' above '${high}'`);
    return bounds;
  }

  #range(schema: JsonObject, integer: boolean): { readonly minimum?: number; readonly maximum?: number } {
    const bounds: { minimum?: number; maximum?: number } = {};
    for (const key of ['minimum', 'maximum'] as const) {
      const value = own(schema, key);
      if (value === undefined) continue;
      if (typeof value === 'number' && Number.isFinite(value)) bounds[key] = value;
      else this.refuse(key, `has a '${key}' that is not a number`);
    }
    const low = bounds.minimum ?? Number.NEGATIVE_INFINITY;
    const high = bounds.maximum ?? Number.POSITIVE_INFINITY;
    if (integer ? Math.ceil(low) > Math.floor(high) : low > high)
      this.refuse('minimum', 'has bounds that no number can meet');
    return bounds;
  }

  #choices(schema: JsonObject, titledKey: string): readonly Choice[] | undefined {
    const listed = own(schema, 'enum');
    const titled = own(schema, titledKey);
    if (listed !== undefined && titled !== undefined)
      return this.refuse(titledKey, `has both 'enum' and '${titledKey}'`);
    const key = listed === undefined ? titledKey : 'enum';
    const list = listed ?? titled;
    if (!Array.isArray(list) || list.length === 0) return this.refuse(key, 'has no choices');
    if (list.length > formLimits.choices) return this.refuse('size', `has more than ${formLimits.choices} choices`);
    const names = own(schema, 'enumNames');
    if (names !== undefined && !(Array.isArray(names) && names.length <= list.length)) {
      this.note('enumNames', 'has titles that do not match its choices');
    }
    const choices: Choice[] = [];
    const seen = new Set<string>();
    for (const [index, each] of list.entries()) {
      const value: unknown = listed === undefined ? (isRecord(each) ? own(each, 'const') : undefined) : each;
      if (typeof value !== 'string') return this.refuse(key, 'has a choice that is not text');
      const title =
        listed === undefined ? own(each as JsonObject, 'title') : Array.isArray(names) ? names[index] : undefined;
      if (
        listed === undefined &&
        Object.keys(each as JsonObject).some(name => name !== 'const' && assertions.has(name))
      ) {
        return this.refuse(key, 'has a choice with more than a value and a title');
      }
      if (value.length > formLimits.choice || (typeof title === 'string' && title.length > formLimits.choice)) {
        return this.refuse('size', `has a choice of more than ${formLimits.choice} characters`);
      }
      if (seen.has(value)) continue;
      seen.add(value);
      choices.push({ value, title: typeof title === 'string' && title !== '' ? title : value });
    }
    if (choices.length < list.length) this.note(key, 'offers the same choice twice');
    return choices;
  }

  #withDefault(field: Field, value: unknown): Field {
    if (value === undefined) return field;
    const { work } = this.#findings;
    const size = typeof value === 'string' ? value.length : 0;
    if (size > formLimits.default) return this.#withoutDefault(field, 'is too long');
    const violation = checkWithin(work, field, value);
    if (violation?.rule === 'pattern' && work.usedUp && field.kind === 'text') {
      const { pattern: uncheckedPattern, ...rest } = field;
      this.note('pattern', tooMuch);
      return { ...rest, ...(uncheckedPattern !== undefined && { uncheckedPattern }), default: value as string };
    }
    if (violation) return this.#withoutDefault(field, violation.message);
    return { ...field, default: Array.isArray(value) ? [...value] : value } as Field;
  }

  #withoutDefault(field: Field, why: string): Field {
    this.note('default', `has a default that does not fit: ${why}`.replace(/\.$/, ''));
    return field;
  }
}

const knownFormats = Object.keys(textFormats)
  .join(', ')
  .replace(/, ([^,]+)$/, ' and $1');
const tooClever = 'has a pattern with lookaround, backreferences or too many states, which is not checked here';
const tooMuch = 'has a pattern that is not checked here: reading the patterns of this form takes too long';
