export { callsMayBecomeTasks, serveTasks, takesTaskParameter } from './serve-tasks.ts';
export { TaskPart } from './task-part.ts';
export type { CallHandler } from './task-servers.ts';
export { waitingKinds } from './waiting-kinds.ts';
