export { judgePattern, matchesPattern } from './pattern.ts';
export { Work } from './work.ts';
