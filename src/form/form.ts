/** Placeholder types until the form compiler lands; see `form/index.ts`. */
export type FormInput = unknown;
export type FormValue<_I> = unknown;
export interface Form<T> {
  check(content: unknown): { ok: true; value: T } | { ok: false; issues: readonly import('./field.ts').Issue[] };
}
