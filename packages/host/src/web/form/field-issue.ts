/** What is wrong with a field of a form. */
import type { Issue } from '@midcall/core/form';

/** What is wrong with a field, or with one control of it. */
export interface FieldIssue extends Issue {
  /** The name of the control, if the field is a list. */
  readonly cell?: string;
}
