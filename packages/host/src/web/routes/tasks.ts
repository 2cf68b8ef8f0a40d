/** The calls that continue as tasks: shown and forgotten. */
import { isMidcallError } from '@midcall/core/errors';
import type { Context, Hono } from 'hono';
import { first } from '../form/index.ts';
import { tasksPage } from '../pages/index.ts';
import { leftCalls } from '../workspace/index.ts';
import { type Desk, posted, redirect, show } from './context.ts';

export function taskRoutes(app: Hono, desk: Desk): void {
  const { workspace, guard, zone } = desk;

  const showTasks = (context: Context, left: ReturnType<typeof leftCalls>, wrong?: string) =>
    show(context, desk, tasksPage(left, guard, workspace.clock.now(), zone, wrong), wrong === undefined ? 200 : 409);

  app.get('/tasks', async context => {
    const calls = workspace.calls.list();
    try {
      return showTasks(context, leftCalls(calls, (await workspace.tasks?.list()) ?? []));
    } catch (error) {
      if (!isMidcallError(error)) throw error;
      return showTasks(context, leftCalls(calls, []), error.message);
    }
  });

  app.post('/tasks/forget', async context => {
    const id = first(posted(context), 'call') ?? '';
    // A task that is being followed is cancelled, if its server can be told.
    const left = leftCalls(workspace.calls.list(), (await workspace.tasks?.list()) ?? []);
    if (left.some(call => call.id === id && call.follower === 'nobody')) await workspace.tasks?.drop(id);
    return redirect(context, desk, '/tasks');
  });
}
