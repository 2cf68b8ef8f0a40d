/**
 * The sessions of the whole fleet: found by id, and counted by owner.
 *
 * - session-directory-D1 There are never more than `max`, nor more than `maxPerOwner` of one owner. A session that nothing uses
 *   ends to make room, the one unused for longest first; one with calls in progress or an open stream never does.
 */
import { everySession, type Refusal } from '../http/index.ts';
import { listenerAt, nameOfCall, type SessionKeys } from './keys.ts';
import type { SessionRecord } from './local-session.ts';
import { type Member, openAt, sealAt } from './member.ts';
import { inUse, openSession, takeRoom, useSession } from './scripts.ts';

/** How often to look for a session that may end to make room, at ten sessions each time. */
const MOST_TRIES = 3;

export interface SessionDirectoryOptions {
  readonly member: Member;
  readonly max: number;
  readonly maxPerOwner: number;
}

/** A session, and its client's messages to all servers since the last lookup; sealed. */
export interface FoundSession {
  readonly record: SessionRecord;
  readonly entries: readonly string[];
}

export class SessionDirectory {
  readonly #options: SessionDirectoryOptions;

  constructor(options: SessionDirectoryOptions) {
    this.#options = options;
  }

  /** Counts a session that is about to be opened. @returns why it may not be opened, if so */
  async room(keys: SessionKeys, owner: string): Promise<Refusal | undefined> {
    const { member, max, maxPerOwner } = this.#options;
    const refusal =
      (await this.#roomIn(member.keys.owner(owner), keys.name, maxPerOwner, ownersMost)) ??
      (await this.#roomIn(member.keys.everybody(), keys.name, max, everySession));
    if (refusal) await this.#uncount(keys, owner);
    return refusal;
  }

  /** Stops counting a session, since it was not opened. */
  notOpened(keys: SessionKeys, owner: string): void {
    this.#uncount(keys, owner).catch(this.#options.member.onError);
  }

  async open(keys: SessionKeys, record: SessionRecord): Promise<void> {
    const { member } = this.#options;
    const sealed = sealAt(member, keys.session, record);
    await member.commands.run(openSession, keys.session, keys.log, sealed, member.limits.idleMs);
  }

  /**
   * Finds a session; this counts as use.
   * @param logged - how many entries of its log are known already
   */
  async find(keys: SessionKeys, logged: number): Promise<FoundSession | undefined> {
    const { member } = this.#options;
    const { commands, limits } = member;
    const all = [keys.session, keys.log, keys.calls];
    const reply = await commands.run(useSession, ...all, limits.idleMs, logged);
    const [sealed, entries = []] = reply as readonly [string, readonly string[]] | readonly [];
    const record = openAt<SessionRecord>(member, keys.session, sealed);
    return record && { record, entries };
  }

  /** Keeps a session, and marks it as in use, so that it does not end to make room. */
  async used(keys: SessionKeys, { owner }: SessionRecord): Promise<void> {
    const { commands, keys: names, limits } = this.#options.member;
    for (const index of [names.owner(owner), names.everybody()]) {
      await commands.run(takeRoom, index, keys.name, limits.idleMs, Number.MAX_SAFE_INTEGER);
    }
  }

  /** Ends a session and its calls, wherever they run. */
  async end(keys: SessionKeys, { owner }: SessionRecord): Promise<void> {
    const { commands, replica, keys: names } = this.#options.member;
    const calls = (await commands.send('SMEMBERS', keys.calls)) as readonly string[];
    await commands.send('DEL', keys.session);
    await this.#uncount(keys, owner);
    for (const name of calls) {
      const call = names.call(keys, name);
      const holder = String((await commands.send('HGET', call.call, 'h')) ?? '');
      await commands.send('DEL', call.call);
      await replica.wake(holder, nameOfCall(keys, call));
    }
    await commands.send('DEL', keys.calls);
  }

  async #roomIn(index: string, name: string, most: number, refusal: Refusal): Promise<Refusal | undefined> {
    const { commands, keys, limits } = this.#options.member;
    if (!Number.isFinite(most)) return undefined;
    for (let tries = 0; tries < MOST_TRIES; tries += 1) {
      const oldest = (await commands.run(takeRoom, index, name, limits.idleMs, most)) as readonly string[];
      if (oldest.length === 0) return undefined;
      const ended = await this.#endUnused(oldest.map(each => keys.sessionNamed(each)));
      if (ended) await commands.send('ZREM', index, ended.name);
      // Move sessions in use back, so that the next search finds others.
      else await commands.run(inUse, index, ...oldest);
    }
    return refusal;
  }

  async #uncount(keys: SessionKeys, owner: string): Promise<void> {
    const { commands, keys: names } = this.#options.member;
    for (const index of [names.owner(owner), names.everybody()]) await commands.send('ZREM', index, keys.name);
  }

  async #endUnused(sessions: readonly SessionKeys[]): Promise<SessionKeys | undefined> {
    const { commands, replica } = this.#options.member;
    for (const session of sessions) {
      if (Number(await commands.send('SCARD', session.calls)) > 0) continue;
      const listener = await commands.send('HGET', session.session, 'l');
      if (listener && (await replica.isAlive(listenerAt(String(listener))))) continue;
      await commands.send('DEL', session.session);
      return session;
    }
    return undefined;
  }
}

const ownersMost: Refusal = {
  status: 429,
  code: -32000,
  message: 'You have as many sessions in use as one owner may have. End one, or try again later.',
  retryAfter: 30,
};
