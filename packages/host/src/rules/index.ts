export type { CallVerdict } from './judge-call.ts';
export { Rules } from './rules.ts';
