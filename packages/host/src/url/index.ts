export { judgeUrl, type UrlJudgement } from './judge.ts';
