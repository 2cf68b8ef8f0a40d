/** Which texts a person may want to write on several lines; every view gives such a field more room. Pure. */

/** A length limit above this, longer than any path, means that more than one line is expected. */
const longLine = 5_000;
/** The field's name does not count if the limit is at most this. */
const shortLine = 200;
/** Fields of these names hold longer texts. */
const longNames =
  /^(?:text|body|content|markdown|message|prompt|comments?|description|details|feedback|instructions|reason|summary)$/i;

/** True for a text that nothing limits to one line: neither its format, nor its pattern, nor a short limit of its length. */
export const mayHaveLines = (field: Parameters<typeof isLongText>[0]): boolean =>
  field.kind === 'text' &&
  field.format === undefined &&
  (field.pattern ?? field.uncheckedPattern) === undefined &&
  (field.maxLength ?? Number.POSITIVE_INFINITY) > shortLine;

/**
 * True for a text field with room for several lines.
 * @param value - its current text
 */
export function isLongText(
  field: {
    readonly kind: string;
    readonly name: string;
    readonly format?: string;
    readonly pattern?: string;
    readonly uncheckedPattern?: string;
    readonly maxLength?: number;
  },
  value: string,
): boolean {
  if (field.kind !== 'text' || field.format !== undefined) return false;
  const { maxLength = Number.POSITIVE_INFINITY, pattern = field.uncheckedPattern } = field;
  const hasLongName = pattern === undefined && maxLength > shortLine && longNames.test(field.name);
  return value.includes('\n') || (field.maxLength ?? 0) > longLine || hasLongName;
}
