export { type FetchLimit, limitedFetch } from './limited-fetch.ts';
