/**
 * The keywords that check a value without applying another schema (JSON Schema 2020-12, validation, and their counterparts in
 * older drafts).
 */
import { canonical, isRecord, isTexts } from '../json/index.ts';
import type { Steps } from './steps.ts';

/** True or false; undefined if the keyword itself has a value that is not allowed, or cannot be judged. */
export type Truth = boolean | undefined;

/** A keyword's verdict on a value, and its message for one that does not fit. */
export interface Assertion {
  judge(wanted: unknown, value: unknown, steps: Steps, schema: Readonly<Record<string, unknown>>): Truth;
  says(wanted: unknown): string;
}

const isCount = (value: unknown): value is number => Number.isSafeInteger(value) && (value as number) >= 0;
const sizeOf = (value: object): number => Object.keys(value).length;

/** A rule about numbers; all other values satisfy it. */
const number = (holds: (value: number, bound: number) => boolean, words: string): Assertion => ({
  judge: (bound, value) => (typeof bound !== 'number' ? undefined : typeof value !== 'number' || holds(value, bound)),
  says: bound => `must be ${words} ${bound}`,
});

/** A rule about a count; values that cannot be counted satisfy it. */
const counted = (
  count: (value: unknown, steps: Steps) => number | undefined,
  holds: (n: number, bound: number) => boolean,
  words: string,
  noun: string,
): Assertion => ({
  judge(bound, value, steps) {
    if (!isCount(bound)) return undefined;
    const n = count(value, steps);
    return n === undefined || holds(n, bound);
  },
  says: bound => `must have ${words} ${bound} ${noun}`,
});

const characters = (value: unknown, steps: Steps): number | undefined => {
  if (typeof value !== 'string') return undefined;
  steps.spend(value.length / 4);
  let n = 0;
  for (const _ of value) n += 1;
  return n;
};
const items = (value: unknown): number | undefined => (Array.isArray(value) ? value.length : undefined);
const members = (value: unknown, steps: Steps): number | undefined => {
  if (!isRecord(value)) return undefined;
  const n = sizeOf(value);
  steps.spend(n);
  return n;
};
const atLeast = (n: number, bound: number): boolean => n >= bound;
const atMost = (n: number, bound: number): boolean => n <= bound;

const types: Readonly<Record<string, (value: unknown) => boolean>> = {
  null: value => value === null,
  boolean: value => typeof value === 'boolean',
  string: value => typeof value === 'string',
  number: value => typeof value === 'number',
  integer: value => Number.isInteger(value),
  array: value => Array.isArray(value),
  object: isRecord,
};

const type: Assertion = {
  judge(operand, value, steps, schema) {
    const names: unknown[] = Array.isArray(operand) ? operand : [operand];
    steps.spend(names.length);
    if (!names.every(name => typeof name === 'string' && Object.hasOwn(types, name))) return undefined;
    // OpenAPI's notation, which common validators accept, too.
    if (value === null && schema['nullable'] === true) return true;
    return names.some(name => types[name as string]!(value));
  },
  says: operand => `must be ${[operand].flat().join(' or ')}`,
};

/** Whether two values are the same JSON; each comparison costs a step. */
function equal(one: unknown, other: unknown, steps: Steps): boolean {
  steps.spend(typeof one === 'string' ? 1 + one.length / 64 : 1);
  if (typeof one !== 'object' || one === null || typeof other !== 'object' || other === null) return one === other;
  steps.down();
  const same = sameParts(one, other, steps);
  steps.up();
  return same;
}

function sameParts(one: object, other: object, steps: Steps): boolean {
  if (Array.isArray(one) || Array.isArray(other)) {
    if (!Array.isArray(one) || !Array.isArray(other) || one.length !== other.length) return false;
    return one.every((each, index) => equal(each, other[index], steps));
  }
  const names = Object.keys(one);
  steps.spend(names.length);
  if (names.length !== sizeOf(other)) return false;
  return names.every(
    name =>
      Object.hasOwn(other, name) &&
      equal((one as Record<string, unknown>)[name], (other as Record<string, unknown>)[name], steps),
  );
}

/** Pays for serializing a value. */
function weigh(value: unknown, steps: Steps): void {
  if (typeof value === 'string') steps.spend(1 + value.length / 8);
  else steps.spend(1);
  if (typeof value !== 'object' || value === null) return;
  steps.down();
  for (const [name, each] of Object.entries(value)) {
    steps.spend(1 + name.length / 8);
    weigh(each, steps);
  }
  steps.up();
}

const uniqueItems: Assertion = {
  judge(operand, value, steps) {
    if (typeof operand !== 'boolean') return undefined;
    if (!operand || !Array.isArray(value)) return true;
    // Each item is serialized once and looked up, not compared with every other.
    weigh(value, steps);
    return new Set(value.map(canonical)).size === value.length;
  },
  says: () => 'must not have the same item twice',
};

const multipleOf: Assertion = {
  judge(operand, value) {
    if (typeof operand !== 'number' || !(operand > 0)) return undefined;
    if (typeof value !== 'number') return true;
    const times = value / operand;
    // 0.3 is three times 0.1, but not in floating point.
    return Math.abs(times - Math.round(times)) <= 1e-9 * Math.max(1, Math.abs(times));
  },
  says: operand => `must be a multiple of ${operand}`,
};

const required: Assertion = {
  judge(operand, value, steps) {
    if (!Array.isArray(operand)) return undefined;
    steps.spend(operand.length);
    if (!isTexts(operand)) return undefined;
    return !isRecord(value) || operand.every(name => Object.hasOwn(value, name));
  },
  says: operand => `must have ${(operand as readonly string[]).slice(0, 5).join(', ')}`,
};

const dependentRequired: Assertion = {
  judge(operand, value, steps) {
    if (!isRecord(operand)) return undefined;
    if (!isRecord(value)) return true;
    for (const [name, others] of Object.entries(operand)) {
      steps.spend(1);
      if (!Array.isArray(others)) return undefined;
      if (!Object.hasOwn(value, name)) continue;
      const needed = required.judge(others, value, steps, operand);
      if (needed !== true) return needed;
    }
    return true;
  },
  says: () => 'has a member that needs another beside it',
};

/** The keywords and what they judge. */
export const assertions: ReadonlyMap<string, Assertion> = new Map([
  ['type', type],
  [
    'enum',
    {
      judge: (operand, value, steps) =>
        Array.isArray(operand) ? operand.some(each => equal(each, value, steps)) : undefined,
      says: () => 'must be one of the values the schema lists',
    },
  ],
  [
    'const',
    {
      judge: (operand, value, steps) => equal(operand, value, steps),
      says: () => 'must be the one value the schema names',
    },
  ],
  ['minimum', number((value, bound) => value >= bound, 'at least')],
  ['maximum', number((value, bound) => value <= bound, 'at most')],
  ['exclusiveMinimum', number((value, bound) => value > bound, 'more than')],
  ['exclusiveMaximum', number((value, bound) => value < bound, 'less than')],
  ['multipleOf', multipleOf],
  ['minLength', counted(characters, atLeast, 'at least', 'characters')],
  ['maxLength', counted(characters, atMost, 'at most', 'characters')],
  ['minItems', counted(items, atLeast, 'at least', 'items')],
  ['maxItems', counted(items, atMost, 'at most', 'items')],
  ['minProperties', counted(members, atLeast, 'at least', 'members')],
  ['maxProperties', counted(members, atMost, 'at most', 'members')],
  ['uniqueItems', uniqueItems],
  ['required', required],
  ['dependentRequired', dependentRequired],
] satisfies [string, Assertion][]);
