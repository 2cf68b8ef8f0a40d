/** Calls that another replica ran, or none: gone on with where a client waits, ended where none does. */
import { isMidcallError } from '@midcall/core/errors';
import type { Standing } from './client-stream.ts';
import type { Reply, Script } from './commands.ts';
import type { CallKeys, SessionKeys } from './keys.ts';
import type { Sender, SessionRecord } from './local-session.ts';
import type { LocalSessions } from './local-sessions.ts';
import { type Member, openAt, persist } from './member.ts';
import { type CallBody, type Claim, nameOfCall, streamName } from './running-call.ts';
import { releaseCall, takeCall, undoBegin } from './scripts.ts';
import type { SessionDirectory } from './session-directory.ts';

export interface TakeoversOptions {
  readonly member: Member;
  readonly sessions: LocalSessions;
  readonly directory: SessionDirectory;
  /** False if this replica takes nothing more. */
  readonly isOpen: () => boolean;
}

/** A call as it is found, and who wants it to go on. */
export interface StandingCall {
  readonly keys: SessionKeys;
  readonly record: SessionRecord;
  readonly standing: Standing;
  readonly sender: Sender;
  /** True if nobody waits for it any more. */
  readonly abandoned?: boolean;
}

export class Takeovers {
  readonly #options: TakeoversOptions;
  readonly #taking = new Map<string, Promise<void>>();

  constructor(options: TakeoversOptions) {
    this.#options = options;
  }

  /** Takes a call whose replica is known to be gone; of all that try, one does. */
  take(call: StandingCall): Promise<void> {
    const name = `${nameOfCall(call.keys, call.standing.call)} ${call.standing.count}`;
    const taking = this.#taking.get(name) ?? this.#take(call).finally(() => this.#taking.delete(name));
    this.#taking.set(name, taking);
    return taking;
  }

  /** Takes a call where its replica is dead. */
  async takeIfDead(call: StandingCall): Promise<void> {
    if (!(await this.#options.member.replica.isAlive(call.standing.holder))) await this.take(call);
  }

  /** Ends the calls of replicas that died long ago, for which no client came back. */
  async endThoseOf(replicas: readonly string[]): Promise<void> {
    const { commands, keys, replica: self, onError } = this.#options.member;
    for (const replica of replicas) {
      if (!this.#options.isOpen()) return;
      // Where Redis was away, none of them could show itself.
      if (await self.isAlive(replica)) continue;
      const names = (await commands.send('SRANDMEMBER', keys.held(replica), '50')) as readonly string[];
      for (const name of names) {
        try {
          await this.#end(replica, name);
        } catch (error) {
          // One that cannot be ended keeps nobody from ending the others.
          if (isMidcallError(error, 'store/unavailable')) throw error;
          onError(error);
        }
        await commands.send('SREM', keys.held(replica), name);
      }
      if (names.length === 0) await commands.send('ZREM', keys.replicas(), replica);
    }
  }

  /**
   * Takes a begin back that was given up, as soon as Redis can be reached.
   * @param listener - the connection that would have heard of it
   */
  undoBegin(keys: SessionKeys, call: CallKeys, listener: string): void {
    this.#afterwards(keys, call, undoBegin, [call.call, call.events, keys.calls], 1, call.name, listener);
  }

  /** What was given up is carried out before what is sent after it, so this finds whether it was (commands-C1). */
  #afterwards(
    session: SessionKeys,
    call: CallKeys,
    script: Script,
    keys: readonly string[],
    ...args: (string | number)[]
  ) {
    const { member } = this.#options;
    const { commands, replica, onError } = member;
    const name = nameOfCall(session, call);
    const undo = async (): Promise<void> => {
      const reply = await persist(
        member,
        () => commands.run(script, ...keys, replica.id, ...args),
        () => !replica.isClosed,
      );
      const [status, listener = ''] = reply as readonly string[];
      if (status === 'released') await replica.wake(listener.split('/')[0] ?? '', streamName(name));
      else replica.letGo(name);
    };
    undo().catch(onError);
  }

  async #end(replica: string, name: string): Promise<void> {
    const { commands, keys: names } = this.#options.member;
    const [sessionName = '', callName = ''] = name.split('/');
    const keys = names.sessionNamed(sessionName);
    const call = names.call(keys, callName);
    const [holder, count, over] = (await commands.send('HMGET', call.call, 'h', 'e', 'd')) as (string | null)[];
    if (!count || over !== null || (holder !== replica && holder !== '')) return;
    const session = await this.#options.directory.find(keys, 0);
    if (!session) return;
    const sender = { auth: undefined, request: new Request('http://localhost/', { method: 'POST' }) };
    const standing = { call, holder: holder ?? '', count };
    await this.take({ keys, record: session.record, standing, sender, abandoned: true });
  }

  async #take({ keys, record, standing, sender, abandoned = false }: StandingCall): Promise<void> {
    const { member, sessions, isOpen } = this.#options;
    if (!isOpen()) return;
    const { call, holder, count } = standing;
    const session = await sessions.here(keys, record, undefined, sender, abandoned);
    await member.replica.hold(nameOfCall(keys, call));
    let reply: Reply;
    try {
      reply = await member.commands.run(takeCall, ...[call.call, keys.session, member.replica.id, holder, count]);
    } catch (error) {
      this.#afterwards(keys, call, releaseCall, [call.call], Number(count) + 1);
      throw error;
    }
    const [status, flat = []] = reply as readonly [string, (readonly string[])?];
    if (status !== 'taken') return member.replica.letGo(nameOfCall(keys, call));
    const fields = new Map(flat.flatMap((field, at) => (at % 2 === 0 ? [[field, flat[at + 1]!] as const] : [])));
    const body = openAt<CallBody>(member, call.call, fields.get('b'));
    if (!body) throw new Error('A call in Redis was not written with the key of this fleet; it is left alone.');
    const claim: Claim = {
      body,
      count: Number(fields.get('e')),
      fields,
      abandoned: abandoned || fields.has('x'),
    };
    if (session.replayable(body.message)) session.run(call, claim, sender);
    else await session.refuse(call, claim, { code: -32603, message: UNKNOWN_END });
  }
}

const UNKNOWN_END =
  'The server stopped while this call was under way, and cannot tell what took effect. Find out before calling again.';
