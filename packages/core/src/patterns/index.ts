export { type Backtracking, backtrackingOf } from './backtracking.ts';
export { judgePattern, matchesPattern } from './pattern.ts';
export { Work } from './work.ts';
