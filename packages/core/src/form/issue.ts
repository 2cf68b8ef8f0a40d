import type { AskedField, Issue } from './field.ts';
import { labelOf } from './label.ts';

/**
 * What is wrong with the answer to one field.
 * @param says - continues the sentence after the field's name, without a full stop
 */
export function issue(field: AskedField, rule: string, says: string): Issue {
  return { field: field.name, rule, message: `${labelOf(field)} ${says}.` };
}
