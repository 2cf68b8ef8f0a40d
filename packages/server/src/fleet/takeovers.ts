/** Takes over calls of other replicas: continues them if a client waits, otherwise ends them. */
import { isMidcallError } from '@midcall/core/errors';
import type { JSONRPCMessage, JSONRPCRequest } from '@modelcontextprotocol/server';
import type { Sender } from '../http/index.ts';
import { type EndAbandoned, lostCall } from '../request/index.ts';
import type { AskingMethod, RawParams } from '../sdk-seam/index.ts';
import type { Standing } from './client-stream.ts';
import type { Reply, Script } from './commands.ts';
import { type CallKeys, nameOfCall, type SessionKeys } from './keys.ts';
import type { SessionRecord } from './local-session.ts';
import type { LocalSessions } from './local-sessions.ts';
import { type Member, openAt, persist } from './member.ts';
import { type CallBody, type Claim, RunningCall, toldNothing } from './running-call.ts';
import { releaseCall, takeCall, undoBegin } from './scripts.ts';
import type { SessionDirectory } from './session-directory.ts';

export interface TakeoversOptions {
  readonly member: Member;
  readonly sessions: LocalSessions;
  readonly directory: SessionDirectory;
  /** False if this replica takes nothing more. */
  readonly isOpen: () => boolean;
}

/** A call as found, and who wants it to continue. */
export interface StandingCall {
  readonly keys: SessionKeys;
  readonly record: SessionRecord;
  readonly standing: Standing;
  readonly sender: Sender;
}

export class Takeovers {
  readonly #options: TakeoversOptions;
  readonly #taking = new Map<string, Promise<void>>();
  #isTold = false;

  constructor(options: TakeoversOptions) {
    this.#options = options;
  }

  /** Claims a call whose replica is known to be gone; of all that try, one succeeds. */
  take(call: StandingCall): Promise<void> {
    return this.#once(call.keys, call.standing, () => this.#takeOver(call));
  }

  /** Claims a call if its replica is dead. */
  async takeIfDead(call: StandingCall): Promise<void> {
    if (!(await this.#options.member.replica.isAlive(call.standing.holder))) await this.take(call);
  }

  /** Ends a call whose replica is known to be gone and that nobody waits for. @returns false if it must wait */
  async end(keys: SessionKeys, standing: Standing): Promise<boolean> {
    const { member, sessions } = this.#options;
    const at = standing.call.call;
    const body = openAt<CallBody>(member, at, await member.commands.send('HGET', at, 'b'));
    // Another of this server's handlers reports to the operator in its place.
    const ender = body?.caller && (await sessions.ender());
    if (body?.caller && !ender) {
      this.#tellOnce();
      return false;
    }
    await this.#once(keys, standing, () => this.#end(keys, standing, ender));
    return true;
  }

  /** Ends the calls of replicas that died long ago, for which no client came back. */
  async endThoseOf(replicas: readonly string[]): Promise<void> {
    const { commands, keys, replica: self, onError } = this.#options.member;
    for (const replica of replicas) {
      if (!this.#options.isOpen()) return;
      // If Redis was unavailable, none of them could signal.
      if (await self.isAlive(replica)) continue;
      const names = (await commands.send('SRANDMEMBER', keys.takenBy(replica), '50')) as readonly string[];
      for (const name of names) {
        try {
          if (!(await this.#endTaken(replica, name))) continue;
        } catch (error) {
          // One that cannot be ended does not keep the others from being ended.
          if (isMidcallError(error, 'store/unavailable')) throw error;
          onError(error);
        }
        await commands.send('SREM', keys.takenBy(replica), name);
      }
      if (names.length === 0) await commands.send('ZREM', keys.replicas(), replica);
    }
  }

  /**
   * Retracts an abandoned start, as soon as Redis can be reached.
   * @param listener - the connection that would have received it
   */
  undoBegin(keys: SessionKeys, call: CallKeys, listener: string): void {
    this.#afterwards(keys, call, undoBegin, [call.call, call.events, keys.calls], 1, call.name, listener);
  }

  /** An abandoned command is executed before any sent later, so this can tell whether it was executed (commands-C1). */
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
      if (status === 'released') await replica.wakeListener(listener, name);
      else replica.letGo(name);
    };
    undo().catch(onError);
  }

  /** @returns false if it must wait */
  async #endTaken(replica: string, name: string): Promise<boolean> {
    const { commands, keys: names } = this.#options.member;
    const [sessionName = '', callName = ''] = name.split('/');
    const keys = names.sessionNamed(sessionName);
    const call = names.call(keys, callName);
    const [holder, count, over] = (await commands.send('HMGET', call.call, 'h', 'e', 'd')) as (string | null)[];
    if (!count || over !== null || (holder !== replica && holder !== '')) return true;
    return this.end(keys, { call, holder: holder ?? '', count });
  }

  #once(keys: SessionKeys, { call, count }: Standing, work: () => Promise<void>): Promise<void> {
    const name = `${nameOfCall(keys, call)} ${count}`;
    const taking = this.#taking.get(name) ?? work().finally(() => this.#taking.delete(name));
    this.#taking.set(name, taking);
    return taking;
  }

  async #takeOver({ keys, record, standing, sender }: StandingCall): Promise<void> {
    const { sessions, isOpen } = this.#options;
    if (!isOpen()) return;
    const { call } = standing;
    const session = await sessions.here(keys, record, undefined, sender);
    const claim = await this.#take(keys, standing);
    if (!claim) return;
    // Its client cancelled it.
    if (claim.fields.has('x')) await this.#finish(keys, call, claim, session.ender);
    else if (session.replayable(claim.body.message)) session.run(call, claim, sender);
    else await this.#finish(keys, call, claim, undefined);
  }

  async #end(keys: SessionKeys, standing: Standing, ender: EndAbandoned | undefined): Promise<void> {
    if (!this.#options.isOpen()) return;
    const claim = await this.#take(keys, standing);
    if (claim) await this.#finish(keys, standing.call, claim, ender);
  }

  async #take(keys: SessionKeys, { call, holder, count }: Standing): Promise<Claim | undefined> {
    const { member } = this.#options;
    const name = nameOfCall(keys, call);
    await member.replica.hold(name);
    let reply: Reply;
    try {
      reply = await member.commands.run(takeCall, ...[call.call, keys.session, member.replica.id, holder, count]);
    } catch (error) {
      this.#afterwards(keys, call, releaseCall, [call.call], Number(count) + 1);
      throw error;
    }
    const [status, flat = []] = reply as readonly [string, (readonly string[])?];
    if (status !== 'taken') {
      member.replica.letGo(name);
      return undefined;
    }
    const fields = new Map(flat.flatMap((field, at) => (at % 2 === 0 ? [[field, flat[at + 1]!] as const] : [])));
    const body = openAt<CallBody>(member, call.call, fields.get('b'));
    if (!body) throw new Error('A call in Redis was not written with the key of this fleet; it is left alone.');
    return { body, count: Number(fields.get('e')), fields };
  }

  /** Ends a call from its record, without running it. @param ender - undefined if it has none of our handlers */
  async #finish(keys: SessionKeys, call: CallKeys, claim: Claim, ender: EndAbandoned | undefined): Promise<void> {
    const { body } = claim;
    const running = new RunningCall(this.#options.member, keys, call, claim, toldNothing);
    const { id, method, params = {} } = body.message as JSONRPCRequest;
    const { flow, stepStore } = running;
    const principal = body.caller?.principal;
    const abandoned = { flow, stepStore, method: method as AskingMethod, params: params as RawParams, principal };
    const outcome = running.earlier ?? (body.caller && (await ender?.(abandoned))) ?? { error: lostCall };
    await running.append({ jsonrpc: '2.0', id, ...outcome } as JSONRPCMessage, true);
  }

  #tellOnce(): void {
    if (this.#isTold) return;
    this.#isTold = true;
    this.#options.member.onError(new Error(WAITS_FOR_SERVER));
  }
}

const WAITS_FOR_SERVER =
  'A call whose replica died, and whose client did not come back, is ended by the first replica that has served a session: this ' +
  'factory makes no server without a request of somebody.';
