/**
 * The calls that a person made from a terminal, stored with those of their desk: their values are offered again, and the desk
 * lists them. Nothing is stored if the person switched that off on the desk.
 */
import { join } from 'node:path';
import type { CallOutcome } from '@midcall/host';
import { callFile, deskFile, earlierValues } from '@midcall/host/web';
import { secretBox } from './secret-box.ts';

/** A call to a tool. */
export interface MadeCall {
  readonly id: string;
  readonly serverId: string;
  readonly tool: string;
  readonly arguments: Readonly<Record<string, unknown>>;
}

export interface CallHistory {
  /** Earlier values, by argument, newest first; none for an argument that is named like a secret. */
  earlier(
    of: Pick<MadeCall, 'serverId' | 'tool'>,
    fields: readonly { readonly kind: string; readonly name: string }[],
  ): Promise<ReadonlyMap<string, readonly string[]>>;
  /**
   * Stores a call that begins, and again when it has ended.
   * @param startedAt - milliseconds since the epoch
   * @param outcome - absent while it runs
   */
  add(call: MadeCall, startedAt: number, outcome?: CallOutcome): Promise<void>;
}

/** @param folder - the desk's own, from `--keep` */
export async function callHistory(folder: string): Promise<CallHistory> {
  const file = callFile(join(folder, 'calls.jsonl'));
  const { preferences } = await deskFile(join(folder, 'desk.json'), secretBox(folder)).read();
  const keeps = preferences.keepsCalls !== false;
  return {
    async earlier({ serverId, tool }, fields) {
      const calls = keeps ? await file.read() : [];
      const newest = calls.map(call => ({ ...call, earlier: true })).reverse();
      return earlierValues(newest, { serverId, kind: 'tool', name: tool }, fields);
    },
    async add({ id, serverId, tool, arguments: args }, startedAt, outcome) {
      if (!keeps) return;
      const context = { id, kind: 'tool', name: tool, arguments: args } as const;
      await file.add({ context, serverId, startedAt, ...(outcome && { endedAt: Date.now(), outcome }) });
    },
  };
}
