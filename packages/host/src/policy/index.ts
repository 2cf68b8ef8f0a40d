export type { Rule, Subject } from './judge.ts';
export type { KeptRules } from './kept-rules.ts';
export { Policy } from './policy.ts';
