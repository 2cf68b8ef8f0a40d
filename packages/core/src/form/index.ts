export type { Answer, Assurance, By, CancelReason, Channel, Vote } from './answer.ts';
export { assurances, assures } from './answer.ts';
export { isCardNumber } from './card-number.ts';
export type { CheckedContent, Content, WireValue } from './check-content.ts';
export { checkContent, checkValue, checkWithin, emptied } from './check-content.ts';
export type {
  AskedField,
  BooleanField,
  Choice,
  Field,
  Issue,
  JsonField,
  MultiSelectField,
  NumberField,
  Scalar,
  SelectField,
  TextField,
} from './field.ts';
export { labelOf } from './field.ts';
export type { FirstSpelling } from './first-spelling.ts';
export { firstSpelling } from './first-spelling.ts';
export type { Checked, Form, Judging } from './form.ts';
export { form, isForm } from './form.ts';
export type { LineFormat, TextFormat } from './format.ts';
export { isLineFormat, isTextFormat, textFormats } from './format.ts';
export type { FormInput, FormValue, RawField, RawForm, Shorthand, ShorthandRecord, TitledChoices } from './input.ts';
export { formLimits } from './limits.ts';
export type { Textual, TextualOptions } from './parse-textual.ts';
export { parseTextual } from './parse-textual.ts';
export type { FormProblem } from './problem.ts';
export { assertions } from './problem.ts';
export type { ReadForm } from './read-form.ts';
export { readForm } from './read-form.ts';
export type { Secret, SecretKind } from './secret-in.ts';
export { refuseSecretMessage, secretIn, secretInMessage } from './secret-in.ts';
export type { StandardForm, StandardIssue, StandardResult } from './standard.ts';
export { describe } from './standard.ts';
export { isWayBack, wayBackMeta, wayBackName, withWayBackField } from './way-back.ts';
export type { WireProperty, WireSchema } from './wire.ts';
export { emit } from './wire.ts';
