/**
 * The record: who was asked what kind of question when, and how it ended. Lines are only added, and contain no contents.
 *
 * - inbox-record-C1 Each line's digest covers the line and the digest before it, with a key: who can write only to the database cannot
 *   change, remove or reorder a line unnoticed. An earlier copy of the whole database is not noticed.
 * - inbox-record-C2 A line is written in the transaction of the change that it records.
 * - inbox-record-C3 The digest of an answer is keyed, and covers the question's id: neither a guess nor another answer tells what it was.
 */
import { MidcallError } from '@midcall/core/errors';
import { canonical } from '@midcall/core/json';
import { visible } from '@midcall/core/text';
import type { Clock } from '@midcall/core/time';
import { type Change, type InboxDatabase, parts } from './database.ts';
import type { RecordFilter, RecordLine, RecordOfInbox } from './inbox-store.ts';
import type { Sealed } from './sealed.ts';
import type { Tables } from './tables.ts';

type Row = Tables['inbox_record'];
/** What a line says, without what every line has. */
type Said = Pick<Row, 'event' | 'principal'> & Partial<Omit<Row, 'line' | 'at' | 'key' | 'digest'>>;

interface RecordedAt {
  readonly line: number;
  readonly at: number;
}

const empty = {
  ...{ question: null, server: null, host: null, kind: null, how: null, via: null, answer: null },
  ...{ approval: null, assurance: null },
};

/** How many lines are read at a time. */
const atOnce = 500;

export class InboxRecord implements RecordOfInbox {
  readonly #db: InboxDatabase;
  readonly #sealed: Sealed;
  readonly #clock: Pick<Clock, 'now'>;

  constructor(db: InboxDatabase, sealed: Sealed, clock: Pick<Clock, 'now'>) {
    this.#db = db;
    this.#sealed = sealed;
    this.#clock = clock;
  }

  /** Makes the head of an empty record, if there is none. @param keyCheck - a sealed text */
  async begin(keyCheck: string): Promise<void> {
    await this.#db.write(tx =>
      tx
        .insertInto('inbox_head')
        .values({ one: 1, line: 0, digest: '', proof: this.#proofOf(''), key_check: keyCheck })
        .onConflict(conflict => conflict.doNothing())
        .execute(),
    );
  }

  /** Adds a line. @returns its number and time */
  async add(change: Change, said: Said): Promise<RecordedAt> {
    return (await this.addAll(change, [said]))[0]!;
  }

  /** Adds lines. @returns their numbers and times */
  async addAll({ tx, head }: Change, all: readonly Said[]): Promise<readonly RecordedAt[]> {
    if (all.length === 0) return [];
    const { key } = this.#sealed;
    const at = this.#clock.now();
    const rows: Row[] = [];
    for (const said of all) {
      const line = { ...empty, ...said, line: head.line + 1, at, key };
      const digest = this.#digestOf(line, head.digest)!;
      rows.push({ ...line, digest });
      Object.assign(head, { line: line.line, digest });
    }
    for (const part of parts(rows)) await tx.insertInto('inbox_record').values(part).execute();
    await tx
      .updateTable('inbox_head')
      .set({ ...head, proof: this.#proofOf(head.digest) })
      .execute();
    return rows;
  }

  /** @param id - of the question */
  answerDigest(id: string, content: Readonly<Record<string, unknown>>): string {
    return this.#sealed.digest(canonical(['answer', id, content]))!;
  }

  async *search({ principal, server, from, to }: RecordFilter = {}): AsyncIterable<RecordLine> {
    for (let last = 0; ; ) {
      const rows = await this.#db.read(db => {
        let query = db.selectFrom('inbox_record').selectAll().where('line', '>', last);
        if (principal !== undefined) query = query.where('principal', '=', principal);
        if (server !== undefined) query = query.where('server', '=', server);
        if (from !== undefined) query = query.where('at', '>=', from);
        if (to !== undefined) query = query.where('at', '<=', to);
        return query.orderBy('line').limit(atOnce).execute();
      });
      for (const row of rows) yield lineOf(row);
      if (rows.length < atOnce) return;
      last = rows.at(-1)!.line;
    }
  }

  async verify(): ReturnType<RecordOfInbox['verify']> {
    const head = await this.#db.read(db => db.selectFrom('inbox_head').selectAll().executeTakeFirstOrThrow());
    let before = '';
    for (let last = 0; last < head.line; ) {
      const rows = await this.#db.read(db =>
        db
          .selectFrom('inbox_record')
          .selectAll()
          .where('line', '>', last)
          .where('line', '<=', head.line)
          .orderBy('line')
          .limit(atOnce)
          .execute(),
      );
      for (const row of rows) {
        if (row.line !== last + 1 || !this.#isWhole(row, before)) return { ok: false, at: last + 1 };
        last = row.line;
        before = row.digest;
      }
      if (rows.length === 0) return { ok: false, at: last + 1 };
    }
    const isHead = before === head.digest && this.#sealed.keys.some(key => this.#proofOf(before, key) === head.proof);
    return isHead ? { ok: true, lines: head.line } : { ok: false, at: head.line };
  }

  /** Of the head, so that nobody makes an earlier line the last one. */
  #proofOf(digest: string, key?: string): string {
    return this.#sealed.digest(JSON.stringify(['head', digest]), key)!;
  }

  #isWhole(row: Row, before: string): boolean {
    const digest = this.#digestOf(row, before);
    if (digest !== undefined) return digest === row.digest;
    throw new MidcallError(
      'server/setup',
      `Line ${row.line} of the record was made with another key (${visible(row.key, { max: 20 })}). Give that key after the new one.`,
    );
  }

  #digestOf(row: Omit<Row, 'digest'>, before: string): string | undefined {
    const { line, at, event, principal, question, server, host, kind, how, via, answer, approval, assurance } = row;
    const said = [before, line, at, event, principal, question, server, host, kind, how, via, answer];
    // Other lines were written before these two existed.
    if (approval !== null || assurance !== null) said.push(approval, assurance);
    return this.#sealed.digest(JSON.stringify(said), row.key);
  }
}

function lineOf({ key: _, ...row }: Row): RecordLine {
  return Object.fromEntries(Object.entries(row).filter(([, value]) => value !== null)) as never;
}
