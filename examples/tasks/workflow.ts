/**
 * `task_workflow`: approve or delete several tasks at once. With `confirm_via_elicitation` a person decides; where they
 * cannot be asked, say no, or do not say yes in time, nothing happens.
 */
import type { Answer, Call } from '@midcall/server';
import { z } from 'zod';
import { reply } from './reply.ts';
import { pick, type Tasks } from './tasks.ts';

const ids = z.array(z.string().min(1).max(100)).max(500);

export const workflowConfig = {
  title: 'Task workflow',
  description: 'Approves tasks that are in review, or deletes tasks.',
  inputSchema: z.strictObject({
    action: z.enum(['approve', 'delete']),
    task_id: z.string().min(1).max(100).optional().describe('One task'),
    task_ids: ids.optional().describe('Several tasks; approve takes all that are in review where none is given'),
    confirm_via_elicitation: z.boolean().default(false).describe('Ask the person before anything is changed'),
    dry_run: z.boolean().default(false).describe('Preview only (no updates)'),
  }),
  outputSchema: z.object({
    success: z.boolean().optional(),
    cancelled: z.boolean().optional(),
    message: z.string().optional(),
    dry_run: z.boolean().optional(),
    candidates: z.array(z.object({ id: z.string(), title: z.string(), status: z.string() })).optional(),
    approved: ids.optional(),
    deleted: ids.optional(),
  }),
  annotations: { readOnlyHint: false, destructiveHint: true, openWorldHint: false },
};

type Arguments = z.infer<typeof workflowConfig.inputSchema>;

export const workflow = (tasks: Tasks, timeoutMs: number) => (args: Arguments, call: Call) =>
  args.action === 'approve' ? approve(args, call, tasks, timeoutMs) : remove(args, call, tasks, timeoutMs);

// #region approve
async function approve(args: Arguments, call: Call, tasks: Tasks, timeoutMs: number) {
  const candidates = await call.step('candidates', async () => {
    const all = await tasks.list();
    const named = idsOf(args);
    return (named.length > 0 ? pick(all, named) : all).filter(task => task.status === 'Review');
  });
  let preview = args.dry_run;
  if (args.confirm_via_elicitation && !preview) {
    const answer = await call.elicit({
      message: 'Proceed with batch approve? You can choose dry run to preview only.',
      form: {
        type: 'object',
        properties: {
          proceed: { type: 'boolean', description: 'Proceed with batch approve?' },
          dry_run: { type: 'boolean', description: 'Preview only (no updates)' },
        },
      },
      timeoutMs,
    });
    if (answer.action !== 'accept') return reply({ success: false, ...cancelled('Batch approve', answer) });
    const { proceed, dry_run } = answer.content;
    preview = dry_run === true && proceed !== false;
    if (!preview && proceed !== true) return reply({ success: false, ...cancelled('Batch approve', answer) });
  }
  if (preview) return reply({ success: true, dry_run: true, candidates });
  const approved = await call.step('approve', () => tasks.approve(candidates.map(task => task.id)), { effect: true });
  return reply({ success: true, approved });
}
// #endregion

// #region delete
async function remove(args: Arguments, call: Call, tasks: Tasks, timeoutMs: number) {
  const named = idsOf(args);
  if (named.length === 0) throw new Error('Give task_id or task_ids: delete never takes all tasks.');
  const candidates = await call.step('candidates', async () => pick(await tasks.list(), named));
  if (args.dry_run) return reply({ success: true, dry_run: true, candidates });
  if (args.confirm_via_elicitation) {
    const answer = await call.elicit({
      message: 'Proceed with deleting the specified task(s)?',
      form: { type: 'object', properties: { proceed: { type: 'boolean', description: 'Proceed with delete?' } } },
      timeoutMs,
    });
    if (answer.action !== 'accept' || answer.content.proceed !== true) return reply(cancelled('Delete', answer));
  }
  const deleted = await call.step('delete', () => tasks.remove(named), { effect: true });
  return reply({ success: true, deleted });
}
// #endregion

const idsOf = ({ task_id, task_ids = [] }: Arguments): string[] => [
  ...new Set(task_id === undefined ? task_ids : [task_id, ...task_ids]),
];

function cancelled(what: string, answer: Answer<unknown>) {
  if (answer.action === 'accept') return { cancelled: true, message: `${what} cancelled by user` };
  const late = answer.action === 'cancel' && answer.reason === 'timeout';
  const why = late ? ': elicitation timed out' : ' by user or elicitation unavailable';
  return { cancelled: true, message: `${what} cancelled${why}` };
}
