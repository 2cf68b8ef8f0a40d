export { AttachedTasks } from './attached-tasks.ts';
export { tasksExtension } from './task-messages.ts';
export { isFollowed, type StoredTask, type TaskStorage } from './tasks-file.ts';
