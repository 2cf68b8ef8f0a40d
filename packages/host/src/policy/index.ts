export type { DecisionStorage } from './decisions-file.ts';
export type { Decision, Subject } from './judge.ts';
export { Policy } from './policy.ts';
