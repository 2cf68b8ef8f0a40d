export {
  type Answer,
  type Assurance,
  assurances,
  assures,
  type By,
  type CancelReason,
  type Channel,
  type Vote,
} from './answer.ts';
export {
  type CheckedContent,
  type Content,
  checkContent,
  checkValue,
  checkWithin,
  emptied,
  type WireValue,
} from './check-content.ts';
export {
  type AskedField,
  type BooleanField,
  type Choice,
  type Field,
  type Issue,
  type JsonField,
  labelOf,
  type MultiSelectField,
  type NumberField,
  type Scalar,
  type SelectField,
  type TextField,
} from './field.ts';
export { type FirstForm, toFirstForm } from './first-form.ts';
export { type Checked, type Form, form, isForm, type Judging } from './form.ts';
export { isLineFormat, isTextFormat, type LineFormat, type TextFormat, textFormats } from './format.ts';
export type { FormInput, FormValue, RawField, RawForm, Shorthand, ShorthandRecord, TitledChoices } from './input.ts';
export { formLimits } from './limits.ts';
export { parseTextual, type Textual, type TextualOptions } from './parse-textual.ts';
export { assertions, type FormProblem } from './problem.ts';
export { type ReadForm, readForm } from './read-form.ts';
export {
  isCardNumber,
  refuseSecretMessage,
  type Secret,
  type SecretKind,
  secretIn,
  secretInMessage,
} from './secret-in.ts';
export { describe, type StandardForm, type StandardIssue, type StandardResult } from './standard.ts';
export { isWayBack, wayBackMeta, wayBackName, withWayBackField } from './way-back.ts';
export { emit, type WireProperty, type WireSchema } from './wire.ts';
