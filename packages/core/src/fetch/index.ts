export { type FetchLimit, limitedFetch } from './limited-fetch.ts';
export { restoreBody } from './restore-body.ts';
