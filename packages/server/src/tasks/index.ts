export { callsMayBecomeTasks, serveTasks, takesTaskParameter } from './serve-tasks.ts';
export type { CallHandler } from './task-servers.ts';
export { Tasks } from './tasks.ts';
export { waitingKinds } from './waiting-kinds.ts';
