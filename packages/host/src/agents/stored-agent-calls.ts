/**
 * The calls of agents in a store: which were started, with which arguments, by which process, and how they ended.
 *
 * - agent-calls-1 A call is recorded before it is sent, and its end before anybody is told.
 * - agent-calls-2 An id identifies one call: with another tool or other arguments it is refused.
 */
import { createHash } from 'node:crypto';
import { MidcallError } from '@midcall/core/errors';
import { canonical, fromJson, isRecord } from '@midcall/core/json';
import { isMark, mayRun, ownMark, type ProcessMark } from '@midcall/core/node';
import type { Store } from '@midcall/core/store';
import type { AgentReply } from './agent-reply.ts';

/** A call, as an agent asked for it. */
export interface AskedCall {
  /** The caller's id for it, unique in the store. */
  readonly id: string;
  readonly name: string;
  readonly arguments: Readonly<Record<string, unknown>>;
}

/** What is recorded of a call before it is sent. */
export type FoundCall =
  | { readonly state: 'new' }
  /** A process that is gone, or this one, started it, and its end was not recorded. */
  | { readonly state: 'left' }
  | { readonly state: 'ended'; readonly reply: AgentReply };

interface Entry {
  readonly digest: string;
  readonly holder: ProcessMark;
  readonly reply?: AgentReply;
}

/** The calls of one server. */
export class StoredAgentCalls {
  readonly #store: Store;
  readonly #server: string;
  readonly #endedMs: number;

  /** @param options - `server`: its id in this host; `endedMs`: for how long an outcome is kept, in milliseconds */
  constructor(store: Store, options: { readonly server: string; readonly endedMs: number }) {
    this.#store = store;
    this.#server = options.server;
    this.#endedMs = options.endedMs;
  }

  /**
   * Claims a call for this process.
   * @throws MidcallError `host/refused` if the id stands for another call, or another process runs it
   */
  async claim(call: AskedCall): Promise<FoundCall> {
    const own = this.#entry(call);
    const fresh = JSON.stringify(own);
    if (await this.#store.set(this.#key(call.id), fresh, { ifAbsent: true })) return { state: 'new' };
    const text = await this.#store.get(this.#key(call.id));
    const entry = text === undefined ? undefined : readEntry(text);
    if (text === undefined || !entry) throw refused(call.id, 'what is kept of it cannot be read');
    if (entry.digest !== own.digest) throw refused(call.id, 'the id stands for a call with another tool or arguments');
    if (entry.reply) return { state: 'ended', reply: entry.reply };
    const isOwn = entry.holder.pid === own.holder.pid && entry.holder.host === own.holder.host;
    if (!isOwn && mayRun(entry.holder)) throw refused(call.id, `process ${entry.holder.pid} runs it`);
    if (!(await this.#store.set(this.#key(call.id), fresh, { ifEquals: text })))
      throw refused(call.id, 'another process has just taken it up');
    return { state: 'left' };
  }

  /** Records how a call ended. */
  async end(call: AskedCall, reply: AgentReply): Promise<void> {
    const entry: Entry = { ...this.#entry(call), reply };
    await this.#store.set(this.#key(call.id), JSON.stringify(entry), { ttlMs: this.#endedMs });
  }

  #entry({ name, arguments: args }: AskedCall): Entry {
    return { digest: sha256(canonical({ name, arguments: args })), holder: ownMark() };
  }

  /** An id may be longer than a key of a store may be. */
  #key(id: string): string {
    return `host:agent-call:${sha256(canonical([this.#server, id]))}`;
  }
}

const sha256 = (text: string): string => createHash('sha256').update(text).digest('base64url');

const refused = (id: string, why: string): MidcallError =>
  new MidcallError('host/refused', `The call '${id.slice(0, 100)}' was not started: ${why}.`);

function readEntry(text: string): Entry | undefined {
  const value = fromJson(text);
  if (!isRecord(value) || typeof value['digest'] !== 'string' || !isMark(value['holder'])) return undefined;
  const { reply } = value;
  const isReply = isRecord(reply) && typeof reply['text'] === 'string' && isRecord(reply['outcome']);
  return reply === undefined || isReply ? (value as unknown as Entry) : undefined;
}
