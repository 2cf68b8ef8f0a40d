/** What ./task-part.ts loads. */
export { callsAsTasks, taskRequests } from './task-requests.ts';
export { Tasks } from './tasks.ts';
