export type { JudgeOptions, SchemaVerdict } from './judge-by-schema.ts';
export { judgeBySchema } from './judge-by-schema.ts';
