/**
 * A form whose answers are passed on unchecked. Everywhere else, an answer that does not fit is asked for again and never
 * counts; here, the check is whether it fits.
 */
import type { Form } from '@midcall/core/form';

/** How forms recognize each other across copies of the package; see `isForm`. */
const mark = Symbol.for('midcall.form');

/** The same question, with unchecked content. */
export function asItCame({ schema, fields }: Form<unknown>): Form<unknown> {
  return Object.freeze({
    [mark]: true,
    schema,
    fields,
    library: false,
    check: async (content: unknown) => ({ ok: true, value: content }) as const,
  });
}
