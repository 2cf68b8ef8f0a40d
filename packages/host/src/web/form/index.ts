export { type ArgumentField, argumentFields } from './argument-form.ts';
export type { FieldIssue } from './draft.ts';
export { contentOf, type Draft, draftFrom, draftOf, first, readable, untouched, visitedIssues } from './draft.ts';
export { fieldControl } from './field-controls.ts';
export { fittingDraft, isJson, jsonControl, readJson, stillMasked, toForm, toJson } from './json-arguments.ts';
export { argumentControl } from './list-control.ts';
export { listIssues } from './list-issues.ts';
export { typedIn } from './typed.ts';
export { isZone } from './zoned.ts';
