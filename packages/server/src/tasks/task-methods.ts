/** The methods of the tasks extension, and those of tasks on 2025-11-25. */
export const taskMethods = ['tasks/get', 'tasks/result', 'tasks/list', 'tasks/update', 'tasks/cancel'] as const;

export type TaskMethod = (typeof taskMethods)[number];
