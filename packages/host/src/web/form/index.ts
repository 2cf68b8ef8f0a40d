export { type ArgumentField, argumentFields } from './argument-form.ts';
export {
  contentOf,
  type Draft,
  draftFrom,
  draftOf,
  type FieldIssue,
  first,
  isZone,
  readable,
  untouched,
  visitedIssues,
} from './draft.ts';
export { fieldControl } from './field-controls.ts';
export { fittingDraft, isJson, jsonControl, readJson, stillMasked, toForm, toJson } from './json-arguments.ts';
export { argumentControl, listIssues } from './list-control.ts';
export { typedIn } from './typed.ts';
