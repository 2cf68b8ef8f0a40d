export { type ArgumentCost, argumentCost } from './argument-cost.ts';
export type { AskedForm } from './asked-form.ts';
export { checkAsked, readAskedForm } from './asked-form.ts';
export type { CheckedArgument } from './check-argument.ts';
export { checkArgument } from './check-argument.ts';
export type { Reading } from './control.ts';
export { newReading, readProperty } from './control.ts';
export type { JudgeOptions, SchemaVerdict } from './judge-by-schema.ts';
export { judgeBySchema } from './judge-by-schema.ts';
