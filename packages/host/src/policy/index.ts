export type { Rule, Subject } from './judge.ts';
export { Policy } from './policy.ts';
export type { RuleStorage } from './rules-file.ts';
