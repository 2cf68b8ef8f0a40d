export { callsMayBecomeTasks, serveTasks } from './serve-tasks.ts';
export { Tasks } from './tasks.ts';
export { waitingKinds } from './waiting-kinds.ts';
