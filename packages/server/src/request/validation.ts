/** An author's verdict on an answer that fits its form. */

/** What is wrong with an answer: nothing, a text, or a text for each field that is wrong. */
export type Validation<T> = FieldMessages<T> | string | Nothing;
/** A text for each field that is wrong, by the name of the field. */
export type FieldMessages<T> =
  T extends Readonly<Record<string, unknown>> ? { readonly [K in keyof T]?: string | undefined } : never;

// biome-ignore lint/suspicious/noConfusingVoidType: what a function returns that returns nothing
type Nothing = void;
