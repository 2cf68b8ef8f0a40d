/**
 * The rows of questions and of the replies to them: a list for the person, and a mailbox for the process that asks.
 *
 * - inbox-questions-M1 A question that has ended never changes again: each statement that ends one, or takes a reply to it, finds it open.
 * - inbox-questions-M2 The order of questions and of ends is that of the record.
 * - inbox-questions-M3 A row that was changed by somebody without the key, or whose key is not there any more, is not shown, and holds up
 *   no other of a list. Such a reply does not count, and another one may be given.
 */
import { randomUUID } from 'node:crypto';
import { isMidcallError, MidcallError } from '@midcall/core/errors';
import { visible } from '@midcall/core/text';
import type { Ending, Question, Receipt, Reply } from '@midcall/host';
import type { ApprovalView, EndedQuestion, HostWait, OpenQuestion, PersonEnding } from '@midcall/host/web';
import { type ExpressionBuilder, type Kysely, type Selectable, sql } from 'kysely';
import { type Change, type InboxDatabase, parts, type Tx } from './database.ts';
import { tellLater } from './deliveries.ts';
import type { InboxRecord } from './record.ts';
import type { Sealed } from './sealed.ts';
import { replyState, type Tables } from './tables.ts';

/** A question as its process stores it. */
export interface NewQuestion {
  /** Of its row. It is the question's own unless the question had to be stored anew. */
  readonly id: string;
  readonly principal: string;
  readonly question: Question;
  readonly host?: string;
  readonly wait?: HostWait;
}

/** The question of an approval to one of those who are asked; what is asked is stored once, with the approval. */
export interface ApprovalQuestion {
  readonly principal: string;
  readonly approval: string;
  readonly server: string;
  readonly kind: Question['kind'];
  readonly askedAt: number;
}

/** The columns of an open question that its end needs. */
export type OpenRow = Pick<
  Selectable<Tables['inbox_questions']>,
  'id' | 'principal' | 'approval' | 'server' | 'host' | 'kind' | 'asked_at'
>;

/** What is stored as the content of an approval's question, in place of a question. */
export interface ApprovalReference {
  readonly approval: string;
}

/** Shows questions of approvals. */
export interface ApprovalReader {
  /**
   * @param rows - the ids of questions, and those of their approvals
   * @returns what is shown of each, by the id of its question; those whose approvals are gone are missing
   */
  shown(
    db: Kysely<Tables>,
    principal: string,
    rows: ReadonlyMap<string, string>,
  ): Promise<ReadonlyMap<string, { readonly question: Question; readonly approval: ApprovalView }>>;
}

/** A question that has just ended, without its contents. */
export interface EndedRow {
  readonly principal: string;
  readonly server: string;
  readonly host: string | null;
  readonly kind: string;
  readonly how: string;
  readonly via?: string;
  readonly askedAt: number;
  readonly endedAt: number;
}

/** A reply that its bridge has not handled yet. */
export interface WaitingReply {
  readonly id: string;
  readonly question: string;
  readonly reply: string;
}

/** Where a reply was given that came through the inbox. */
export const viaInbox = 'inbox';

/** The end of those who were removed. */
export const removedEnding: Ending = {
  how: 'refused-by-policy',
  decision: 'This person was removed from the inbox.',
};

/** How long what has ended is stored, in milliseconds. */
export const endedMs = 30 * 24 * 60 * 60 * 1_000;
/** How many replies to a question may wait for its bridge. */
const mostWaiting = 4;
/** How many rows are deleted in one transaction. */
const deletedAtOnce = 500;

const place = (what: 'wait' | 'ending' | 'reply' | 'receipt', id: string): string => `${what} ${id}`;
/** Nobody else can be shown a question by a change of its row. */
const questionPlace = (id: string, principal: string): string => `question ${id} ${principal}`;

/**
 * Text of somebody else that the record repeats. A line that had half a surrogate pair or U+0000 in it would not be read as it was
 * written, as if somebody had changed it.
 */
export const shortened = (text: string): string => visible(text, { max: 200 });

/** Whether a reply to a question has no receipt. */
const isSent = ({ exists, selectFrom }: ExpressionBuilder<Tables, 'inbox_questions'>) =>
  exists(
    selectFrom('inbox_replies')
      .select('inbox_replies.id')
      .whereRef('inbox_replies.question', '=', 'inbox_questions.id')
      .where('state', '<', replyState.done),
  ).as('sent');

/** Lets pages of people look again. */
export async function touch(tx: Tx, ...principals: readonly string[]): Promise<void> {
  const rows = [...new Set(principals)].map(principal => ({ principal, version: 1 }));
  for (const part of parts(rows)) {
    await tx
      .insertInto('inbox_people')
      .values(part.map(row => ({ ...row, name: null, seen_at: null, removed_at: null })))
      .onConflict(conflict =>
        conflict.column('principal').doUpdateSet(select => ({ version: select('inbox_people.version', '+', 1) })),
      )
      .execute();
  }
}

/**
 * Marks the open questions of a person who was removed, but for those of approvals: no reply to them is taken.
 * @returns the bridges that have to end them
 */
export async function refuseQuestions(tx: Tx, principal: string): Promise<readonly string[]> {
  const open = await tx
    .selectFrom('inbox_questions')
    .select('bridge')
    .distinct()
    .where('principal', '=', principal)
    .where('approval', 'is', null)
    .where('ended_line', 'is', null)
    .execute();
  await tx
    .updateTable('inbox_questions')
    .set({ refused: 1 })
    .where('principal', '=', principal)
    .where('approval', 'is', null)
    .where('ended_line', 'is', null)
    .execute();
  await touch(tx, principal);
  return open.map(({ bridge }) => bridge);
}

export class Questions {
  readonly #db: InboxDatabase;
  readonly #sealed: Sealed;
  readonly #record: InboxRecord;
  readonly #approvals: ApprovalReader;

  readonly #hasWebhook: boolean;
  readonly #onUnreadable: (error: unknown) => void;
  /** Of which it was told. */
  readonly #unreadable = new Set<string>();

  /**
   * @param hasWebhook - whether the operator's webhook is told of each question, too
   * @param onUnreadable - called once for each row that is not shown
   */
  constructor(
    db: InboxDatabase,
    sealed: Sealed,
    record: InboxRecord,
    approvals: ApprovalReader,
    hasWebhook: boolean,
    onUnreadable: (error: unknown) => void,
  ) {
    this.#db = db;
    this.#sealed = sealed;
    this.#record = record;
    this.#approvals = approvals;
    this.#hasWebhook = hasWebhook;
    this.#onUnreadable = onUnreadable;
  }

  // What the process that asks does.

  /** @throws MidcallError `host/refused` if the person was removed */
  async add(change: Change, { id, principal, question, host, wait }: NewQuestion, bridge: string): Promise<void> {
    const { tx } = change;
    await touch(tx, principal);
    const person = tx.selectFrom('inbox_people').select('removed_at').where('principal', '=', principal);
    if ((await person.executeTakeFirstOrThrow()).removed_at !== null) {
      throw new MidcallError('host/refused', 'The person was removed from the inbox, so nobody can be asked there.');
    }
    const said = {
      server: shortened(question.asker.id),
      host: host === undefined ? null : shortened(host),
      kind: question.kind,
    };
    const { line } = await this.#record.add(change, { event: 'asked', principal, question: id, ...said });
    await tx
      .insertInto('inbox_questions')
      .values({
        ...{ id, principal, bridge, approval: null, ...said },
        ...{ asked_line: line, asked_at: question.askedAt, ended_line: null, ended_at: null, how: null, refused: 0 },
        ...{ wait: this.#sealedWait(id, wait), ending: null },
      })
      .execute();
    const text = this.#sealed.seal({ ...question, id }, questionPlace(id, principal));
    await tx.insertInto('inbox_contents').values({ id, question: text }).execute();
    await tellLater(tx, [principal], { first: line, last: line }, this.#hasWebhook);
  }

  /** @param id - of its row. @returns false if it had ended, or was not stored */
  async isOpen(tx: Tx, id: string): Promise<boolean> {
    const row = tx.selectFrom('inbox_questions').select('id').where('id', '=', id).where('ended_line', 'is', null);
    return (await row.executeTakeFirst()) !== undefined;
  }

  /** Lets another bridge own an open question. */
  async move(tx: Tx, id: string, bridge: string): Promise<void> {
    await tx.updateTable('inbox_questions').set({ bridge }).where('id', '=', id).execute();
  }

  async setWait(tx: Tx, { id, principal }: NewQuestion, wait: HostWait): Promise<void> {
    await tx
      .updateTable('inbox_questions')
      .set({ wait: this.#sealedWait(id, wait) })
      .where('id', '=', id)
      .execute();
    await touch(tx, principal);
  }

  /**
   * Ends a question, unless it has ended.
   * @param options - `repliedBy`: the reply that ended it, if one of the mailbox did; others without a receipt are dropped.
   *   `keepsWait`: whether its host comes back for the result
   * @returns undefined if it had ended, or was not stored
   */
  async end(
    change: Change,
    id: string,
    ending: PersonEnding,
    { repliedBy, keepsWait = false }: { readonly repliedBy?: string | undefined; readonly keepsWait?: boolean } = {},
  ): Promise<EndedRow | undefined> {
    const { tx } = change;
    const row = await tx
      .selectFrom('inbox_questions')
      .select(openColumns)
      .where('id', '=', id)
      .where('ended_line', 'is', null)
      .executeTakeFirst();
    if (!row) return undefined;
    const [ended] = await this.endRows(change, [row], ending);
    if (!keepsWait) await tx.updateTable('inbox_questions').set({ wait: null }).where('id', '=', id).execute();
    if (repliedBy !== undefined) await this.#setReceipt(tx, repliedBy, { ok: true });
    await tx.deleteFrom('inbox_replies').where('question', '=', id).where('state', '<', replyState.done).execute();
    return ended;
  }

  /**
   * Ends questions that are open.
   * @param assurance - of the answer, where that is recorded
   * @returns each as it has ended, with its line in the record
   */
  async endRows(
    change: Change,
    rows: readonly OpenRow[],
    ending: PersonEnding,
    assurance?: string,
  ): Promise<readonly (EndedRow & { readonly line: number })[]> {
    const { tx } = change;
    const via = 'via' in ending ? { via: shortened(ending.via) } : {};
    const content = 'content' in ending ? ending.content : undefined;
    const lines = await this.#record.addAll(
      change,
      rows.map(({ asked_at: _, id, ...asked }) => ({
        ...{ event: 'ended', question: id, ...asked, how: ending.how, ...via },
        ...(content && { answer: this.#record.answerDigest(id, content) }),
        ...(assurance !== undefined && { assurance }),
      })),
    );
    const ended = rows.map((row, n) => {
      const { line, at } = lines[n]!;
      const { principal, server, host, kind, asked_at: askedAt } = row;
      return { principal, server, host, kind, how: ending.how, ...via, askedAt, endedAt: Math.max(at, askedAt), line };
    });
    const { how } = ending;
    const ends = rows.map(({ id }, n) => {
      const { line, endedAt } = ended[n]!;
      const sealed = this.#sealed.seal(ending, place('ending', id));
      return sql`(${id}, cast(${line} as bigint), cast(${endedAt} as bigint), ${sealed})`;
    });
    // An approval may have asked a thousand people, and others wait while their questions end.
    for (const part of parts(ends))
      await sql`with ends (id, line, at, ending) as (values ${sql.join(part)})
        update inbox_questions set ended_line = ends.line, ended_at = ends.at, how = ${how}, ending = ends.ending
        from ends where inbox_questions.id = ends.id`.execute(tx);
    await touch(tx, ...rows.map(({ principal }) => principal));
    return ended;
  }

  // What an approval does with the questions to those who are asked.

  /** Asks people; none of them was removed. */
  async addOfApprovals(change: Change, asked: readonly ApprovalQuestion[]): Promise<void> {
    const { tx } = change;
    const said = asked.map(({ principal, approval, server, kind }) => ({
      ...{ principal, approval, question: randomUUID() as string, server: shortened(server), kind },
    }));
    const lines = await this.#record.addAll(
      change,
      said.map(each => ({ event: 'asked', ...each })),
    );
    const rows = said.map(({ question: id, ...each }, n) => ({
      ...{ id, ...each, bridge: '', host: null, asked_line: lines[n]!.line, asked_at: asked[n]!.askedAt },
      ...{ ended_line: null, ended_at: null, how: null, refused: 0, wait: null, ending: null },
    }));
    const contents = rows.map(({ id, principal, approval }) => ({
      id,
      question: this.#sealed.seal({ approval } satisfies ApprovalReference, questionPlace(id, principal)),
    }));
    for (const part of parts(rows)) await tx.insertInto('inbox_questions').values(part).execute();
    for (const part of parts(contents)) await tx.insertInto('inbox_contents').values(part).execute();
    const people = asked.map(({ principal }) => principal);
    await touch(tx, ...people);
    const [first, last] = [lines[0], lines.at(-1)];
    if (first && last) await tellLater(tx, people, { first: first.line, last: last.line }, this.#hasWebhook);
  }

  /** The open questions of an approval, or those of one person to it. */
  openOfApproval(tx: Tx, approval: string, principal?: string): Promise<readonly OpenRow[]> {
    let rows = tx
      .selectFrom('inbox_questions')
      .select(openColumns)
      .where('approval', '=', approval)
      .where('ended_line', 'is', null);
    if (principal !== undefined) rows = rows.where('principal', '=', principal);
    return rows.execute();
  }

  /** How a question of an approval ended. */
  async endingOf(tx: Tx, id: string): Promise<Ending> {
    const row = tx.selectFrom('inbox_questions').select('ending').where('id', '=', id);
    return this.#sealed.open((await row.executeTakeFirstOrThrow()).ending!, place('ending', id));
  }

  /** The approval whose question this is, to this person; undefined for any other question. */
  async approvalOf(db: Kysely<Tables>, principal: string, id: string): Promise<string | undefined> {
    const row = await db
      .selectFrom('inbox_questions')
      .innerJoin('inbox_contents', 'inbox_contents.id', 'inbox_questions.id')
      .select('question')
      .where('inbox_questions.id', '=', id)
      .where('principal', '=', principal)
      .where('approval', 'is not', null)
      .executeTakeFirst();
    return row && this.#sealed.open<ApprovalReference>(row.question, questionPlace(id, principal)).approval;
  }

  /** Replies that wait for a bridge, in their order, and questions that it has to refuse. */
  async waitingFor(bridge: string): Promise<{ replies: readonly WaitingReply[]; refused: readonly string[] }> {
    const open = (db: Parameters<Parameters<InboxDatabase['read']>[0]>[0]) =>
      db.selectFrom('inbox_questions').where('bridge', '=', bridge).where('ended_line', 'is', null);
    return {
      replies: await this.#db.read(db =>
        open(db)
          .innerJoin('inbox_replies', 'inbox_replies.question', 'inbox_questions.id')
          .select(['inbox_replies.id', 'inbox_replies.question', 'reply'])
          .where('state', '<', replyState.done)
          .where('refused', '=', 0)
          .orderBy('place')
          .execute(),
      ),
      refused: (
        await this.#db.read(db => open(db).select('inbox_questions.id').where('refused', '=', 1).execute())
      ).map(({ id }) => id),
    };
  }

  /** Takes a reply out of the mailbox. @returns undefined if it does not count (any more), or cannot be read (inbox-questions-M3) */
  take(principal: string, { id, question, reply }: WaitingReply): Promise<Reply | undefined> {
    return this.#db.change(principal, async ({ tx }) => {
      const { numUpdatedRows } = await tx
        .updateTable('inbox_replies')
        .set({ state: replyState.taken })
        .where('id', '=', id)
        .where('state', '<', replyState.done)
        .where(({ exists, selectFrom }) =>
          exists(
            selectFrom('inbox_questions')
              .select('inbox_questions.id')
              .where('inbox_questions.id', '=', question)
              .where('ended_line', 'is', null)
              .where('refused', '=', 0),
          ),
        )
        .executeTakeFirstOrThrow();
      if (numUpdatedRows === 0n) return undefined;
      try {
        return this.#sealed.open<Reply>(reply, place('reply', id));
      } catch (error) {
        if (!isUnreadable(error)) throw error;
        this.#onUnreadable(error);
        await this.#setReceipt(tx, id, { ok: false, problem: 'unknown' });
        await touch(tx, principal);
        return undefined;
      }
    });
  }

  async answer(tx: Tx, { id }: WaitingReply, { principal }: NewQuestion, receipt: Receipt): Promise<void> {
    await this.#setReceipt(tx, id, receipt);
    await touch(tx, principal);
  }

  /** The next open questions of a bridge that is gone, with how each ends. */
  async leftBy(
    tx: Tx,
    bridge: string,
    limit: number,
  ): Promise<readonly { id: string; how: 'server-gone' | 'in-doubt' }[]> {
    const rows = await tx
      .selectFrom('inbox_questions')
      .select('inbox_questions.id')
      .select(({ exists, selectFrom }) =>
        exists(
          selectFrom('inbox_replies')
            .select('inbox_replies.id')
            .whereRef('inbox_replies.question', '=', 'inbox_questions.id')
            .where('state', '=', replyState.taken),
        ).as('taken'),
      )
      .where('bridge', '=', bridge)
      .where('ended_line', 'is', null)
      .limit(limit)
      .execute();
    return rows.map(({ id, taken }) => ({ id, how: taken ? 'in-doubt' : 'server-gone' }));
  }

  // What the person's pages do.

  async open(principal: string, from: number, limit: number): Promise<{ questions: OpenQuestion[]; count: number }> {
    return this.#db.read(async db => {
      const theirs = db
        .selectFrom('inbox_questions')
        .where('principal', '=', principal)
        .where('ended_line', 'is', null);
      const { count } = await theirs.select(row => row.fn.countAll<number>().as('count')).executeTakeFirstOrThrow();
      const page = theirs.select(['inbox_questions.id', 'asked_line', 'wait']).select(isSent).orderBy('asked_line');
      const rows = await db
        .selectFrom(page.limit(limit).offset(from).as('page'))
        .innerJoin('inbox_contents', 'inbox_contents.id', 'page.id')
        .select(['page.id', 'wait', 'sent', 'question'])
        .orderBy('asked_line')
        .execute();
      return { questions: (await this.#readable(db, principal, rows)).map(openOne), count };
    });
  }

  async ended(principal: string, from: number, limit: number): Promise<{ questions: EndedQuestion[]; count: number }> {
    return this.#db.read(async db => {
      const theirs = db
        .selectFrom('inbox_questions')
        .where('principal', '=', principal)
        .where('ended_line', 'is not', null);
      const { count } = await theirs.select(row => row.fn.countAll<number>().as('count')).executeTakeFirstOrThrow();
      const page = theirs
        .select(['inbox_questions.id', 'ended_line', 'ended_at', 'ending', 'wait'])
        .orderBy('ended_line', 'desc');
      const rows = await db
        .selectFrom(page.limit(limit).offset(from).as('page'))
        .innerJoin('inbox_contents', 'inbox_contents.id', 'page.id')
        .select(['page.id', 'ended_at', 'ending', 'wait', 'question'])
        .orderBy('ended_line', 'desc')
        .execute();
      return { questions: (await this.#readable(db, principal, rows)).map(endedOne), count };
    });
  }

  /** @param id - of a question, or of an approval of which one is or was this person's */
  async get(principal: string, id: string): Promise<OpenQuestion | EndedQuestion | undefined> {
    return this.#db.read(async db => {
      const row = await db
        .selectFrom('inbox_questions')
        .innerJoin('inbox_contents', 'inbox_contents.id', 'inbox_questions.id')
        .select(['inbox_questions.id', 'wait', 'ended_at', 'ending', 'question'])
        .select(isSent)
        .where(where => where.or([where('inbox_questions.id', '=', id), where('approval', '=', id)]))
        .where('principal', '=', principal)
        .orderBy('asked_line', 'desc')
        .executeTakeFirst();
      const [shown] = row ? await this.#shown(db, principal, [row]) : [];
      return shown && (row!.ending === null ? openOne(shown) : endedOne(shown));
    });
  }

  /**
   * Puts a reply into the mailbox.
   * @returns its id, and the bridge that has to take it; `full` if so many wait that it is not stored: the first that fits counts, and
   *   each may be large; undefined if the question is not open
   */
  put(principal: string, question: string, reply: Reply): Promise<{ id: string; bridge: string } | 'full' | undefined> {
    return this.#db.change(principal, async ({ tx }) => {
      const open = await tx
        .selectFrom('inbox_questions')
        .select('bridge')
        .where('id', '=', question)
        .where('principal', '=', principal)
        .where('approval', 'is', null)
        .where('ended_line', 'is', null)
        .executeTakeFirst();
      if (!open) return undefined;
      const waiting = await tx
        .selectFrom('inbox_replies')
        .select('id')
        .where('question', '=', question)
        .where('state', '<', replyState.done)
        .execute();
      if (waiting.length >= mostWaiting) return 'full';
      const earlier = await tx
        .selectFrom('inbox_replies')
        .select(row => row.fn.max('place').as('last'))
        .where('question', '=', question)
        .executeTakeFirst();
      const id = randomUUID();
      await tx
        .insertInto('inbox_replies')
        .values({
          ...{ id, question, place: (earlier?.last ?? 0) + 1, state: replyState.waiting },
          ...{ reply: this.#sealed.seal(reply, place('reply', id)), receipt: null },
        })
        .execute();
      await touch(tx, principal);
      return { id, bridge: open.bridge };
    });
  }

  /** What became of a reply; undefined if that is not decided. */
  async receiptOf(principal: string, question: string, id?: string): Promise<Receipt | undefined> {
    if (id !== undefined) {
      const row = await this.#db.read(db =>
        db.selectFrom('inbox_replies').select(['state', 'receipt']).where('id', '=', id).executeTakeFirst(),
      );
      if (row?.receipt) return this.#sealed.open<Receipt>(row.receipt, place('receipt', id));
      if (row) return undefined;
    }
    const found = await this.get(principal, question);
    if (!found || !('ending' in found)) return { ok: false, problem: 'unknown' };
    const { ending } = found;
    if (ending.how !== 'in-doubt') return { ok: false, problem: 'ended', ending };
    // Nobody will ever know more of it: this reply may be the one that was taken, or it came too late.
    return id === undefined ? { ok: false, problem: 'ended', ending: { how: 'server-gone' } } : undefined;
  }

  /** A number for each of these persons that grows with each change. */
  async versions(principals: readonly string[]): Promise<ReadonlyMap<string, number>> {
    const rows = await this.#db.read(db =>
      db.selectFrom('inbox_people').select(['principal', 'version']).where('principal', 'in', principals).execute(),
    );
    return new Map(rows.map(({ principal, version }) => [principal, version]));
  }

  /** Deletes what ended thirty days ago. */
  async deleteOld(now: number): Promise<void> {
    for (let deleted = deletedAtOnce; deleted === deletedAtOnce; ) {
      deleted = await this.#db.write(async tx => {
        const old = await tx
          .selectFrom('inbox_questions')
          .select('id')
          .where('ended_line', 'is not', null)
          .where('ended_at', '<=', now - endedMs)
          .limit(deletedAtOnce)
          .execute();
        const ids = old.map(({ id }) => id);
        if (ids.length === 0) return 0;
        await tx.deleteFrom('inbox_replies').where('question', 'in', ids).execute();
        await tx.deleteFrom('inbox_contents').where('id', 'in', ids).execute();
        await tx.deleteFrom('inbox_questions').where('id', 'in', ids).execute();
        return ids.length;
      });
    }
    await this.#db.write(tx => tx.deleteFrom('inbox_sessions').where('expires_at', '<=', now).execute());
  }

  #sealedWait(id: string, wait: HostWait | undefined): string | null {
    return wait ? this.#sealed.seal(wait, place('wait', id)) : null;
  }

  async #setReceipt(tx: Tx, id: string, receipt: Receipt): Promise<void> {
    await tx
      .updateTable('inbox_replies')
      // The reply itself is not needed any more.
      .set({ state: replyState.done, reply: '', receipt: this.#sealed.seal(receipt, place('receipt', id)) })
      .where('id', '=', id)
      .where('state', '=', replyState.taken)
      .execute();
  }

  /** Those of {@link #shown} that can be read (inbox-questions-M3). */
  async #readable<R extends StoredRow>(db: Kysely<Tables>, principal: string, rows: readonly R[]): Promise<Shown<R>[]> {
    try {
      return await this.#shown(db, principal, rows);
    } catch (error) {
      if (!isUnreadable(error)) throw error;
    }
    const found: Shown<R>[] = [];
    for (const row of rows) {
      try {
        found.push(...(await this.#shown(db, principal, [row])));
      } catch (error) {
        if (!isUnreadable(error)) throw error;
        if (!this.#unreadable.has(row.id)) this.#onUnreadable(error);
        this.#unreadable.add(row.id);
      }
    }
    return found;
  }

  /** Rows of one person with what is shown of them. */
  async #shown<R extends StoredRow>(db: Kysely<Tables>, principal: string, rows: readonly R[]): Promise<Shown<R>[]> {
    const approvals = new Map<string, string>();
    const opened = rows.map(row => {
      const content = this.#sealed.open<Question | ApprovalReference>(row.question, questionPlace(row.id, principal));
      if (!('kind' in content)) approvals.set(row.id, content.approval);
      return {
        row,
        question: content as Question,
        wait: row.wait === null ? undefined : this.#sealed.open<HostWait>(row.wait, place('wait', row.id)),
        ending: row.ending == null ? undefined : this.#sealed.open<PersonEnding>(row.ending, place('ending', row.id)),
      };
    });
    if (approvals.size === 0) return opened;
    const ofApprovals = await this.#approvals.shown(db, principal, approvals);
    return opened.flatMap(shown => {
      if (!approvals.has(shown.row.id)) return [shown];
      const ofApproval = ofApprovals.get(shown.row.id);
      if (!ofApproval) return [];
      if (shown.ending?.how !== 'refused-by-policy') return [{ ...shown, ...ofApproval }];
      // Who has left is not told what the others do.
      const { group: _, outcome: __, ...asked } = ofApproval.approval;
      return [{ ...shown, ...ofApproval, approval: { ...asked, votes: [] } }];
    });
  }
}

/** What {@link Sealed.open} throws. */
const isUnreadable = (error: unknown): boolean =>
  isMidcallError(error, 'store/corrupt') || isMidcallError(error, 'server/setup');

const openColumns = ['id', 'principal', 'approval', 'server', 'host', 'kind', 'asked_at'] as const;

interface StoredRow {
  readonly id: string;
  readonly question: string;
  readonly wait: string | null;
  readonly ending?: string | null;
}

interface Shown<R> {
  readonly row: R;
  readonly question: Question;
  readonly approval?: ApprovalView;
  readonly wait: HostWait | undefined;
  readonly ending: PersonEnding | undefined;
}

const openOne = ({ row, question, approval, wait }: Shown<{ readonly sent?: unknown }>): OpenQuestion => ({
  question,
  ...(approval && { approval }),
  ...(wait && { wait }),
  ...(row.sent ? { sent: true } : {}),
});

const endedOne = ({
  row,
  question,
  approval,
  wait,
  ending,
}: Shown<{ readonly ended_at: number | null }>): EndedQuestion => ({
  question,
  ...(approval && { approval }),
  ending: ending!,
  endedAt: row.ended_at!,
  ...(wait && { wait }),
});
