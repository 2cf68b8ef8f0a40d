import { visible } from '@midcall/core/text';

const shown = { max: Number.POSITIVE_INFINITY, lines: true };

/** Foreign text with each line marked as a quotation, whatever line breaks it uses, and what it hides written out. */
export const quoted = (message: string): readonly string[] =>
  // Stryker disable next-line Regex: one of its mutants, \V, is no expression, and nothing could be judged.
  message.split(/\r\n|[\n\v\f\r\u0085\u2028\u2029]/u).map(each => `> ${visible(each, shown)}`);
