/** The keywords that apply other schemas to a value or to its parts (JSON Schema 2020-12, core, and older drafts). */

import { isRecord, type JsonObject } from '../json/index.ts';
import { matchesPattern } from '../patterns/index.ts';
import { assertions, type Truth } from './assertions.ts';
import type { References } from './references.ts';
import type { Steps } from './steps.ts';

/** What an applicator has at its disposal. */
export interface Judging {
  readonly steps: Steps;
  readonly references: References;
  /** Applies a schema to a value. @param base - the address around the schema */
  fits(schema: unknown, value: unknown, base: string): Truth;
  /** {@link fits} for the part of the value with this name. */
  within(name: string | number, schema: unknown, value: unknown, base: string): Truth;
  /** {@link fits} where a value that does not fit may still be valid. */
  tries(schema: unknown, value: unknown, base: string): Truth;
  /** Records what is wrong with the value here. */
  fault(says: string): false;
  /** Records why something cannot be judged. */
  unknown(why: string): undefined;
}

interface Place {
  /** The schema that contains the keyword. */
  readonly schema: JsonObject;
  readonly base: string;
  readonly judging: Judging;
}

type Applicator = (wanted: unknown, value: unknown, place: Place) => Truth;

const malformed = ({ judging }: Place, name: string): undefined =>
  judging.unknown(`the schema's '${name}' has a value that is not allowed`);

/** True if all are, false if one is not. */
function every<T>(list: Iterable<T>, judge: (each: T) => Truth): Truth {
  let all: Truth = true;
  for (const each of list) {
    const truth = judge(each);
    if (truth === false) return false;
    all = truth && all;
  }
  return all;
}

/** How many are true, and how many cannot be told; stops at `enough`. */
function count<T>(list: Iterable<T>, judge: (each: T) => Truth, enough: number): { yes: number; open: number } {
  const counts = { yes: 0, open: 0 };
  for (const each of list) {
    const truth = judge(each);
    if (truth === undefined) counts.open += 1;
    else if (truth) counts.yes += 1;
    if (counts.yes >= enough) break;
  }
  return counts;
}

const entriesOf = (value: JsonObject, { judging }: Place): [string, unknown][] => {
  const entries = Object.entries(value);
  judging.steps.spend(entries.length);
  return entries;
};

/** Whether a pattern matches a text; unknown if the pattern is not supported here. */
function found(pattern: string, text: string, { judging }: Place): Truth {
  const truth = matchesPattern(pattern, text, judging.steps.work);
  judging.steps.spend(1);
  if (truth === undefined) judging.unknown('the schema has a pattern that is not checked here');
  return truth;
}

const allOf: Applicator = (operand, value, place) =>
  Array.isArray(operand)
    ? every(operand, each => place.judging.fits(each, value, place.base))
    : malformed(place, 'allOf');

const anyOf: Applicator = (operand, value, place) => {
  if (!Array.isArray(operand)) return malformed(place, 'anyOf');
  const { yes, open } = count(operand, each => place.judging.tries(each, value, place.base), 1);
  if (yes > 0) return true;
  return open > 0 ? undefined : place.judging.fault('fits none of the alternatives');
};

const oneOf: Applicator = (operand, value, place) => {
  if (!Array.isArray(operand)) return malformed(place, 'oneOf');
  const { yes, open } = count(operand, each => place.judging.tries(each, value, place.base), 2);
  if (yes > 1) return place.judging.fault('fits more than one of the alternatives');
  if (open > 0) return undefined;
  return yes === 1 || place.judging.fault('fits none of the alternatives');
};

const not: Applicator = (operand, value, { judging, base }) => {
  const truth = judging.tries(operand, value, base);
  if (truth === undefined) return undefined;
  return !truth || judging.fault('is what the schema excludes');
};

const conditional: Applicator = (operand, value, { judging, base, schema }) => {
  const branch = (name: 'then' | 'else'): Truth =>
    !Object.hasOwn(schema, name) || judging.fits(schema[name], value, base);
  if (!Object.hasOwn(schema, 'then') && !Object.hasOwn(schema, 'else')) return true;
  const truth = judging.tries(operand, value, base);
  return truth === undefined ? undefined : branch(truth ? 'then' : 'else');
};

const reference: Applicator = (operand, value, place) => {
  if (typeof operand !== 'string') return malformed(place, '$ref');
  const target = place.judging.references.follow(operand, place.base);
  if (!target) return place.judging.unknown('the schema refers to something outside itself');
  return place.judging.fits(target.schema, value, target.base);
};

const properties: Applicator = (operand, value, place) => {
  if (!isRecord(operand)) return malformed(place, 'properties');
  if (!isRecord(value)) return true;
  return every(entriesOf(value, place), ([name, each]) =>
    Object.hasOwn(operand, name) ? place.judging.within(name, operand[name], each, place.base) : true,
  );
};

const patternProperties: Applicator = (operand, value, place) => {
  if (!isRecord(operand)) return malformed(place, 'patternProperties');
  if (!isRecord(value)) return true;
  const patterns = entriesOf(operand, place);
  return every(entriesOf(value, place), ([name, each]) =>
    every(patterns, ([pattern, schema]) => {
      const matches = found(pattern, name, place);
      return matches ? place.judging.within(name, schema, each, place.base) : matches === undefined ? undefined : true;
    }),
  );
};

const additionalProperties: Applicator = (operand, value, place) => {
  if (!isRecord(value) || operand === true) return true;
  const { properties: declared, patternProperties: matched } = place.schema;
  const patterns = isRecord(matched) ? entriesOf(matched, place) : [];
  return every(entriesOf(value, place), ([name, each]) => {
    if (isRecord(declared) && Object.hasOwn(declared, name)) return true;
    const { yes, open } = count(patterns, ([pattern]) => found(pattern, name, place), 1);
    if (yes > 0) return true;
    return open > 0 ? undefined : place.judging.within(name, operand, each, place.base);
  });
};

const propertyNames: Applicator = (operand, value, place) => {
  if (!isRecord(value)) return true;
  return every(entriesOf(value, place), ([name]) => place.judging.within(name, operand, name, place.base));
};

/** A range from one index up to another, without a copy of the items. */
function* indices(from: number, to: number): Generator<number> {
  for (let index = from; index < to; index += 1) yield index;
}

/** Each item by the schema at its place. */
const tuple = (name: string, operand: unknown, value: unknown, place: Place): Truth => {
  if (!Array.isArray(operand)) return malformed(place, name);
  if (!Array.isArray(value)) return true;
  return every(indices(0, Math.min(operand.length, value.length)), index =>
    place.judging.within(index, operand[index], value[index], place.base),
  );
};

/** Every item from one on by the same schema. */
const rest = (from: number, operand: unknown, value: unknown, place: Place): Truth =>
  !Array.isArray(value) ||
  every(indices(from, value.length), index => place.judging.within(index, operand, value[index], place.base));

const items: Applicator = (operand, value, place) => {
  if (Array.isArray(operand)) return tuple('items', operand, value, place);
  const { prefixItems } = place.schema;
  return rest(Array.isArray(prefixItems) ? prefixItems.length : 0, operand, value, place);
};

const contains: Applicator = (operand, value, place) => {
  if (!Array.isArray(value)) return true;
  const { minContains: least = 1, maxContains: most = Number.POSITIVE_INFINITY } = place.schema;
  if (typeof least !== 'number' || typeof most !== 'number') return malformed(place, 'contains');
  const enough = most === Number.POSITIVE_INFINITY ? Math.max(1, least) : most + 1;
  const { yes, open } = count(value, each => place.judging.tries(operand, each, place.base), enough);
  if (yes > most || yes + open < least) return place.judging.fault('has too few or too many of what it must contain');
  return yes >= least && yes + open <= most ? true : undefined;
};

const dependentSchemas: Applicator = (operand, value, place) => {
  if (!isRecord(operand)) return malformed(place, 'dependentSchemas');
  if (!isRecord(value)) return true;
  return every(entriesOf(operand, place), ([name, schema]) =>
    Object.hasOwn(value, name) ? place.judging.fits(schema, value, place.base) : true,
  );
};

/** Before 2019-09 there was one keyword for both kinds of dependency. */
const dependencies: Applicator = (operand, value, place) => {
  if (!isRecord(operand)) return malformed(place, 'dependencies');
  if (!isRecord(value)) return true;
  const required = assertions.get('required')!;
  return every(entriesOf(operand, place), ([name, needs]) => {
    if (!Object.hasOwn(value, name)) return true;
    if (!Array.isArray(needs)) return place.judging.fits(needs, value, place.base);
    const truth = required.judge(needs, value, place.judging.steps, place.schema);
    return truth === false ? place.judging.fault(required.says(needs)) : truth;
  });
};

const pattern: Applicator = (operand, value, place) => {
  if (typeof operand !== 'string') return malformed(place, 'pattern');
  if (typeof value !== 'string') return true;
  const truth = found(operand, value, place);
  return truth === false ? place.judging.fault(`must match the pattern ${operand.slice(0, 200)}`) : truth;
};

/** The keywords and how they judge. */
export const applicators: ReadonlyMap<string, Applicator> = new Map<string, Applicator>([
  ['$ref', reference],
  ['allOf', allOf],
  ['anyOf', anyOf],
  ['oneOf', oneOf],
  ['not', not],
  ['if', conditional],
  ['properties', properties],
  ['patternProperties', patternProperties],
  ['additionalProperties', additionalProperties],
  ['propertyNames', propertyNames],
  ['dependentSchemas', dependentSchemas],
  ['dependencies', dependencies],
  ['prefixItems', (operand, value, place) => tuple('prefixItems', operand, value, place)],
  ['items', items],
  [
    'additionalItems',
    (operand, value, place) =>
      Array.isArray(place.schema['items']) ? rest(place.schema['items'].length, operand, value, place) : true,
  ],
  ['contains', contains],
  ['pattern', pattern],
]);
