/** The tasks on disk, and what can be done with them. */
import { join } from 'node:path';
import { z } from 'zod';
import { dataFile } from '../data-file.ts';

const task = z.strictObject({
  id: z.string(),
  title: z.string(),
  status: z.enum(['Todo', 'In Progress', 'Review', 'Done']),
});
const contents = z.strictObject({ tasks: z.array(task) });

export type Task = z.infer<typeof task>;
export type Tasks = ReturnType<typeof tasksIn>;

/** The tasks of a directory, in `tasks.json`. */
export function tasksIn(directory: string) {
  const file = dataFile(join(directory, 'tasks.json'), contents);
  return {
    list: async () => (await file.read()).tasks,
    /** @returns the ids that were approved; a task that is no longer in review is left alone */
    approve: (ids: readonly string[]) =>
      file.change(({ tasks }) => {
        const approved = tasks.filter(each => ids.includes(each.id) && each.status === 'Review');
        for (const each of approved) each.status = 'Todo';
        return approved.map(each => each.id);
      }),
    /** @returns the ids that were deleted */
    remove: (ids: readonly string[]) =>
      file.change(data => {
        const gone = data.tasks.filter(each => ids.includes(each.id));
        data.tasks = data.tasks.filter(each => !gone.includes(each));
        return gone.map(each => each.id);
      }),
  };
}

/** The tasks with these ids. */
export function pick(tasks: readonly Task[], ids: readonly string[]): Task[] {
  return ids.map(id => {
    const found = tasks.find(each => each.id === id);
    if (!found) throw new Error(`There is no task '${id}'. Nothing was changed.`);
    return found;
  });
}

export const samples = {
  'tasks.json': {
    tasks: [
      { id: 'T-1', title: 'Describe the backup routine', status: 'Done' },
      { id: 'T-2', title: 'Rotate the staging certificates', status: 'Review' },
      { id: 'T-3', title: 'Retire the old import job', status: 'Review' },
      { id: 'T-4', title: 'Measure start-up time', status: 'In Progress' },
      { id: 'T-5', title: 'Translate the welcome mail', status: 'Todo' },
      { id: 'T-6', title: 'Archive tickets of 2023', status: 'Review' },
    ],
  },
};
