export type { Answer, Assurance, By, CancelReason, Channel } from './answer.ts';
export { assures } from './answer.ts';
export type { Field, Issue } from './field.ts';
export type { Form, FormInput, FormValue } from './form.ts';
