/**
 * The questions of this process, which decides how each ends: it takes replies from the mailbox, and writes back what became of
 * them.
 *
 * - inbox-own-B1 A reply is taken from the mailbox before it is judged. If the process dies between that and writing the end, the
 *   question ends as in doubt; if it dies at any other time, as `server-gone`.
 * - inbox-own-B2 A process is gone when the number that it counts up has not changed for 15 seconds by the steady clock of another one,
 *   in which that one could use the database. No two clocks are compared, so a clock that is set does nothing.
 * - inbox-own-B3 A process that could not count for 10 seconds takes no replies until it can. One that was declared gone takes
 *   another id, and stores anew what is open here and was ended there.
 * - inbox-own-B4 An end, and that a question to others is withdrawn, is written until that succeeds.
 * - inbox-own-B5 What others than the requester are asked for a process alone is withdrawn when that process is gone: nobody could use
 *   their answer.
 */
import { randomUUID } from 'node:crypto';
import { isMidcallError, MidcallError } from '@midcall/core/errors';
import { type Clock, inTime, pause, steadyNow } from '@midcall/core/time';
import type { Ending, Receipt } from '@midcall/host';
import type { HostWait } from '@midcall/host/web';
import type { Wake } from '@midcall/server';
import { type Approvals, nobodyTold, type Told } from './approvals.ts';
import { bridgeTopic, type Changes } from './changes.ts';
import type { Change, InboxDatabase } from './database.ts';
import type { Asked } from './inbox-store.ts';
import { type EndedRow, type Questions, removedEnding, viaInbox, type WaitingReply } from './questions.ts';
import { traceEnd } from './trace-end.ts';

const beatMs = 3_000;
const goneMs = 15_000;
const takesNoneMs = 10_000;
/** How long to wait before a write is tried again. */
const retryMs = 1_000;
/** How long writes are tried when the process stops. */
const stopMs = 5_000;
/** How many questions of a bridge that is gone end in one transaction. */
const endedAtOnce = 100;

interface Own extends Omit<Asked, 'wait'> {
  wait?: HostWait;
  /** What it is called in the database. */
  id: string;
  /** Settles when its row is there, or could not be made. */
  stored: Promise<void>;
  isStored: boolean;
  /** The reply that is being judged. */
  judged?: string;
  /** Resolves when its end is written. */
  ended?: Promise<void>;
}

/** What the questions of this process need. */
export interface OwnQuestionsOptions {
  readonly db: InboxDatabase;
  readonly questions: Questions;
  readonly changes: () => Changes;
  readonly approvals: () => Pick<Approvals, 'leftBy'>;
  /** Tells of what has happened to approvals. */
  readonly announce: (told: Told) => void;
  readonly clock: Clock;
  readonly wake: Wake | undefined;
  readonly onError: (error: unknown) => void;
  /** Told of a database that fails, and that works. */
  readonly failed: (error: unknown) => void;
  readonly worked: () => void;
}

/** The bridge was declared gone by another one. */
const declaredGone = Symbol('declared gone');

export class OwnQuestions {
  readonly #options: OwnQuestionsOptions;
  /** By the questions' own ids. */
  readonly #own = new Map<string, Own>();
  #bridge = randomUUID() as string;
  /** Whether the bridge is in the database. */
  #isJoined = false;
  #stopListening: (() => void) | undefined;
  #lastBeat: number | undefined;
  #rebirth: Promise<void> | undefined;
  /** Questions that have ended whose hosts were told to come back for the results, by the ids of their calls. */
  readonly #left = new Map<string, Own[]>();
  /** Replies that were given to their owners, until their receipts are written. */
  readonly #handled = new Set<string>();
  readonly #writing = new Set<Promise<unknown>>();
  /** Other bridges, with the number each had reached when it was last seen to change. */
  readonly #others = new Map<string, { beat: number; since: number }>();
  #callOffBeat: (() => void) | undefined;
  #stopping: Promise<void> | undefined;
  #hasGivenUp = false;

  constructor(options: OwnQuestionsOptions) {
    this.#options = options;
    this.#beatLater();
  }

  get hasOpen(): boolean {
    return this.#own.size > 0;
  }

  async ask(asked: Asked): Promise<void> {
    const { id } = asked.question;
    if (this.#stopping) throw new MidcallError('store/unavailable', 'The inbox is closed.');
    if (this.#own.has(id)) throw new TypeError('A question is asked once.');
    const own: Own = { ...asked, id, stored: Promise.resolve(), isStored: false };
    this.#own.set(id, own);
    own.stored = this.#store(own);
    try {
      await own.stored;
    } catch (error) {
      if (this.#own.get(id) === own) this.#own.delete(id);
      // Whether a transaction that failed as it was committed is in the database is not known.
      if (!isMidcallError(error, 'host/refused')) {
        void this.#persist(
          own,
          async change => void (await this.#options.questions.end(change, own.id, { how: 'unshown' })),
        );
      }
      throw error;
    }
    this.#options.changes().tell(asked.principal);
  }

  /**
   * Makes a change that belongs to this process.
   * @param make - the change, with what this process is called in the database
   */
  async owning(make: (join: (change: Change) => Promise<string>) => Promise<void>): Promise<void> {
    if (this.#stopping) throw new MidcallError('store/unavailable', 'The inbox is closed.');
    await this.#rebirth;
    const begun = steadyNow(this.#options.clock);
    let bridge = this.#bridge;
    let hasJoined = false;
    try {
      await make(async change => {
        // It may have another id since a change before this one has failed.
        bridge = this.#bridge;
        await this.#join(change, bridge);
        hasJoined = true;
        return bridge;
      });
    } catch (error) {
      if (error === declaredGone) {
        await this.#beReborn(bridge);
        return this.owning(make);
      }
      if (hasJoined) this.#notJoined(bridge);
      throw error;
    }
    if (hasJoined && bridge === this.#bridge) this.#joined(begun);
  }

  async ended(id: string, ending: Ending): Promise<void> {
    const own = this.#own.get(id);
    if (!own) return;
    this.#own.delete(id);
    const call = own.question.call?.id;
    if (call !== undefined && own.wait?.state === 'left') this.#left.set(call, [...(this.#left.get(call) ?? []), own]);
    // The owner ends a question before it returns the receipt of the reply that does so.
    const repliedBy = 'via' in ending && ending.via === viaInbox ? own.judged : undefined;
    own.ended = this.#writeEnd(own, ending, repliedBy);
    await own.ended;
  }

  async tellWait(callId: string, wait: HostWait): Promise<void> {
    const { db, questions, changes, failed } = this.#options;
    const open = [...this.#own.values()].filter(({ question }) => question.call?.id === callId);
    const theirs = [...open, ...(this.#left.get(callId) ?? [])];
    if (wait.state === 'served' || wait.state === 'lost') this.#left.delete(callId);
    for (const own of theirs) own.wait = wait;
    await Promise.all(
      theirs.map(async own => {
        try {
          await own.stored;
          await own.ended;
          await db.change(own.principal, ({ tx }) => questions.setWait(tx, own, wait));
          changes().tell(own.principal);
        } catch (error) {
          failed(error);
        }
      }),
    );
  }

  /** Takes what waits in the mailbox. */
  async look(): Promise<void> {
    const { questions, clock, failed, worked } = this.#options;
    if (this.#lastBeat === undefined || steadyNow(clock) - this.#lastBeat > takesNoneMs) return;
    try {
      const { replies, refused } = await questions.waitingFor(this.#bridge);
      worked();
      const byRow = new Map([...this.#own.values()].map(own => [own.id, own]));
      for (const id of refused) byRow.get(id)?.owner.end(removedEnding);
      for (const reply of replies) {
        const own = byRow.get(reply.question);
        if (own && own.judged === undefined && !this.#handled.has(reply.id)) void this.#judge(own, reply);
      }
    } catch (error) {
      failed(error);
    }
  }

  /** Ends what is open, and writes what has to be written for a few seconds. */
  stop(): Promise<void> {
    this.#stopping ??= this.#stop();
    return this.#stopping;
  }

  async #stop(): Promise<void> {
    const { clock, db, approvals, announce } = this.#options;
    this.#callOffBeat?.();
    for (const own of [...this.#own.values()]) this.#track(this.ended(own.question.id, { how: 'unshown' }));
    const written = async (): Promise<void> => {
      await this.#beating;
      while (this.#writing.size > 0) await Promise.all(this.#writing);
      // What is not written after all is ended by another bridge, once this one is gone.
      if (!this.#isJoined || this.#hasGivenUp) return;
      // If this fails, another bridge does it.
      const told = nobodyTold();
      const withdrawn = () => db.change('', change => approvals().leftBy(change, this.#bridge, told));
      while (!(await withdrawn()));
      announce(told);
      await db.write(tx => tx.deleteFrom('inbox_bridges').where('id', '=', this.#bridge).execute());
    };
    await inTime(
      written().catch(() => {}),
      stopMs,
      clock,
    );
    this.#hasGivenUp = true;
    this.#stopListening?.();
  }

  async #store(own: Own): Promise<void> {
    const { db, questions, clock } = this.#options;
    await this.#rebirth;
    const begun = steadyNow(clock);
    const bridge = this.#bridge;
    try {
      await db.change(own.principal, async change => {
        await this.#join(change, bridge);
        await questions.add(change, own, bridge);
      });
    } catch (error) {
      if (error === declaredGone) {
        await this.#beReborn(bridge);
        return this.#store(own);
      }
      this.#notJoined(bridge);
      throw error;
    }
    own.isStored = true;
    if (bridge === this.#bridge) return this.#joined(begun);
    await this.#rebirth;
    if (this.#own.get(own.question.id) === own) await this.#move(own, this.#bridge);
  }

  /** A change that names the bridge has failed. */
  #notJoined(bridge: string): void {
    // Perhaps it is in the database.
    if (!this.#isJoined && bridge === this.#bridge) this.#bridge = randomUUID();
  }

  /** @param begun - when what showed that this bridge is alive began */
  #joined(begun: number): void {
    const { wake, changes } = this.#options;
    this.#isJoined = true;
    this.#lastBeat = begun;
    this.#stopListening ??= wake?.listen(bridgeTopic(this.#bridge), () => changes().look());
    changes().look();
  }

  /** Makes sure that the bridge is in the database, and counts. */
  async #join({ tx }: Change, bridge: string): Promise<void> {
    const { numUpdatedRows } = await tx
      .updateTable('inbox_bridges')
      .set(row => ({ beat: row('beat', '+', 1) }))
      .where('id', '=', bridge)
      .where('gone', '=', 0)
      .executeTakeFirstOrThrow();
    if (numUpdatedRows > 0n) return;
    if (this.#isJoined) throw declaredGone;
    await tx.insertInto('inbox_bridges').values({ id: bridge, beat: 0, gone: 0 }).execute();
  }

  async #writeEnd(own: Own, ending: Ending, repliedBy: string | undefined): Promise<void> {
    const { questions, changes } = this.#options;
    const isStored = await own.stored.then(
      () => true,
      () => false,
    );
    if (!isStored) return;
    await this.#rebirth;
    let ended: EndedRow | undefined;
    await this.#persist(own, async change => {
      ended = await questions.end(change, own.id, ending, { repliedBy, keepsWait: own.wait?.state === 'left' });
    });
    if (!ended) return;
    changes().tell(own.principal);
    traceEnd(ended);
  }

  async #judge(own: Own, reply: WaitingReply): Promise<void> {
    const { questions, changes, onError, failed } = this.#options;
    own.judged = reply.id;
    try {
      const taken = await questions.take(own.principal, reply);
      if (taken) {
        this.#handled.add(reply.id);
        const receipt = await own.owner.reply(taken, viaInbox).catch((error): Receipt => {
          onError(error);
          return { ok: false, problem: 'unknown' };
        });
        if (own.ended && receipt.ok) await own.ended;
        else await this.#persist(own, change => questions.answer(change.tx, reply, own, receipt));
        this.#handled.delete(reply.id);
      }
      changes().tell(own.principal);
    } catch (error) {
      // The next look, which comes by itself, tries again.
      return failed(error);
    } finally {
      delete own.judged;
    }
    // Another one may wait for this question.
    changes().look();
  }

  /**
   * Makes a change until that succeeds.
   * @returns false if the process stops before
   * @throws declaredGone; MidcallError `host/refused`
   */
  #persist({ principal }: Own, work: (change: Change) => Promise<void>): Promise<boolean> {
    return this.#track(this.#until(() => this.#options.db.change(principal, work)));
  }

  /** Does in a while what could not be done, and again until it is done, or the process stops. */
  later(work: () => Promise<unknown>): Promise<unknown> {
    return this.#track(pause(retryMs, this.#options.clock).then(() => this.#until(work)));
  }

  async #until(work: () => Promise<unknown>): Promise<boolean> {
    const { failed, worked } = this.#options;
    for (;;) {
      try {
        await work();
        worked();
        return true;
      } catch (error) {
        if (error === declaredGone || isMidcallError(error, 'host/refused')) throw error;
        failed(error);
      }
      if (this.#hasGivenUp) return false;
      await pause(retryMs, this.#options.clock);
    }
  }

  #track<T>(work: Promise<T>): Promise<T> {
    this.#writing.add(work);
    work.then(
      () => this.#writing.delete(work),
      () => this.#writing.delete(work),
    );
    return work;
  }

  // Who is alive.

  #beating: Promise<void> = Promise.resolve();

  #beatLater(): void {
    this.#callOffBeat = this.#options.clock.after(beatMs, () => {
      this.#beating = this.#beat().finally(() => {
        if (!this.#stopping) this.#beatLater();
      });
    });
  }

  async #beat(): Promise<void> {
    const { db, clock, failed, worked } = this.#options;
    try {
      await this.#rebirth;
      if (this.#isJoined) {
        const begun = steadyNow(clock);
        const bridge = this.#bridge;
        const { numUpdatedRows } = await db.write(tx =>
          tx
            .updateTable('inbox_bridges')
            .set(row => ({ beat: row('beat', '+', 1) }))
            .where('id', '=', bridge)
            .where('gone', '=', 0)
            .executeTakeFirstOrThrow(),
        );
        if (numUpdatedRows === 0n) await this.#beReborn(bridge);
        else this.#lastBeat = begun;
      }
      await this.#lookAtOthers();
      worked();
    } catch (error) {
      // While it could not use the database, perhaps the others could not either.
      this.#others.clear();
      failed(error);
    }
  }

  /** Takes another id, and moves what is open here to it. @param dead - the id that was declared gone */
  #beReborn(dead: string): Promise<void> {
    if (dead === this.#bridge) {
      this.#rebirth = this.#moveAll().finally(() => {
        this.#rebirth = undefined;
      });
    }
    return this.#rebirth ?? Promise.resolve();
  }

  async #moveAll(): Promise<void> {
    for (let isDone = false; !isDone; ) {
      const bridge = randomUUID();
      this.#bridge = bridge;
      this.#isJoined = false;
      this.#lastBeat = undefined;
      this.#stopListening?.();
      this.#stopListening = undefined;
      try {
        for (const own of [...this.#own.values()]) if (own.isStored) await this.#move(own, bridge);
        isDone = true;
      } catch (error) {
        if (error !== declaredGone) throw error;
      }
    }
  }

  /** @throws declaredGone if this bridge was declared gone again */
  async #move(own: Own, bridge: string): Promise<void> {
    const { clock, questions, changes } = this.#options;
    const anew = randomUUID();
    let id = own.id;
    const begun = steadyNow(clock);
    const move = this.#persist(own, async change => {
      await this.#join(change, bridge);
      id = own.id;
      if (await questions.isOpen(change.tx, id)) return questions.move(change.tx, id, bridge);
      // It may be there, if an earlier attempt only seemed to fail.
      if (!(await questions.isOpen(change.tx, anew))) await questions.add(change, { ...own, id: anew }, bridge);
      id = anew;
    });
    const isMoved = await move.catch(error => {
      if (error === declaredGone) throw error;
      own.owner.end(removedEnding);
      return false;
    });
    if (!isMoved) return;
    own.id = id;
    this.#joined(begun);
    changes().tell(own.principal);
  }

  /** Ends what bridges that are gone have left. */
  async #lookAtOthers(): Promise<void> {
    const { db, clock } = this.#options;
    const now = steadyNow(clock);
    const rows = await db.read(read => read.selectFrom('inbox_bridges').select(['id', 'beat']).execute());
    const others = rows.filter(({ id }) => id !== this.#bridge);
    for (const id of [...this.#others.keys()]) if (!others.some(each => each.id === id)) this.#others.delete(id);
    for (const { id, beat } of others) {
      const seen = this.#others.get(id);
      if (seen?.beat !== beat) this.#others.set(id, { beat, since: now });
      else if (now - seen.since >= goneMs) await this.#bury(id, beat);
    }
  }

  async #bury(bridge: string, beat: number): Promise<void> {
    const { db, questions, changes, approvals, announce } = this.#options;
    for (let isDone = false; !isDone; ) {
      const ended: EndedRow[] = [];
      const told = nobodyTold();
      isDone = await db.change('', async change => {
        const { tx } = change;
        const { numUpdatedRows } = await tx
          .updateTable('inbox_bridges')
          .set({ gone: 1 })
          .where('id', '=', bridge)
          .where('beat', '=', beat)
          .executeTakeFirstOrThrow();
        if (numUpdatedRows === 0n) return true;
        const left = await questions.leftBy(tx, bridge, endedAtOnce);
        for (const { id, how } of left) {
          const row = await questions.end(change, id, { how });
          if (row) ended.push(row);
        }
        if (left.length === endedAtOnce || !(await approvals().leftBy(change, bridge, told))) return false;
        await tx.deleteFrom('inbox_bridges').where('id', '=', bridge).execute();
        return true;
      });
      for (const row of ended) {
        changes().tell(row.principal);
        traceEnd(row);
      }
      announce(told);
    }
  }
}
