export { AttachedTasks } from './attached-tasks.ts';
export { isFollowed, type KeptTask, type KeptTasks } from './kept-tasks.ts';
export { tasksExtension } from './task-messages.ts';
