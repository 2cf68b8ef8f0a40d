/** The notations of a form, and the type of the answer to each. */
import type { Form } from './form.ts';
import type { TextFormat } from './format.ts';
import type { StandardForm } from './standard.ts';

interface Described {
  readonly title?: string;
  readonly description?: string;
}

interface Option {
  readonly const: string;
  readonly title?: string;
}

/** One property in raw restricted JSON Schema. */
export type RawField = Described &
  (
    | {
        readonly type: 'string';
        readonly format?: TextFormat;
        readonly minLength?: number;
        readonly maxLength?: number;
        /** Enforced on the answer; never sent, since clients strip it and the person would not see the rule. */
        readonly pattern?: string;
        readonly default?: string;
      }
    | {
        readonly type: 'string';
        readonly enum: readonly string[];
        /** Older spelling of titles: read, and sent as `oneOf`. */
        readonly enumNames?: readonly string[];
        readonly default?: string;
      }
    | { readonly type: 'string'; readonly oneOf: readonly Option[]; readonly default?: string }
    | {
        readonly type: 'number' | 'integer';
        readonly minimum?: number;
        readonly maximum?: number;
        readonly exclusiveMinimum?: number;
        readonly exclusiveMaximum?: number;
        readonly default?: number;
      }
    | { readonly type: 'boolean'; readonly default?: boolean }
    | {
        readonly type: 'array';
        readonly items:
          | { readonly type?: 'string'; readonly enum: readonly string[] }
          | { readonly anyOf: readonly Option[] };
        readonly minItems?: number;
        readonly maxItems?: number;
        readonly uniqueItems?: boolean;
        readonly default?: readonly string[];
      }
  );

/** A form in raw restricted JSON Schema. */
export interface RawForm {
  readonly $schema?: string;
  readonly type: 'object';
  readonly title?: string;
  readonly description?: string;
  readonly properties: Readonly<Record<string, RawField>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: boolean;
}

/** Choices with a title each: `{ low: { title: 'Low' } }`. What has a `type` is a field with a title, and no choice. */
export interface TitledChoices {
  readonly [value: string]: { readonly title: string; readonly type?: never };
}

/**
 * One question, briefly: `String`, `Number`, `Boolean`; `['red', 'green']` picks one, `[['a', 'b']]` any number;
 * `{ low: { title: 'Low' } }` picks one by title, `[{ low: { title: 'Low' } }]` any number; or one raw property.
 */
export type Shorthand =
  | StringConstructor
  | NumberConstructor
  | BooleanConstructor
  | readonly string[]
  | readonly [readonly string[]]
  | TitledChoices
  | readonly [TitledChoices]
  | RawField;

/** Several shorthands by name; every one is required. */
export interface ShorthandRecord {
  readonly [name: string]: Shorthand;
}

/** Everything `form` takes. */
export type FormInput = Form<unknown> | StandardForm | RawForm | Shorthand | ShorthandRecord;

type RawValue<F> = F extends { readonly enum: readonly (infer V)[] }
  ? V
  : F extends { readonly oneOf: readonly { readonly const: infer V }[] }
    ? V
    : F extends { readonly type: 'string' }
      ? string
      : F extends { readonly type: 'number' | 'integer' }
        ? number
        : F extends { readonly type: 'boolean' }
          ? boolean
          : F extends { readonly type: 'array'; readonly items: infer Items }
            ? (Items extends { readonly enum: readonly (infer V)[] }
                ? V
                : Items extends { readonly anyOf: readonly { readonly const: infer V }[] }
                  ? V
                  : never)[]
            : never;

type ShorthandValue<S> = S extends StringConstructor
  ? string
  : S extends NumberConstructor
    ? number
    : S extends BooleanConstructor
      ? boolean
      : S extends readonly [infer One extends readonly string[]]
        ? One[number][]
        : S extends readonly (infer V extends string)[]
          ? V
          : S extends readonly [infer One extends TitledChoices]
            ? Extract<keyof One, string>[]
            : S extends { readonly type: string }
              ? RawValue<S>
              : S extends TitledChoices
                ? Extract<keyof S, string>
                : never;

type Flat<T> = { [K in keyof T]: T[K] };

type RequiredNames<F> = F extends { readonly required: readonly (infer R)[] } ? (string extends R ? never : R) : never;

type RawFormValue<F extends RawForm> = Flat<
  { -readonly [K in Extract<keyof F['properties'], RequiredNames<F>>]: RawValue<F['properties'][K]> } & {
    -readonly [K in Exclude<keyof F['properties'], RequiredNames<F>>]?: RawValue<F['properties'][K]>;
  }
>;

/** The type of an accepted answer to a form written as `I`. */
export type FormValue<I> =
  I extends Form<infer T>
    ? T
    : I extends { readonly '~standard': { readonly types?: infer Types } }
      ? NonNullable<Types> extends { readonly output: infer Output }
        ? Output
        : unknown
      : I extends RawForm
        ? RawFormValue<I>
        : I extends Shorthand
          ? ShorthandValue<I>
          : I extends ShorthandRecord
            ? { -readonly [K in keyof I]: ShorthandValue<I[K]> }
            : never;
