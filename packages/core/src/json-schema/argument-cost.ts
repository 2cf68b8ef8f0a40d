/**
 * What a schema library may spend on matching a value with the patterns of its schema, counted before the library gets the value:
 * its engine backtracks. The value is followed through the JSON Schema that the library gives of itself.
 */
import { isRecord, type JsonObject } from '../json/index.ts';
import { type Backtracking, backtrackingOf, Work } from '../patterns/index.ts';

/** What counting may take for one value: about a third of a second. */
const mostWork = 40_000_000;
/** Steps that the library's engine may take for one text and one pattern: about a tenth of a second. */
const mostSteps = 20_000_000;
/** What a visit of one schema with one value costs, beside its patterns. */
const visit = 20;
/** Deeper references lead in a circle. */
const deepest = 300;

/** The patterns of one schema, ready to be counted. */
export interface ArgumentCost {
  /** A pattern that cannot be counted: it has a lookbehind or a backreference, or is too large. */
  readonly uncounted: string | undefined;
  /** True if the library matches the value in a bounded time. */
  isWithin(value: unknown): boolean;
}

const values = new Set(['const', 'default', 'enum', 'examples']);
/** Keywords that hold schemas for the same value, alone or in a list. */
const sameValue = ['allOf', 'anyOf', 'oneOf', 'not', 'if', 'then', 'else'];

/** @param root - a JSON Schema of 2020-12, without references to other documents */
export function argumentCost(root: unknown): ArgumentCost {
  const patterns = new Map<string, Backtracking | undefined>();
  collect(root, patterns);
  const [uncounted] = [...patterns].find(([, counted]) => !counted) ?? [];
  return {
    uncounted,
    isWithin(value) {
      if (patterns.size === 0) return true;
      return new Counting(root, patterns).follow(root, value, 0);
    },
  };
}

/** Reads every pattern of a schema, wherever it is. */
function collect(schema: unknown, into: Map<string, Backtracking | undefined>): void {
  if (Array.isArray(schema)) for (const each of schema) collect(each, into);
  if (!isRecord(schema)) return;
  for (const [name, value] of Object.entries(schema)) {
    if (name === 'pattern' && typeof value === 'string') into.set(value, backtrackingOf(value));
    if (name === 'patternProperties' && isRecord(value))
      for (const pattern of Object.keys(value)) into.set(pattern, backtrackingOf(pattern));
    if (!values.has(name)) collect(value, into);
  }
}

class Counting {
  readonly #root: unknown;
  readonly #patterns: ReadonlyMap<string, Backtracking | undefined>;
  readonly #work = new Work(mostWork);

  constructor(root: unknown, patterns: ReadonlyMap<string, Backtracking | undefined>) {
    this.#root = root;
    this.#patterns = patterns;
  }

  /** False once anything costs too much. */
  follow(schema: unknown, value: unknown, depth: number): boolean {
    if (!isRecord(schema)) return true;
    if (depth > deepest || !this.#work.spend(visit)) return false;
    const deeper = (each: unknown, part: unknown): boolean => this.follow(each, part, depth + 1);
    const { $ref, pattern } = schema;
    if (typeof $ref === 'string' && !deeper(this.#referred($ref), value)) return false;
    if (typeof value === 'string' && typeof pattern === 'string' && !this.#costs(pattern, value)) return false;
    for (const keyword of sameValue)
      if (![schema[keyword]].flat().every(each => each === undefined || deeper(each, value))) return false;
    if (Array.isArray(value)) return this.#items(schema, value, deeper);
    return !isRecord(value) || this.#members(schema, value, deeper);
  }

  #items({ prefixItems, items, contains }: JsonObject, list: readonly unknown[], deeper: Follow): boolean {
    const first: readonly unknown[] = Array.isArray(prefixItems) ? prefixItems : [];
    return list.every((each, at) => deeper(at < first.length ? first[at] : items, each) && deeper(contains, each));
  }

  #members(
    { properties, patternProperties, additionalProperties, propertyNames }: JsonObject,
    object: JsonObject,
    deeper: Follow,
  ): boolean {
    const declared = isRecord(properties) ? properties : {};
    const matched = isRecord(patternProperties) ? Object.entries(patternProperties) : [];
    return Object.entries(object).every(
      ([name, each]) =>
        deeper(Object.hasOwn(declared, name) ? declared[name] : additionalProperties, each) &&
        deeper(propertyNames, name) &&
        matched.every(([pattern, schema]) => this.#costs(pattern, name) && deeper(schema, each)),
    );
  }

  #costs(pattern: string, text: string): boolean {
    const counted = this.#patterns.get(pattern);
    if (!counted) return false;
    return counted.isLinearWithin(mostSteps, text.length) || counted.isWithin(mostSteps, text, this.#work);
  }

  /** The schema that a reference within the document leads to. */
  #referred(reference: string): unknown {
    const path = reference.replace(/^#\/?/u, '').split('/').filter(Boolean);
    return path.reduce<unknown>((at, part) => {
      const name = decodeURIComponent(part).replaceAll('~1', '/').replaceAll('~0', '~');
      return isRecord(at) && Object.hasOwn(at, name) ? at[name] : undefined;
    }, this.#root);
  }
}

type Follow = (schema: unknown, value: unknown) => boolean;
