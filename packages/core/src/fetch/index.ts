export { type FetchLimit, limitedFetch } from './limited-fetch.ts';
export { isEventStream, piped } from './response.ts';
export { restoreBody } from './restore-body.ts';
