/**
 * One call that this replica runs, as stored in Redis.
 *
 * - running-call-F1 Everything is written under this replica's claim. If a write is refused, or another replica holds the
 *   claim, the call is lost: its questions are handed over, and nothing more of it is written or started.
 * - running-call-F3 A call's result is stored before its steps are forgotten, and before it is sent.
 */
import type { JSONRPCMessage } from '@modelcontextprotocol/server';
import { shortDigest } from '../base/index.ts';
import type { Entry } from '../engine/index.ts';
import type { Caller, PutAsk, Shared, SharedAsk, SharedCall, SharedOutcome } from '../request/index.ts';
import { CallQuestions } from './call-questions.ts';
import type { Reply, Script } from './commands.ts';
import { type CallKeys, nameOfCall, type SessionKeys } from './keys.ts';
import { type Member, openAt, persist, sealAt } from './member.ts';
import { appendEvent, noteOnCall, recordAnswer, releaseCall } from './scripts.ts';

/** A call as it began. */
export interface CallBody {
  readonly message: JSONRPCMessage;
  /** Names the call in the audit and the ledger. */
  readonly flow: string;
  /** Known once its handler has been reached. */
  readonly caller?: Caller;
}

/** A claim to run a call. */
export interface Claim {
  readonly body: CallBody;
  /** How often the call has been claimed. */
  readonly count: number;
  /** The records of earlier holders. */
  readonly fields: ReadonlyMap<string, string>;
}

interface StoredEntry {
  readonly n: number;
  readonly entry: Entry;
}

/** What others tell a call. */
export interface CallEvents {
  /** The client cancelled the request. */
  cancelled(): void;
  /** Another replica runs it, or will. */
  lost(): void;
  /** The call can no longer be run. */
  gone(): void;
}

/** For a call that nothing here runs. */
export const toldNothing: CallEvents = { cancelled() {}, lost() {}, gone() {} };

export class RunningCall implements SharedCall {
  readonly flow: string;
  readonly first: boolean;
  readonly progress: number;
  readonly name: string;
  /** Questions that the SDK numbered, by that number. */
  readonly questions = new Map<unknown, string>();
  readonly #member: Member;
  readonly #session: SessionKeys;
  readonly #keys: CallKeys;
  readonly #claim: Claim;
  readonly #events: CallEvents;
  readonly #asks: CallQuestions;
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
    this.progress = (claim.count - 1) * 1_000_000;
    this.name = nameOfCall(session, keys);
    this.#entries = claim.fields.size;
    this.#asks = new CallQuestions({
      member,
      keys,
      write: (script, at, ...args) => this.#write(script, at, ...args),
      append: message => this.append(message),
      wakeListener: listener => this.#wakeListener(listener),
    });
    this.#stopListening = member.replica.on(this.name, () => void this.look().catch(member.onError));
  }

  get stepStore(): Member['stepStore'] {
    return this.#member.stepStore;
  }

  get retentionMs(): number {
    return this.#member.limits.callMs;
  }

  /** How often the call has been claimed. */
  get count(): number {
    return this.#claim.count;
  }

  /** Its result, if an earlier holder stored it. */
  get earlier(): SharedOutcome | undefined {
    return this.#read('r', this.#claim.fields.get('r'));
  }

  get callName(): string {
    return this.#keys.name;
  }

  /** True while it only waits for its client. */
  get waiting(): boolean {
    return this.#asks.size > 0;
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
    const { earlier } = this;
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

  put(ask: SharedAsk, signal: AbortSignal): Promise<PutAsk> {
    return this.#asks.put(ask, signal);
  }

  /** See {@link CallQuestions.putAs}. */
  putAs(...of: Parameters<CallQuestions['putAs']>): Promise<PutAsk> {
    return this.#asks.putAs(...of);
  }

  async record(entries: readonly Entry[]): Promise<boolean> {
    for (const entry of entries) {
      const ask = shortDigest(entry.id);
      this.#entries += 1;
      const sealed = sealAt(this.#member, `${this.#keys.call} j:${ask}`, {
        n: this.#entries,
        entry,
      } satisfies StoredEntry);
      if (!(await this.#write(recordAnswer, [this.#keys.call], ask, sealed))) return false;
    }
    return this.#state === 'running';
  }

  settle(outcome: SharedOutcome): Promise<boolean> {
    return this.#note('r', outcome);
  }

  /** Sends something to the client; the final message ends the call. */
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
      limits.retentionMs,
      limits.maxEvents,
      this.#keys.name,
    );
    if (last) {
      this.#stopListening();
      replica.letGo(this.name);
    }
    if (reply) this.#wakeListener(String(reply[1] ?? ''));
  }

  /** Reads what others have written. */
  async look(): Promise<void> {
    if (this.#state !== 'running') return;
    const { commands, replica } = this.#member;
    const asks = this.#asks.read();
    const reply = await commands.send('HMGET', this.#keys.call, 'h', 'e', 'x', ...asks.fields);
    const values = reply as readonly (string | null)[];
    const [holder, count, cancelled, ...answers] = values;
    if (count === null) return this.#gone();
    if (holder !== replica.id || count !== String(this.#claim.count)) return this.lose();
    if (cancelled !== null) return this.#events.cancelled();
    asks.take(answers);
  }

  /** Releases a call that only waits, so that another replica continues it. */
  async release(): Promise<void> {
    if (this.#state !== 'running') return;
    const { commands, replica } = this.#member;
    const reply = await commands.run(releaseCall, this.#keys.call, replica.id, this.#claim.count);
    const [status, listener] = reply as readonly string[];
    // If its client never returns, the takeover sweep ends it.
    this.#lose(status === 'released');
    if (status === 'released') this.#wakeListener(listener ?? '');
  }

  /** Abandons it, as if this process had died. */
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
    this.#asks.handOver();
    this.#events.lost();
  }

  /** Ends the call, since its session has ended or Redis has lost it, so that nobody can continue it. */
  #gone(): void {
    if (this.#state !== 'running') return;
    this.#state = 'lost';
    this.#stopListening();
    this.#member.replica.letGo(this.name);
    this.#events.gone();
  }

  #read<T>(field: string, text: string | undefined): T | undefined {
    return openAt<T>(this.#member, `${this.#keys.call} ${field}`, text);
  }

  async #note(field: string, value: unknown): Promise<boolean> {
    const sealed = sealAt(this.#member, `${this.#keys.call} ${field}`, value);
    return (await this.#write(noteOnCall, [this.#keys.call], field, sealed)) !== undefined;
  }

  /** Writes under the claim, in the order of the calls. @returns undefined if the call is lost */
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
    this.#member.replica.wakeListener(listener, this.name).catch(this.#member.onError);
  }
}
