export { embeddedJobs } from './embedded-jobs.ts';
export type { Jobs } from './jobs.ts';
