/** Calls that continue as tasks: those that this desk follows, and stored ones that wait for their server. */
import { isFollowed, type StoredTask } from '../../index.ts';
import type { CallView } from './views.ts';

/** A call that continues as a task. */
export interface LeftCall {
  readonly id: string;
  readonly name: string;
  readonly serverId: string;
  /** Milliseconds since the epoch. */
  readonly startedAt: number;
  readonly waits: boolean;
  /** The server's own words; untrusted. */
  readonly message?: string;
  /**
   * Who follows it: this desk, another process of the person's, or nobody until its server is connected; or it is cancelled, and
   * its server has not said that it knows.
   */
  readonly follower: 'desk' | 'other' | 'nobody' | 'cancelled';
}

/** @param calls - of the desk; @param storedTasks - in the file, oldest first */
export function leftCalls(calls: readonly CallView[], storedTasks: readonly StoredTask[]): readonly LeftCall[] {
  const own = calls.filter(({ task, outcome }) => task && !outcome);
  const followed = own.map(({ context: { id, name }, serverId, startedAt, task, items }): LeftCall => {
    const waits = task?.status === 'input_required' || items.some(item => 'question' in item && !item.ending);
    const message = task?.message;
    return { id, name, serverId, startedAt, waits, follower: 'desk', ...(message !== undefined && { message }) };
  });
  const away = storedTasks
    .filter(({ call }) => !followed.some(({ id }) => id === call.id))
    .map((task): LeftCall => {
      const { call, server, startedAt, status, cancelled } = task;
      const isElsewhere = isFollowed(task) && task.holder?.pid !== process.pid;
      const follower = isElsewhere ? 'other' : cancelled ? 'cancelled' : 'nobody';
      return { ...call, serverId: server.id, startedAt, waits: status === 'input_required', follower };
    });
  return [...followed, ...away].sort((a, b) => b.startedAt - a.startedAt);
}
