/**
 * One call that this replica runs, as it lies in Redis.
 *
 * - running-call-F1 Everything is written under the claim of this replica. Where that is refused, or found to be another's, the
 *   call is lost: its questions are handed over, and nothing of it is written or started any more.
 * - running-call-F2 A question is in the stream of its client before it is waited for, under an id that follows from the call and
 *   the question; whoever takes the call over waits for the same answer.
 * - running-call-F3 What a call came to is kept before its steps are forgotten, and before it is sent.
 */
import type { JSONRPCMessage } from '@modelcontextprotocol/server';
import {
  type Caller,
  HandedOver,
  type PutAsk,
  type Shared,
  type SharedAsk,
  type SharedCall,
  type SharedResponse,
} from '../call/shared-call.ts';
import { digest, type Json } from '../digest.ts';
import type { Entry } from '../engine/journal.ts';
import type { Reply, Script } from './commands.ts';
import { type CallKeys, questionId, type SessionKeys } from './keys.ts';
import { type Member, openAt, persist, sealAt } from './member.ts';
import { appendEvent, noteOnCall, putQuestion, recordAnswer, releaseCall } from './scripts.ts';

/** A call as it was begun. */
export interface CallBody {
  readonly message: JSONRPCMessage;
  /** Names the call in the audit and the ledger. */
  readonly flow: string;
  /** Known once its handler has been reached. */
  readonly caller?: Caller;
}

/** A right to run a call. */
export interface Claim {
  readonly body: CallBody;
  /** How often the call was taken. */
  readonly count: number;
  /** What earlier holders left. */
  readonly fields: ReadonlyMap<string, string>;
  /** See {@link SharedCall.abandoned}. */
  readonly abandoned: boolean;
}

interface OpenQuestion {
  readonly resolve: (answer: { readonly response: SharedResponse; readonly ms: number }) => void;
  readonly reject: (error: unknown) => void;
}

interface StoredEntry {
  readonly n: number;
  readonly entry: Entry;
}

export const nameOfCall = (session: SessionKeys, call: CallKeys): string => `${session.name}/${call.name}`;

/** What a call hears from others. */
export interface CallEvents {
  /** The client took the request back. */
  cancelled(): void;
  /** Another replica runs it, or will. */
  lost(): void;
  /** Nobody can run it any more. */
  gone(): void;
}

export class RunningCall implements SharedCall {
  readonly flow: string;
  readonly first: boolean;
  readonly abandoned: boolean;
  readonly progress: number;
  readonly name: string;
  /** Questions that the SDK numbered, by that number. */
  readonly questions = new Map<unknown, string>();
  readonly #member: Member;
  readonly #session: SessionKeys;
  readonly #keys: CallKeys;
  readonly #claim: Claim;
  readonly #events: CallEvents;
  readonly #open = new Map<string, OpenQuestion>();
  readonly #stopListening: () => void;
  #eventCount = 0;
  #entries: number;
  #writing: Promise<unknown> = Promise.resolve();
  #state: 'running' | 'over' | 'lost' = 'running';

  constructor(member: Member, session: SessionKeys, keys: CallKeys, claim: Claim, events: CallEvents) {
    this.#member = member;
    this.#session = session;
    this.#keys = keys;
    this.#claim = claim;
    this.#events = events;
    this.flow = claim.body.flow;
    this.first = claim.count === 1;
    this.abandoned = claim.abandoned;
    this.progress = (claim.count - 1) * 1_000_000;
    this.name = nameOfCall(session, keys);
    this.#entries = claim.fields.size;
    this.#stopListening = member.replica.on(this.name, () => void this.look().catch(member.onError));
  }

  get stepStore(): Member['stepStore'] {
    return this.#member.stepStore;
  }

  get keptMs(): number {
    return this.#member.limits.callMs;
  }

  /** How often the call was taken. */
  get count(): number {
    return this.#claim.count;
  }

  get callName(): string {
    return this.#keys.name;
  }

  /** True while it only waits for its client. */
  get waiting(): boolean {
    return this.#open.size > 0;
  }

  async open(caller: Caller): Promise<Shared> {
    const { fields, body } = this.#claim;
    const { caller: stored } = body;
    if (!stored) {
      const sealed = sealAt(this.#member, this.#keys.call, { ...body, caller } satisfies CallBody);
      await this.#write(noteOnCall, [this.#keys.call], 'b', sealed);
    }
    const entries = [...fields].flatMap(([field, text]) => {
      const entry = field.startsWith('j:') ? this.#read<StoredEntry>(field, text) : undefined;
      return entry ? [entry] : [];
    });
    const earlier = this.#read('r', fields.get('r'));
    return {
      caller: stored ?? caller,
      journal: entries.sort((a, b) => a.n - b.n).map(({ entry }) => entry),
      ...(earlier !== undefined && { earlier }),
    };
  }

  async holds(): Promise<boolean> {
    if (this.#state !== 'running') return false;
    const { commands, replica } = this.#member;
    const [holder, count, over] = (await commands.send('HMGET', this.#keys.call, 'h', 'e', 'd')) as Reply[];
    if (holder === replica.id && count === String(this.#claim.count) && over === null) return true;
    this.lose();
    return false;
  }

  async put({ id, method, params, timeoutMs }: SharedAsk, signal: AbortSignal): Promise<PutAsk> {
    const ask = digest(id).slice(0, 22);
    const message = { jsonrpc: '2.0', id: questionId(this.#keys.name, ask), method, params } as JSONRPCMessage;
    const asked = await this.putAs(ask, message, timeoutMs);
    const takeBack = (): void => {
      if (!this.#open.has(ask)) return;
      this.#close(ask)?.reject(signal.reason);
      void this.append(withdrawal(this.#keys.name, ask, signal.reason)).catch(this.#member.onError);
    };
    if (signal.aborted) takeBack();
    else signal.addEventListener('abort', takeBack, { once: true });
    const done = (): void => signal.removeEventListener('abort', takeBack);
    asked.answer.then(done, done);
    return asked;
  }

  /**
   * Puts a question under a name that is its own within the call.
   * @throws HandedOver where this replica has lost the call
   */
  async putAs(ask: string, message: JSONRPCMessage, timeoutMs: number, events = this.#keys.events): Promise<PutAsk> {
    const { limits } = this.#member;
    let open!: OpenQuestion;
    const answer = new Promise<{ response: SharedResponse; ms: number }>((resolve, reject) => {
      open = { resolve, reject };
    });
    answer.catch(() => {});
    // Before it is put: its answer may be there sooner than the reply.
    this.#open.set(ask, open);
    const life = Math.max(limits.callMs, timeoutMs + limits.idleMs);
    const sealed = sealAt(this.#member, events, message);
    const reply = await this.#write(putQuestion, [this.#keys.call, events], ask, sealed, life, limits.maxEvents);
    if (!reply) throw new HandedOver();
    const [, elapsedMs, text, ms, listener] = reply as [string, number, string, number, string];
    if (text !== '') this.#answered(ask, text, ms);
    else if (elapsedMs === 0) this.#wakeListener(listener);
    return { fresh: elapsedMs === 0, elapsedMs, answer };
  }

  async record(entries: readonly Entry[]): Promise<boolean> {
    for (const entry of entries) {
      const ask = digest(entry.id).slice(0, 22);
      this.#entries += 1;
      const sealed = sealAt(this.#member, `${this.#keys.call} j:${ask}`, {
        n: this.#entries,
        entry,
      } satisfies StoredEntry);
      if (!(await this.#write(recordAnswer, [this.#keys.call], ask, sealed))) return false;
    }
    return this.#state === 'running';
  }

  settle(outcome: unknown): Promise<boolean> {
    return this.#note('r', outcome);
  }

  /** Sends something to the client; what comes last ends the call. */
  async append(message: JSONRPCMessage, last = false): Promise<void> {
    if (this.#state !== 'running') return;
    if (last) this.#state = 'over';
    this.#eventCount += 1;
    const { limits, replica } = this.#member;
    const reply = await this.#write(
      appendEvent,
      [this.#keys.call, this.#keys.events, this.#session.calls],
      this.#eventCount,
      sealAt(this.#member, this.#keys.events, message),
      last ? 1 : 0,
      limits.keptMs,
      limits.maxEvents,
      this.#keys.name,
    );
    if (last) {
      this.#stopListening();
      replica.letGo(this.name);
    }
    if (reply) this.#wakeListener(String(reply[1] ?? ''));
  }

  /** Looks at what others have written. */
  async look(): Promise<void> {
    if (this.#state !== 'running') return;
    const { commands, replica } = this.#member;
    const asks = [...this.#open.keys()];
    const fields = ['h', 'e', 'x', ...asks.flatMap(ask => [`a:${ask}`, `t:${ask}`, `q:${ask}`])];
    const values = (await commands.send('HMGET', this.#keys.call, ...fields)) as (string | null)[];
    const [holder, count, cancelled, ...answers] = values;
    if (count === null) return this.#gone();
    if (holder !== replica.id || count !== String(this.#claim.count)) return this.lose();
    if (cancelled !== null) return this.#events.cancelled();
    asks.forEach((ask, at) => {
      const [text, answeredAt, askedAt] = answers.slice(3 * at, 3 * at + 3);
      if (text) this.#answered(ask, text, Number(answeredAt) - Number(askedAt));
    });
  }

  /** Lets go of a call that only waits, so that another replica goes on with it. */
  async release(): Promise<void> {
    if (this.#state !== 'running') return;
    const { commands, replica } = this.#member;
    const reply = await commands.run(releaseCall, this.#keys.call, replica.id, this.#claim.count);
    const [status, listener] = reply as readonly string[];
    // Whoever ends what this replica leaves finds it, where no client comes back for it.
    this.#lose(status === 'released');
    if (status === 'released') this.#wakeListener(listener ?? '');
  }

  /** Goes on with it no more, as if this process had died. */
  leave(): void {
    this.#lose(true);
  }

  /** running-call-F1 */
  lose(): void {
    this.#lose(false);
  }

  #lose(leaves: boolean): void {
    if (this.#state !== 'running') return;
    this.#state = 'lost';
    this.#stopListening();
    if (!leaves) this.#member.replica.letGo(this.name);
    for (const ask of [...this.#open.keys()]) this.#close(ask)?.reject(new HandedOver());
    this.#events.lost();
  }

  /** Its session has ended, or Redis has lost it: nobody can go on with it, so it ends here. */
  #gone(): void {
    if (this.#state !== 'running') return;
    this.#state = 'lost';
    this.#stopListening();
    this.#member.replica.letGo(this.name);
    this.#events.gone();
  }

  #answered(ask: string, text: string, ms: number): void {
    const response = openAt<SharedResponse>(this.#member, answerPlace(this.#keys, ask), text);
    if (response) this.#close(ask)?.resolve({ response, ms: Math.max(0, ms) });
    // Whoever wrote it has not the key of this fleet: that is no answer, and the question stays open.
    else
      this.#member.onError(new Error('An answer in Redis was not written with the key of this fleet; it is ignored.'));
  }

  #close(ask: string): OpenQuestion | undefined {
    const open = this.#open.get(ask);
    this.#open.delete(ask);
    return open;
  }

  #read<T>(field: string, text: string | undefined): T | undefined {
    return openAt<T>(this.#member, `${this.#keys.call} ${field}`, text);
  }

  async #note(field: string, value: unknown): Promise<boolean> {
    const sealed = sealAt(this.#member, `${this.#keys.call} ${field}`, value);
    return (await this.#write(noteOnCall, [this.#keys.call], field, sealed)) !== undefined;
  }

  /** Writes under the claim, in the order it was asked for. @returns undefined where the call is lost */
  #write(script: Script, keys: readonly string[], ...args: (string | number)[]): Promise<readonly Reply[] | undefined> {
    const { commands, replica } = this.#member;
    const write = async (): Promise<readonly Reply[] | undefined> => {
      if (this.#state === 'lost') return undefined;
      const reply = await persist(
        this.#member,
        () => commands.run(script, ...keys, replica.id, this.#claim.count, ...args),
        () => this.#state !== 'lost' && !replica.isClosed,
      );
      const [status] = reply as readonly Reply[];
      if (status === 'gone') this.#gone();
      else if (status === 'lost') this.lose();
      else return reply as readonly Reply[];
      return undefined;
    };
    const written = this.#writing.then(write, write);
    this.#writing = written.catch(() => {});
    return written;
  }

  #wakeListener(listener: string): void {
    const [replica = ''] = listener.split('/');
    this.#member.replica.wake(replica, streamName(this.name)).catch(this.#member.onError);
  }
}

/** What is woken where a stream has more. */
export const streamName = (name: string): string => `${name}/stream`;

/** What an answer is sealed for. */
export const answerPlace = ({ call }: CallKeys, ask: string): string => `${call} a:${ask}`;

const withdrawal = (call: string, ask: string, reason: unknown): JSONRPCMessage => ({
  jsonrpc: '2.0',
  method: 'notifications/cancelled',
  params: { requestId: questionId(call, ask), reason: String((reason as Error | null)?.message ?? reason) as Json },
});
