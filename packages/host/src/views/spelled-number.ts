/** Numbers that forms hold, as people read them. */

let format: Intl.NumberFormat | undefined;

/** A number in British English, for where the person's format is not known, with all its digits. */
export function spelledNumber(value: number): string {
  format ??= new Intl.NumberFormat('en-GB', { maximumSignificantDigits: 21 });
  return format.format(value);
}
