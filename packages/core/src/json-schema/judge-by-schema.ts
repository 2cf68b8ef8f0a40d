/**
 * Judges a value by a JSON Schema that a stranger wrote (2020-12, 2019-09, draft-07, draft-06).
 *
 * schema-J1 Nothing is compiled, evaluated or fetched, and no pattern reaches a backtracking engine.
 * schema-J2 Applying one part of a schema to one part of a value is a step; beyond a number of steps, the value stays unjudged.
 * schema-J3 A keyword that is not understood does not count as satisfied: the value is then unchecked, unless something else shows
 *    that it does not fit. `format` only describes, as 2020-12 has it.
 */
import { isRecord } from '../json/index.ts';
import { applicators, type Judging } from './applicators.ts';
import { assertions, type Truth } from './assertions.ts';
import { References } from './references.ts';
import { Steps, TooCostly } from './steps.ts';

/** The verdict of a schema on a value. */
export type SchemaVerdict =
  | { readonly verdict: 'fits' }
  /** `at`: the names and indices that lead to what does not fit; `says`: the rest of a sentence, such as `must be string`. */
  | { readonly verdict: 'differs'; readonly at: readonly string[]; readonly says: string }
  /** `why`: the rest of a sentence that begins with "because". */
  | { readonly verdict: 'unchecked'; readonly why: string };

/** How a judgement is limited. */
export interface JudgeOptions {
  /** The document that the schema's references refer to; the schema itself if absent. */
  readonly root?: unknown;
  /** Steps the judgement may take; 3,000,000 if absent. */
  readonly steps?: number;
}

const usualSteps = 3_000_000;
const longestWords = 300;

/** @returns whether the value fits the schema, where and why it does not, or why that is not known */
export function judgeBySchema(schema: unknown, value: unknown, options: JudgeOptions = {}): SchemaVerdict {
  const { root = schema, steps = usualSteps } = options;
  return new Judgement(root, new Steps(steps)).of(schema, value);
}

const dialects = /^https?:\/\/json-schema\.org\/(?:draft\/20(?:20-12|19-09)|draft-0[67])\/schema#?$/;
/** Keywords that affect validity and are not supported here. */
export const notJudged: ReadonlySet<string> = new Set([
  '$dynamicRef',
  '$recursiveRef',
  'unevaluatedItems',
  'unevaluatedProperties',
]);

class Judgement implements Judging {
  readonly steps: Steps;
  readonly references: References;
  readonly #path: string[] = [];
  /** Above 0 within an alternative, whose failure does not make the value invalid. */
  #trying = 0;
  #fault: { readonly at: readonly string[]; readonly says: string } | undefined;
  #why: string | undefined;
  #refAlone = false;

  constructor(root: unknown, steps: Steps) {
    this.steps = steps;
    this.references = new References(root, steps);
  }

  of(schema: unknown, value: unknown): SchemaVerdict {
    try {
      const fits = this.#dialect(schema) ? this.fits(schema, value, this.references.root.base) : undefined;
      if (fits) return { verdict: 'fits' };
      if (fits === false) return { verdict: 'differs', ...(this.#fault ?? { at: [], says: 'does not fit' }) };
      return { verdict: 'unchecked', why: this.#why ?? 'it could not be checked' };
    } catch (error) {
      if (error instanceof TooCostly) return { verdict: 'unchecked', why: error.message };
      throw error;
    }
  }

  fits(schema: unknown, value: unknown, around: string): Truth {
    this.steps.spend(1);
    if (schema === true) return true;
    if (schema === false) return this.fault('is not allowed');
    if (!isRecord(schema)) return this.unknown('a part of the schema is not a schema');
    this.steps.down();
    const all = this.#every(schema, value, this.references.baseOf(schema, around));
    this.steps.up();
    return all;
  }

  #every(schema: Readonly<Record<string, unknown>>, value: unknown, base: string): Truth {
    let all: Truth = true;
    const names = this.#refAlone && Object.hasOwn(schema, '$ref') ? ['$ref'] : Object.keys(schema);
    this.steps.spend(names.length);
    for (const name of names) {
      const truth = this.#keyword(name, schema, value, base);
      if (truth === false) return false;
      all = truth && all;
    }
    return all;
  }

  #keyword(name: string, schema: Readonly<Record<string, unknown>>, value: unknown, base: string): Truth {
    const operand = schema[name];
    const assertion = assertions.get(name);
    if (assertion) {
      const truth = assertion.judge(operand, value, this.steps, schema);
      if (truth === undefined) return this.unknown(`the schema's '${name}' has a value that is not allowed`);
      return truth || this.fault(assertion.says(operand));
    }
    const applicator = applicators.get(name);
    if (applicator) return applicator(operand, value, { schema, base, judging: this });
    if (notJudged.has(name)) return this.unknown(`the schema uses '${name}', which is not checked here`);
    return true;
  }

  within(name: string | number, schema: unknown, value: unknown, base: string): Truth {
    this.#path.push(String(name));
    const truth = this.fits(schema, value, base);
    this.#path.pop();
    return truth;
  }

  tries(schema: unknown, value: unknown, base: string): Truth {
    this.#trying += 1;
    const truth = this.fits(schema, value, base);
    this.#trying -= 1;
    return truth;
  }

  fault(says: string): false {
    if (this.#trying === 0) this.#fault ??= { at: [...this.#path], says: says.slice(0, longestWords) };
    return false;
  }

  unknown(why: string): undefined {
    this.#why ??= why;
    return undefined;
  }

  #dialect(schema: unknown): boolean {
    const dialect = isRecord(schema) && Object.hasOwn(schema, '$schema') ? schema['$schema'] : undefined;
    // Before 2019-09, a reference replaced its whole schema: its siblings were ignored.
    this.#refAlone = typeof dialect === 'string' && /draft-0[67]/.test(dialect);
    if (typeof dialect !== 'string' || dialects.test(dialect)) return true;
    this.unknown('the schema is written in an unknown dialect');
    return false;
  }
}
