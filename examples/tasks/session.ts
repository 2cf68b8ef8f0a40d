/** `session`: what a model needs at the start. The person may say what to leave out; without an answer all of it comes. */
import type { Answer, Call } from '@midcall/server';
import { z } from 'zod';
import { reply } from './reply.ts';
import type { Task, Tasks } from './tasks.ts';

export const sessionConfig = {
  title: 'Session',
  description: 'Primes a session: a summary of the tasks and hints for the tools.',
  inputSchema: z.strictObject({
    action: z.enum(['prime']),
    ask_preferences: z.boolean().default(false).describe('Ask the person what to include'),
    include_tasks: z.boolean().default(true).describe('Include task summary'),
    include_hints: z.boolean().default(true).describe('Include tool hints'),
  }),
  outputSchema: z.object({
    success: z.boolean(),
    tasks: z.object({ total: z.number(), by_status: z.record(z.string(), z.number()) }).optional(),
    hints: z.array(z.string()).optional(),
    elicitation: z.enum(['ok', 'declined', 'timeout', 'error']).optional().describe('How the question ended.'),
    elicitation_action: z.enum(['accept', 'decline', 'cancel']).optional(),
  }),
  annotations: { readOnlyHint: true, openWorldHint: false },
};

// #region session
export const session =
  (tasks: Tasks, timeoutMs: number) => async (args: z.infer<typeof sessionConfig.inputSchema>, call: Call) => {
    let { include_tasks, include_hints } = args;
    let ended = {};
    if (args.ask_preferences) {
      const answer = await call.elicit({
        message: 'Session prime: include task summary and tool hints?',
        form: {
          type: 'object',
          properties: {
            include_tasks: { type: 'boolean', description: 'Include task summary' },
            include_hints: { type: 'boolean', description: 'Include tool hints' },
          },
        },
        timeoutMs,
      });
      if (answer.action === 'accept')
        ({ include_tasks = include_tasks, include_hints = include_hints } = answer.content);
      ended = howItEnded(answer);
    }
    return reply({
      success: true,
      ...(include_tasks && { tasks: summary(await tasks.list()) }),
      ...(include_hints && { hints }),
      ...ended,
    });
  };
// #endregion

/** Nothing where nobody was asked. */
function howItEnded(answer: Answer<unknown>) {
  const { action } = answer;
  if (action === 'accept') return { elicitation: 'ok', elicitation_action: action };
  if (action === 'decline') return { elicitation: 'declined', elicitation_action: action };
  if (answer.reason === 'unavailable') return {};
  const elicitation =
    answer.reason === 'dismissed' ? 'declined' : answer.reason === 'timeout' ? 'timeout' : ('error' as const);
  return { elicitation, elicitation_action: action };
}

function summary(tasks: readonly Task[]) {
  const by_status: Record<string, number> = {};
  for (const { status } of tasks) by_status[status] = (by_status[status] ?? 0) + 1;
  return { total: tasks.length, by_status };
}

const hints = [
  'task_workflow with action approve moves tasks from Review to Todo; without ids, all of them.',
  'task_workflow with action delete needs task_id or task_ids.',
  'Set confirm_via_elicitation so that the person decides, and dry_run to change nothing.',
];
