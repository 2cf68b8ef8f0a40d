import { checkValue } from './check-content.ts';
import type { AskedField } from './field.ts';

/**
 * True if a person removed the text that a field proposes, and an empty text is an answer to it. A field that proposes nothing and
 * is empty was not touched.
 * @param text - as entered
 */
export const emptied = (field: AskedField, text: string): boolean =>
  field.kind === 'text' &&
  text === '' &&
  field.default !== undefined &&
  field.default !== '' &&
  checkValue(field, text) === undefined;
