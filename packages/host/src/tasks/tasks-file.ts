/**
 * Calls that became tasks, in a file that only its owner can read, so that another process can resume them: the desk when it
 * starts again, or `midcall call --resume`.
 *
 * - tasks-file-1 A task is followed by one process at a time: a process that takes one over records itself, and the task of a
 *   process that is still alive is not taken over.
 * - tasks-file-2 A task stays until its end is known, its time is up, or the person abandons it.
 * - tasks-file-3 A task that the person cancelled stays until its server confirms that. A process that takes it over cancels it again,
 *   and shows none of its questions.
 */
import { MidcallError } from '@midcall/core/errors';
import { isRecord } from '@midcall/core/json';
import { isMark, mayRun, ownMark, type ProcessMark } from '@midcall/core/node';
import { type Clock, systemClock } from '@midcall/core/time';
import type { Era } from '../base/index.ts';
import { ownerFile } from '../files/index.ts';
import type { CallContext } from '../question/index.ts';
import type { TaskServer } from '../servers/index.ts';

/** A call that continues without a request. */
export interface StoredTask {
  readonly call: CallContext;
  readonly server: TaskServer;
  readonly era: Era;
  /** The server's own id. */
  readonly taskId: string;
  /** The last state that the server reported: `working` or `input_required`. */
  readonly status: string;
  /** Milliseconds since the epoch. */
  readonly startedAt: number;
  /** When the server may forget it; absent if it does not say, or never does. */
  readonly expiresAt?: number;
  /** The ids of its open questions, by their keys on the wire. */
  readonly questions: Readonly<Record<string, string>>;
  /** True once the person has cancelled it, until the server confirms that. */
  readonly cancelled?: boolean;
  /** The process that follows it. */
  readonly holder?: ProcessMark;
}

/** Where tasks are kept. */
export interface TaskStorage {
  /** The stored tasks, oldest first. @throws MidcallError `cli/usage` if the file cannot be parsed */
  list(): Promise<readonly StoredTask[]>;
  /** Stores a task that this process follows, replacing what was stored of it. */
  keep(task: StoredTask): Promise<void>;
  /**
   * Takes over tasks for this process (tasks-file-1).
   * @param wanted - which of them
   * @returns the tasks that it follows from now on
   */
  takeUp(wanted: (task: StoredTask) => boolean): Promise<readonly StoredTask[]>;
  /** This process no longer follows these calls. */
  release(callIds: readonly string[]): Promise<void>;
  /** @returns false if there is no such call */
  drop(callId: string): Promise<boolean>;
}

interface Content {
  readonly tasks: readonly StoredTask[];
}

/** More tasks than anybody waits for. */
const mostTasks = 1_000;

/**
 * True for a task that another live process follows.
 * @example
 * ```ts
 * const left = (await tasksFile('tasks.json').list()).filter(task => !isFollowed(task));
 * ```
 */
export const isFollowed = ({ holder }: StoredTask): boolean => holder !== undefined && mayRun(holder);

/**
 * Keeps tasks in a JSON file.
 * @param path - the file; made, with its folder, when something is written
 * @param options - `clock`: this machine's if absent
 * @example
 * ```ts
 * const tasks = tasksFile('/home/ada/.config/my-host/tasks.json');
 * attach(client, { server: { id: 'notes', origin: 'midcall notes' }, inbox, tasks });
 * ```
 */
export function tasksFile(path: string, { clock = systemClock }: { readonly clock?: Clock } = {}): TaskStorage {
  const file = ownerFile(path, 'a list of tasks', isContent);
  const own = ownMark();
  let last: Promise<void> = Promise.resolve();
  const isOwn = ({ holder }: StoredTask): boolean => holder?.pid === own.pid && holder.host === own.host;
  const alive = (content: Content | undefined): readonly StoredTask[] =>
    (content?.tasks ?? []).filter(({ expiresAt }) => expiresAt === undefined || expiresAt >= clock.now());
  const change = (make: (tasks: readonly StoredTask[]) => readonly StoredTask[]): Promise<void> => {
    const changed = file.change(content => {
      const before = alive(content);
      const after = make(before);
      return after === before ? undefined : { tasks: after };
    });
    last = changed.catch(() => {});
    return changed;
  };
  return {
    async list() {
      await last;
      return alive(await file.read());
    },
    keep: task =>
      change(tasks => {
        const { id } = task.call;
        const at = tasks.findIndex(each => each.call.id === id);
        const stored = { ...task, holder: own };
        if (at >= 0) return tasks.with(at, stored);
        if (tasks.length >= mostTasks)
          throw new MidcallError('host/refused', `No more than ${mostTasks} tasks are kept. Give some up first.`);
        return [...tasks, stored];
      }),
    async takeUp(isWanted) {
      let adopted: readonly StoredTask[] = [];
      await change(tasks => {
        adopted = tasks.filter(each => isWanted(each) && (isOwn(each) || !isFollowed(each)));
        return adopted.length === 0
          ? tasks
          : tasks.map(each => (adopted.includes(each) ? { ...each, holder: own } : each));
      });
      return adopted;
    },
    release: callIds =>
      change(tasks => {
        if (!tasks.some(each => callIds.includes(each.call.id) && isOwn(each))) return tasks;
        return tasks.map(each => {
          if (!callIds.includes(each.call.id) || !isOwn(each)) return each;
          const { holder: _, ...left } = each;
          return left;
        });
      }),
    async drop(callId) {
      let existed = false;
      await change(tasks => {
        existed = tasks.some(each => each.call.id === callId);
        return existed ? tasks.filter(each => each.call.id !== callId) : tasks;
      });
      return existed;
    },
  };
}

const isContent = (value: unknown): value is Content =>
  isRecord(value) &&
  Array.isArray(value['tasks']) &&
  value['tasks'].length <= mostTasks &&
  value['tasks'].every(isTask);

function isTask(value: unknown): value is StoredTask {
  if (!isRecord(value)) return false;
  const { call, server, questions, holder, expiresAt } = value;
  const texts = [value['era'], value['taskId'], value['status']];
  return (
    isRecord(call) &&
    [call['id'], call['kind'], call['name']].every(isText) &&
    isRecord(call['arguments']) &&
    isRecord(server) &&
    [server['id'], server['origin'], server['listedIn'] ?? ''].every(isText) &&
    (server['target'] === undefined || isTarget(server['target'])) &&
    texts.every(isText) &&
    typeof value['startedAt'] === 'number' &&
    (expiresAt === undefined || typeof expiresAt === 'number') &&
    isRecord(questions) &&
    Object.values(questions).every(isText) &&
    typeof (value['cancelled'] ?? false) === 'boolean' &&
    (holder === undefined || isMark(holder))
  );
}

const isText = (value: unknown): value is string => typeof value === 'string';

function isTarget(value: unknown): boolean {
  if (!isRecord(value)) return false;
  if (value['kind'] === 'url') return isText(value['url']);
  const { command, args, cwd } = value;
  return isText(command) && Array.isArray(args) && args.every(isText) && (cwd === undefined || isText(cwd));
}
