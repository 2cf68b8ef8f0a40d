import type { AskedField, SelectField } from './field.ts';

/** True for the field of a wizard's form that leads to an earlier one. */
export const isWayBack = (field: AskedField): field is SelectField => field.kind === 'select' && field.wayBack === true;
