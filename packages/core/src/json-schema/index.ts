export { type ArgumentCost, argumentCost } from './argument-cost.ts';
export { argumentField } from './argument-field.ts';
export type { CheckedArgument } from './check-argument.ts';
export { checkArgument } from './check-argument.ts';
export type { JudgeOptions, SchemaVerdict } from './judge-by-schema.ts';
export { judgeBySchema } from './judge-by-schema.ts';
