/** Several forms as one question: what a handler asks, and what comes back. */
import type { Assurance, Channel, Form, FormInput, FormValue } from '@midcall/core/form';
import type { Validation } from './validation.ts';

/** Asked only if a field of an earlier form has this value, or one of these; a form that was not asked has none. */
export interface WizardCondition {
  readonly form: string;
  readonly field: string;
  readonly is: string | boolean | readonly string[];
}

/** One form of a wizard. */
export interface WizardForm<I extends FormInput = FormInput> {
  /** Names the form to the person. Up to 80 characters. */
  readonly title: string;
  readonly form: I;
  readonly when?: WizardCondition;
}

/** Forms by name, in the order in which they are asked. */
export interface WizardForms {
  readonly [name: string]: WizardForm;
}

/** The names of the fields of a form, as the person enters them; any name where a library may have renamed them. */
type FieldsOf<I> =
  I extends Form<unknown>
    ? string
    : I extends { readonly '~standard': { readonly types?: infer Types } }
      ? NonNullable<Types> extends { readonly input: infer Input }
        ? Names<Input>
        : string
      : Names<FormValue<I>>;

type Names<T> = unknown extends T
  ? string
  : T extends object
    ? T extends readonly unknown[]
      ? 'value'
      : keyof T & string
    : 'value';

/** A condition that names a form, and a field of that form; any, where the compiler does not know the names of the forms. */
type ConditionOn<F extends WizardForms> = string extends keyof F
  ? WizardCondition
  : {
      readonly [K in keyof F & string]: { readonly form: K; readonly field: FieldsOf<F[K]['form']> };
    }[keyof F & string];

/** A part that no {@link WizardForm} has is a type error, and so is a condition on a form or field that there is not. */
export type CheckedForms<F extends WizardForms> = {
  readonly [K in keyof F]: { readonly [N in Exclude<keyof F[K], keyof WizardForm>]: never } & {
    readonly when?: ConditionOn<F>;
  };
};

/**
 * Validates the content of a wizard form against the server's own knowledge, once it fits the form. Runs once per answer, and
 * again if the person has changed an earlier form; the verdict is recorded.
 * @param earlier - the contents of the forms that were asked before this one, by name
 * @returns nothing if the content is valid; otherwise a text, or a text for each field that is wrong
 */
export type WizardValidate<T, Earlier> = (content: T, earlier: Earlier) => Validation<T> | Promise<Validation<T>>;

/** Several forms as one question. */
export interface WizardAsk<F extends WizardForms> {
  /** Shown with each form; say what the answers are for. Up to 1,000 characters. */
  readonly message: string;
  /** At least one, at most 50. A name has 1 to 32 letters, digits, dashes and underscores, and begins with a letter. */
  readonly forms: F & CheckedForms<F>;
  /** Checks that the forms cannot do, such as whether a seat is free, by the name of the form. */
  readonly validate?: {
    readonly [K in keyof F]?: WizardValidate<
      FormValue<F[K]['form']>,
      { readonly [E in keyof F]?: FormValue<F[E]['form']> }
    >;
  };
  /** Milliseconds the person has for each form; on a page, this time multiplied by the number of forms. */
  readonly timeoutMs?: number;
  /** As in `call.elicit`, for each form. */
  readonly assurance?: Assurance;
  /** As in `call.elicit`: `['page']` shows all forms on one page, where the server has pages. */
  readonly channels?: readonly Channel[];
  /** As in `call.elicit`. */
  readonly required?: boolean;
}

type Flat<T> = { [K in keyof T]: T[K] };

/** The content of each form by its name; a form with `when` may be absent. */
export type WizardContent<F extends WizardForms> = Flat<
  { readonly [K in keyof F as F[K] extends { readonly when: object } ? never : K]: FormValue<F[K]['form']> } & {
    readonly [K in keyof F as F[K] extends { readonly when: object } ? K : never]?: FormValue<F[K]['form']>;
  }
>;
