export { embeddedJobs } from './embedded-jobs.ts';
export { type Jobs, pauseAfter } from './jobs.ts';
