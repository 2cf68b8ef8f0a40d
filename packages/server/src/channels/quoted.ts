/** A text of others, each line of it marked as a quotation, whatever it takes for a line break. */
export const quoted = (message: string): readonly string[] =>
  // Stryker disable next-line Regex: one of its mutants, \V, is no expression, and nothing could be judged.
  message.split(/\r\n|[\n\v\f\r\u0085\u2028\u2029]/u).map(each => `> ${each}`);
