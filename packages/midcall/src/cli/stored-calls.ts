/** Calls that became tasks and were left: naming, listing and resuming them. */
import { visible } from '@midcall/core/text';
import {
  type CallHandle,
  type CallOutcome,
  type Connection,
  isFollowed,
  type ServerEntry,
  type StoredTask,
} from '@midcall/host';
import { readServerList } from './server-choice.ts';
import { usage } from './usage.ts';

/** A call to resume. */
export interface StoredCall {
  readonly task: StoredTask;
  readonly entry: ServerEntry;
}

/** The part of an id that distinguishes calls. */
export const shortId = (id: string): string => id.slice(0, 8);

const listCommand = 'List them: midcall call --resume';

/**
 * @param id - the id as printed, or its beginning
 * @param entry - the server, if the command line names it
 * @throws MidcallError `cli/usage` if there is no such call, or another process follows it
 */
export function storedCall(tasks: readonly StoredTask[], id: string, entry: ServerEntry | undefined): StoredCall {
  const matches = tasks.filter(({ call }) => call.id.startsWith(id));
  const [task] = matches;
  if (!task || id === '') throw usage(`There is no call '${visible(id, { max: 50 })}' to return to. ${listCommand}`);
  if (matches.length > 1) throw usage(`The ids of ${matches.length} calls begin with '${id}'. ${listCommand}`);
  if (isFollowed(task)) throw usage(`This call is followed by ${followerOf(task)}. Answer there, or end it first.`);
  const { server } = task;
  const listed =
    server.listedIn === undefined
      ? undefined
      : readServerList(server.listedIn).find(({ id: own }) => own === server.id);
  const target = entry?.target ?? listed?.target ?? server.target;
  if (!target)
    throw usage(`The server '${visible(server.id, { max: 80 })}' is no longer known. Name it again after --.`);
  return { task, entry: { ...listed, id: server.id, target } };
}

/**
 * Resumes a call once its server is connected.
 * @throws MidcallError `cli/usage` if another process was faster
 */
export async function takenUp(
  connection: Connection,
  { task: { call } }: StoredCall,
): Promise<CallHandle & { readonly tool: string }> {
  const outcome = new Promise<CallOutcome>(resolve => {
    connection.subscribe(event => {
      if (event.type === 'call-ended' && event.call.id === call.id) resolve(event.outcome);
    });
  });
  if ((await connection.resume(call.id)).length === 0)
    throw usage(`The call ${shortId(call.id)} is over, or another process follows it by now. ${listCommand}`);
  return { id: call.id, tool: call.name, outcome, cancel: () => void connection.cancel(call.id) };
}

/** One line for each call. @param now - milliseconds since the epoch */
export function listOfStoredCalls(tasks: readonly StoredTask[], now: number): string {
  if (tasks.length === 0) return 'There are no tasks.\n';
  return tasks.map(task => `${lineOf(task, now)}\n`).join('');
}

/** A call as `--json` lists it: without its arguments, which may be secret. */
export const inJson = ({ call, server, status, startedAt, cancelled }: StoredTask) => ({
  id: call.id,
  tool: call.name,
  server: server.id,
  status,
  startedAt: new Date(startedAt).toISOString(),
  ...(cancelled && { cancelled }),
});

function lineOf(task: StoredTask, now: number): string {
  const { call, server, status, startedAt, cancelled } = task;
  const parts = [
    shortId(call.id),
    visible(call.name, { max: 60 }),
    visible(server.id, { max: 60 }),
    cancelled ? 'cancelled, not confirmed' : status === 'input_required' ? 'waits for an answer' : 'working',
    `for ${spanOf(now - startedAt)}`,
    ...(isFollowed(task) ? [`followed by ${followerOf(task)}`] : []),
  ];
  return parts.join('  ');
}

const followerOf = ({ holder }: StoredTask): string =>
  `process ${holder?.pid}${holder?.host === undefined ? '' : ` of ${visible(holder.host, { max: 60 })}`}`;

const units = [
  ['day', 86_400_000],
  ['hour', 3_600_000],
  ['minute', 60_000],
] as const;

function spanOf(ms: number): string {
  const [unit, size] = units.find(([, least]) => ms >= least) ?? ['second', 1_000];
  const count = Math.max(0, Math.floor(ms / size));
  return `${count} ${unit}${count === 1 ? '' : 's'}`;
}
