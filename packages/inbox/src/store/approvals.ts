/**
 * Questions that a server asks of several people, or of one who has to use a passkey. No process owns them: the database is where votes
 * are counted.
 *
 * - inbox-approvals-A1 Whatever happens to an approval is one transaction that happens alone: a vote, its count and the end of all. So
 *   there is one outcome, and it never changes.
 * - inbox-approvals-A2 Who is asked has an open question, or a vote, and nobody else has: when a person is removed or leaves the group,
 *   both end, and when they join it, they are asked.
 * - inbox-approvals-A3 Two answers of one person are one vote, and the first one counts.
 * - inbox-approvals-A4 Time has passed when the clock of the process says so that votes, looks or lists.
 * - inbox-approvals-A5 Each person who is asked is a change of the database, and changes happen one at a time. So one requester may have
 *   only so many people asked within a minute, and whoever lists their questions waits for the end of no others.
 */
import { MidcallError } from '@midcall/core/errors';
import { isCardNumber } from '@midcall/core/form';
import { canonical } from '@midcall/core/json';
import { checkAsked } from '@midcall/core/json-schema';
import { visible } from '@midcall/core/text';
import { type Clock, steadyNow } from '@midcall/core/time';
import {
  type CallQuestion,
  type Ending,
  type FormQuestion,
  mask,
  type Receipt,
  type Reply,
  secretsOf,
} from '@midcall/host';
import type { Present } from '@midcall/host/web';
import {
  type ApprovalAsk,
  type ApprovalOutcome,
  type ApprovalStanding,
  principalId,
  readPrincipalId,
} from '@midcall/server';
import type { ExpressionBuilder, Kysely } from 'kysely';
import {
  type ApprovalRow,
  type ApprovalRows,
  countOf,
  questionOf,
  type StoredOutcome,
  type StoredVote,
} from './approval-reader.ts';
import type { Change, InboxDatabase, Tx } from './database.ts';
import { type Groups, mostMembers, withoutRemoved } from './groups.ts';
import type { InboxAsk } from './inbox-store.ts';
import { isPasskeyOf, passkeyHolders } from './passkeys.ts';
import {
  type ApprovalQuestion,
  type EndedRow,
  type Questions,
  removedEnding,
  shortened,
  viaInbox,
} from './questions.ts';
import type { InboxRecord } from './record.ts';
import type { Tables } from './tables.ts';

/** How many may be open, and how many people may be asked for one requester within a minute. */
const most = { ofRequester: 100, inAll: 10_000, askedInMinute: 5_000 };
/** The most characters of JSON of a question with its call: every page of everybody who is asked reads all of it. */
const longestAsk = 256 * 1024;
/** How many of those that have timed out end at a time. */
const expiredAtOnce = 100;
const minuteMs = 60_000;
/** How many of those of a process that is gone end in one transaction: each may concern a thousand people. */
const leftAtOnce = 10;

/** Who has to be told of a change, once it is made. */
export interface Told {
  readonly people: Set<string>;
  readonly approvals: Set<string>;
  readonly ended: EndedRow[];
}

export const nobodyTold = (): Told => ({ people: new Set(), approvals: new Set(), ended: [] });

/** What approvals need. */
export interface ApprovalsOptions {
  readonly db: InboxDatabase;
  readonly questions: Questions;
  readonly record: InboxRecord;
  readonly stored: ApprovalRows;
  readonly groups: Groups;
  /** At which people sign in. */
  readonly issuer: string;
  /** The address of these inboxes. */
  readonly home: string;
  readonly clock: Pick<Clock, 'now'>;
  /** Tells people and servers of a change. */
  readonly announce: (told: Told) => void;
}

/** The people who are asked now, or why they cannot be. */
type Members =
  | { readonly members: ReadonlySet<string>; readonly why?: never }
  | { readonly why: string; readonly members?: never };

type Wanted = Pick<ApprovalAsk, 'from' | 'requester'>;

const unknownRequester = 'Let midcall({ principal }) say whose call it is.';
const people = (count: number): string => (count === 1 ? '1 person' : `${count} people`);
const leftEnding: Ending = { how: 'refused-by-policy', decision: 'This person is no longer in the group.' };

export class Approvals {
  readonly #options: ApprovalsOptions;
  /** When this process asked people within the last minute, and how many, by their requesters. */
  readonly #asks = new Map<string, readonly { readonly at: number; readonly people: number }[]>();

  constructor(options: ApprovalsOptions) {
    this.#options = options;
  }

  // What servers do.

  async whyNot(wanted: Pick<ApprovalAsk, 'from' | 'requester' | 'assurance'>): Promise<string | undefined> {
    const { db } = this.#options;
    const { members, why } = await db.read(read => this.#members(read, wanted));
    if (!members || wanted.assurance !== 'present') return why;
    const count = await passkeyHolders(db, [...members]);
    if (wanted.from === 'requester')
      return count > 0
        ? undefined
        : 'The requester has to answer with a passkey, and has none. They can add one in their inbox.';
    const { from } = wanted;
    const holding =
      count === 0 ? 'none of them has' : count === 1 ? 'only one of them has' : `only ${count} of them have`;
    return count >= from.count
      ? undefined
      : `${people(from.count)} of the group ${JSON.stringify(from.group)} must answer with a passkey, but ${holding} one. They can add one in their inboxes.`;
  }

  /**
   * Stores a question, unless it is stored.
   * @param join - of a process for which alone it is asked
   * @throws MidcallError `ask/unavailable` if these people can never give the answer, or too many questions are open
   */
  async ask(ask: InboxAsk, join?: (change: Change) => Promise<string>): Promise<void> {
    const { db, questions, record, stored, groups, home, clock } = this.#options;
    const { id, from, server, dueAt } = ask;
    if (await db.read(read => this.#row(read, id))) return;
    // Refuses a form that cannot be shown.
    questionOf(ask, id);
    const refuse = (why: string): never => {
      throw new MidcallError('ask/unavailable', why);
    };
    const { length } = JSON.stringify(ask);
    if (length > longestAsk)
      refuse(
        `With the arguments of its call, the question has ${length} characters of JSON; approvers can read at most ${longestAsk}. Ask about less.`,
      );
    const requester = ask.requester ? principalId(ask.requester) : '';
    const whose = requester === '' ? 'requesters who are not known' : 'this requester';
    const tooMany = `At most ${most.askedInMinute} people may be asked for ${whose} within a minute, and they would be more. Wait a minute, or ask fewer.`;
    // Who the members are takes a while to read.
    if (this.#mayAsk(requester) === 0) refuse(tooMany);
    const problem = await this.whyNot(ask);
    if (problem !== undefined) refuse(problem);
    await this.#change(requester, async (change, told) => {
      const { tx } = change;
      if (await this.#row(tx, id)) return;
      const { members, why } = await this.#members(tx, ask);
      if (!members) return refuse(why);
      const open = tx
        .selectFrom('inbox_approvals')
        .where('ended_at', 'is', null)
        .where('due_at', '>', clock.now())
        .select(row => row.fn.countAll<number>().as('count'));
      if ((await open.where('requester', '=', requester).executeTakeFirstOrThrow()).count >= most.ofRequester)
        refuse(
          `${most.ofRequester} questions of ${whose} wait for approvers, which is the most that may. Wait until some have ended, or withdraw them.`,
        );
      if ((await open.executeTakeFirstOrThrow()).count >= most.inAll)
        refuse(`${most.inAll} questions wait for approvers, which is the most that may. Wait until some have ended.`);
      if (this.#mayAsk(requester) < members.size) refuse(tooMany);
      this.#hasAsked(requester, members.size);
      await tx
        .insertInto('inbox_approvals')
        .values({
          ...{ id, home, requester, due_at: dueAt, version: 0, ended_at: null, outcome: null },
          bridge: join ? await join(change) : null,
          ...{ group_name: from === 'requester' ? null : from.group, by_claim: groups.byClaim ? 1 : 0 },
          asked: stored.sealAsk(ask, home),
        })
        .execute();
      await record.add(change, {
        event: 'requested',
        principal: requester,
        approval: id,
        server: shortened(server),
      });
      await questions.addOfApprovals(
        change,
        [...members].map(principal => askedOf(ask, principal)),
      );
      for (const principal of members) told.people.add(principal);
    });
  }

  /** How many more people may be asked for a requester now (inbox-approvals-A5). */
  #mayAsk(requester: string): number {
    const now = steadyNow(this.#options.clock);
    for (const [each, asks] of this.#asks) {
      const late = asks.filter(({ at }) => now - at < minuteMs);
      if (late.length > 0) this.#asks.set(each, late);
      else this.#asks.delete(each);
    }
    return (this.#asks.get(requester) ?? []).reduce((left, ask) => left - ask.people, most.askedInMinute);
  }

  #hasAsked(requester: string, people: number): void {
    const asks = this.#asks.get(requester) ?? [];
    this.#asks.set(requester, [...asks, { at: steadyNow(this.#options.clock), people }]);
  }

  async look(id: string): Promise<ApprovalStanding | undefined> {
    const { db, stored, clock } = this.#options;
    const found = await db.read(read => this.#row(read, id));
    if (!found) return undefined;
    if (found.ended_at === null && found.due_at <= clock.now()) await this.#expire(found);
    return db.read(async read => {
      const row = (await this.#row(read, id))!;
      const outcome = stored.outcome(row);
      const votes = (await stored.votes(read, [id])).get(id)!;
      const counted =
        outcome?.how === 'answered'
          ? votes.filter(({ content }) => content && canonical(content) === canonical(outcome.content))
          : votes;
      return {
        votes: counted.map(({ content: _, credential: __, principal: ___, ...vote }) => vote),
        ...(outcome && { outcome: outcomeFor(outcome) }),
      };
    });
  }

  async withdraw(id: string): Promise<void> {
    const found = await this.#options.db.read(read => this.#row(read, id));
    if (found && found.ended_at !== null) return;
    // One that cannot be found may be on its way.
    await this.#change(found?.requester ?? '', async (change, told) => {
      const row = await this.#open(change.tx, id);
      if (row) await this.#end(change, row, { how: 'withdrawn' }, told);
    });
  }

  /** A number for each of these that grows with each change. */
  async versions(ids: readonly string[]): Promise<ReadonlyMap<string, number>> {
    const rows = await this.#options.db.read(db =>
      db.selectFrom('inbox_approvals').select(['id', 'version']).where('id', 'in', ids).execute(),
    );
    return new Map(rows.map(({ id, version }) => [id, version]));
  }

  // What people do.

  /**
   * Takes the answer of a person to their question.
   * @param proof - of a passkey that was verified for exactly this question and reply
   * @returns undefined for a question that is not one of an approval
   */
  async vote(principal: string, id: string, reply: Reply, proof: Present | undefined): Promise<Receipt | undefined> {
    const { db, questions } = this.#options;
    const approval = await db.read(read => questions.approvalOf(read, principal, id));
    if (approval === undefined) return undefined;
    return this.#change(principal, (change, told) =>
      this.#vote(change, { principal, id, approval }, reply, proof, told),
    );
  }

  async #vote(
    change: Change,
    { principal, id, approval }: { readonly principal: string; readonly id: string; readonly approval: string },
    reply: Reply,
    proof: Present | undefined,
    told: Told,
  ): Promise<Receipt> {
    const { questions, stored, clock } = this.#options;
    const { tx } = change;
    const row = await this.#open(tx, approval);
    if (row && row.due_at <= clock.now()) await this.#end(change, row, { how: 'timed-out' }, told);
    const open = (await questions.openOfApproval(tx, approval, principal)).find(each => each.id === id);
    if (!row || !open) return { ok: false, problem: 'ended', ending: await questions.endingOf(tx, id) };
    const ask = stored.ask(row);
    const question = questionOf(ask, id);
    const { action } = reply;
    if (action !== 'accept' && action !== 'decline' && action !== 'dismiss')
      throw new TypeError('A reply accepts, declines or dismisses.');
    const wrong = (rule: string, message: string): Receipt => ({
      ok: false,
      problem: 'invalid',
      issues: [{ rule, message }],
    });
    if (action === 'dismiss' && ask.from !== 'requester')
      return wrong('action', 'Whoever is asked with others agrees, or refuses, or leaves it open.');
    if (ask.assurance === 'present' && !proof && action !== 'dismiss')
      return wrong('assurance', 'This question has to be answered with a passkey.');
    if (proof && !(await isPasskeyOf(tx, principal, proof.credential)))
      return wrong('assurance', 'This passkey was revoked.');
    const checked = action === 'accept' ? checkAgreed(question, reply.content) : undefined;
    if (checked?.ok === false) return { ok: false, problem: 'invalid', issues: checked.issues };
    const content = checked?.content;
    const assurance = proof ? 'present' : 'verified';
    const ending: Ending = content
      ? { how: 'answered', via: viaInbox, content: masked(question, content) }
      : { how: action === 'dismiss' ? 'dismissed' : 'declined', via: viaInbox };
    const [ended] = await questions.endRows(change, [open], ending, assurance);
    told.ended.push(ended!);
    if (action === 'dismiss') {
      await this.#end(change, row, { how: 'dismissed' }, told);
      return { ok: true };
    }
    const vote: StoredVote = {
      ...readPrincipalId(principal),
      ...named((await stored.names(tx, [principal])).get(principal)),
      ...{ action, assurance, at: clock.now() },
      ...(content && { content }),
      ...(proof && { credential: proof.credential }),
    };
    await tx
      .insertInto('inbox_votes')
      .values({ approval, principal, line: ended!.line, vote: stored.sealVote(approval, principal, vote) })
      .execute();
    await this.#settle(change, row, told);
    return { ok: true };
  }

  /** Ends what a person who was removed was asked, and takes back their votes. */
  async removed(change: Change, principal: string, told: Told): Promise<void> {
    for (const row of await this.#of(change.tx, principal))
      await this.#leave(change, row, principal, removedEnding, told);
  }

  /**
   * Asks a person who has signed in what their groups are asked, and asks them no longer what others are.
   * @param claimed - the groups of their claim; absent if claims do not count here
   */
  async signedIn(change: Change, principal: string, claimed: readonly string[] | undefined, told: Told): Promise<void> {
    const { groups, questions, home, stored, clock } = this.#options;
    const { tx } = change;
    const before = await groups.claimed(tx, principal);
    const now = claimed ?? before;
    if (claimed) await groups.setClaimed(tx, principal, claimed);
    const names = groups.namesOf(principal);
    const isNamed = (at: string, group: string): boolean => at === home && names.includes(group);
    const lost = before.filter(group => !now.includes(group));
    for (const row of await this.#of(tx, principal)) {
      const ask = stored.askIfReadable(row);
      const group = ask && groupOf(ask);
      if (row.by_claim === 1 && group !== undefined && lost.includes(group) && !isNamed(row.home, group))
        await this.#leave(change, row, principal, leftEnding, told);
    }
    const theirs = [...new Set([...now, ...names])];
    if (theirs.length === 0) return;
    const rows = await tx
      .selectFrom('inbox_approvals')
      .selectAll()
      .where('ended_at', 'is', null)
      .where('due_at', '>', clock.now())
      .where('group_name', 'in', theirs)
      .where(row => row.not(isAsked(row, principal)))
      .execute();
    const joined: InboxAsk[] = [];
    for (const row of rows) {
      const ask = stored.askIfReadable(row);
      // Who can write to the database can change its column of groups, and not what was asked.
      const group = ask && groupOf(ask);
      if (!ask || group === undefined || isExcluded(ask, principal)) continue;
      if (!isNamed(row.home, group) && !(row.by_claim === 1 && now.includes(group))) continue;
      if ((await this.#asked(tx, row.id)).size >= mostMembers) continue;
      joined.push(ask);
    }
    await questions.addOfApprovals(
      change,
      joined.map(ask => askedOf(ask, principal)),
    );
    told.people.add(principal);
  }

  // What time, and a new configuration, do.

  /**
   * Withdraws what was asked for a process alone that is gone.
   * @returns false if there may be more
   */
  async leftBy(change: Change, bridge: string, told: Told): Promise<boolean> {
    const rows = await change.tx
      .selectFrom('inbox_approvals')
      .selectAll()
      .where('ended_at', 'is', null)
      .where('bridge', '=', bridge)
      .limit(leftAtOnce)
      .execute();
    for (const row of rows) await this.#end(change, row, { how: 'withdrawn' }, told);
    return rows.length < leftAtOnce;
  }

  /** Ends what has timed out. @param principal - who is asked; everybody if absent */
  async expire(principal?: string): Promise<void> {
    const { db, clock } = this.#options;
    for (let ended = expiredAtOnce; ended === expiredAtOnce; ) {
      const due = await db.read(read => {
        const rows = read
          .selectFrom('inbox_approvals')
          .select(['id', 'requester'])
          .where('ended_at', 'is', null)
          .where('due_at', '<=', clock.now());
        return (principal === undefined ? rows : rows.where(row => isAsked(row, principal)))
          .limit(expiredAtOnce)
          .execute();
      });
      for (const each of due) await this.#expire(each);
      ended = due.length;
    }
  }

  #expire({ id, requester }: Pick<ApprovalRow, 'id' | 'requester'>): Promise<void> {
    return this.#change(requester, async (change, told) => {
      const row = await this.#open(change.tx, id);
      if (row && row.due_at <= this.#options.clock.now()) await this.#end(change, row, { how: 'timed-out' }, told);
    });
  }

  /** Lets the groups of this configuration count for what was asked from here before. */
  async reconfigure(): Promise<void> {
    const { db, home, groups } = this.#options;
    const rows = await db.read(read =>
      read.selectFrom('inbox_approvals').select('id').where('ended_at', 'is', null).where('home', '=', home).execute(),
    );
    for (const { id } of rows) {
      await this.#change('', async (change, told) => {
        const { tx } = change;
        const row = await this.#open(tx, id);
        if (!row) return;
        const by_claim = groups.byClaim ? 1 : 0;
        if (row.by_claim !== by_claim)
          await tx.updateTable('inbox_approvals').set({ by_claim }).where('id', '=', id).execute();
        await this.#followGroup(change, row, told);
      });
    }
  }

  async #followGroup(change: Change, row: ApprovalRow, told: Told): Promise<void> {
    const { questions, stored, groups } = this.#options;
    const ask = stored.askIfReadable(row);
    const group = ask && groupOf(ask);
    if (!ask || group === undefined) return;
    const members = await groups.members(change.tx, group);
    const before = await this.#asked(change.tx, row.id);
    const joined = [...members].filter(each => !before.has(each) && !isExcluded(ask, each)).slice(0, mostMembers);
    await questions.addOfApprovals(
      change,
      joined.map(principal => askedOf(ask, principal)),
    );
    for (const principal of joined) told.people.add(principal);
    for (const principal of before)
      if (!members.has(principal)) await this.#leave(change, row, principal, leftEnding, told);
  }

  /** Deletes what ended long ago, once the questions to people are deleted. */
  async deleteOld(endedBefore: number): Promise<void> {
    await this.expire();
    await this.#options.db.write(async tx => {
      const old = await tx
        .selectFrom('inbox_approvals')
        .select('id')
        .where('ended_at', 'is not', null)
        .where('ended_at', '<=', endedBefore)
        .where(({ not, exists, selectFrom }) =>
          not(
            exists(
              selectFrom('inbox_questions')
                .select('inbox_questions.id')
                .whereRef('approval', '=', 'inbox_approvals.id')
                .where('approval', 'is not', null),
            ),
          ),
        )
        .limit(500)
        .execute();
      const ids = old.map(({ id }) => id);
      if (ids.length === 0) return;
      await tx.deleteFrom('inbox_votes').where('approval', 'in', ids).execute();
      await tx.deleteFrom('inbox_approvals').where('id', 'in', ids).execute();
    });
  }

  // What all of it is made of.

  /** A change, of which everybody concerned is told once it is made. @param turn - see {@link InboxDatabase.change} */
  async #change<T>(turn: string, work: (change: Change, told: Told) => Promise<T>): Promise<T> {
    const told = nobodyTold();
    const result = await this.#options.db.change(turn, change => work(change, told));
    this.#options.announce(told);
    return result;
  }

  #row(db: Kysely<Tables>, id: string): Promise<ApprovalRow | undefined> {
    return db.selectFrom('inbox_approvals').selectAll().where('id', '=', id).executeTakeFirst();
  }

  #open(db: Kysely<Tables>, id: string): Promise<ApprovalRow | undefined> {
    return db
      .selectFrom('inbox_approvals')
      .selectAll()
      .where('id', '=', id)
      .where('ended_at', 'is', null)
      .executeTakeFirst();
  }

  /** The people who are asked now. */
  async #members(db: Kysely<Tables>, { from, requester }: Wanted): Promise<Members> {
    const { issuer } = this.#options;
    // Under another issuer's name, a member of the group would not be recognized as the requester.
    const isElsewhere = requester !== undefined && requester.issuer !== issuer;
    const elsewhere = (): Members => ({
      why: `The requester must be known by the issuer at which people sign in to the inbox, ${issuer}; this one is known by ${visible(requester!.issuer, { max: 200 })}. ${unknownRequester}`,
    });
    if (from === 'requester') {
      if (!requester) return { why: `Nobody knows who the requester is, so no inbox is theirs. ${unknownRequester}` };
      if (isElsewhere) return elsewhere();
      const members = await withoutRemoved(db, new Set([principalId(requester)]));
      return members.size > 0 ? { members } : { why: 'The requester was removed from the inbox.' };
    }
    const { group, count, not } = from;
    const called = `the group ${JSON.stringify(group)}`;
    if (not && !requester)
      return { why: `The requester may not answer for ${called}, but nobody knows who that is. ${unknownRequester}` };
    if (not && isElsewhere) return elsewhere();
    const { groups } = this.#options;
    const all = await groups.members(db, group);
    if (all.size === 0 && !groups.isNamed(group)) {
      if (groups.byClaim) return { why: `Nobody who has signed in to the inbox is in ${called}.` };
      return { why: `The inbox does not know ${called}. Name its people in openInbox({ groups }).` };
    }
    if (all.size > mostMembers)
      return { why: `At most ${mostMembers} people can be asked; ${called} has ${all.size}.` };
    const members = new Set([...all].filter(each => !isExcluded({ from, requester }, each)));
    if (members.size >= count) return { members };
    const besides = members.size < all.size ? ' besides the requester' : '';
    const has = members.size === 0 ? 'no members' : members.size === 1 ? 'one member' : `${members.size} members`;
    return { why: `${people(count)} of ${called} must agree, but it has ${has}${besides}.` };
  }

  /** Everybody who has an open question, or a vote. */
  async #asked(tx: Tx, id: string): Promise<ReadonlySet<string>> {
    const open = await this.#options.questions.openOfApproval(tx, id);
    const voters = await tx.selectFrom('inbox_votes').select('principal').where('approval', '=', id).execute();
    return new Set([...open, ...voters].map(({ principal }) => principal));
  }

  /** The open approvals that ask a person, or asked them and have their vote. */
  async #of(tx: Tx, principal: string): Promise<readonly ApprovalRow[]> {
    return tx
      .selectFrom('inbox_approvals')
      .selectAll()
      .where('ended_at', 'is', null)
      .where(row => isAsked(row, principal))
      .execute();
  }

  async #leave(change: Change, row: ApprovalRow, principal: string, ending: Ending, told: Told): Promise<void> {
    const { questions, record } = this.#options;
    const { tx } = change;
    const { id: approval } = row;
    if (!(await this.#open(tx, approval))) return;
    const open = await questions.openOfApproval(tx, approval, principal);
    told.ended.push(...(await questions.endRows(change, open, ending)));
    told.people.add(principal);
    const { numDeletedRows } = await tx
      .deleteFrom('inbox_votes')
      .where('approval', '=', approval)
      .where('principal', '=', principal)
      .executeTakeFirstOrThrow();
    if (numDeletedRows > 0n) await record.add(change, { event: 'voided', principal, approval });
    await this.#settle(change, row, told);
  }

  /** Ends an approval if its votes decide it; otherwise, everybody looks at the votes again. */
  async #settle(change: Change, row: ApprovalRow, told: Told): Promise<void> {
    const { questions, stored } = this.#options;
    const { tx } = change;
    const ask = stored.askIfReadable(row);
    if (!ask) return this.#end(change, row, { how: 'withdrawn' }, told);
    const votes = (await stored.votes(tx, [row.id])).get(row.id)!;
    const left = await questions.openOfApproval(tx, row.id);
    const outcome = decided(countOf(ask), votes, left.length);
    if (outcome) return this.#end(change, row, outcome, told);
    await tx
      .updateTable('inbox_approvals')
      .set(select => ({ version: select('version', '+', 1) }))
      .where('id', '=', row.id)
      .execute();
    await this.#touchAll(tx, row.id, told);
  }

  async #end(change: Change, row: ApprovalRow, outcome: StoredOutcome, told: Told): Promise<void> {
    const { questions, record, stored } = this.#options;
    const { tx } = change;
    const { id, requester } = row;
    const ask = stored.askIfReadable(row);
    const server = ask ? shortened(ask.server) : null;
    const { at } = await record.add(change, {
      ...{ event: 'decided', principal: requester, approval: id, server, how: outcome.how },
      ...(outcome.how === 'answered' && { answer: record.answerDigest(id, outcome.content) }),
    });
    await tx
      .updateTable('inbox_approvals')
      .set({ ended_at: Math.max(at, ask?.askedAt ?? at), outcome: stored.sealOutcome(id, outcome) })
      .set(select => ({ version: select('version', '+', 1) }))
      .where('id', '=', id)
      .execute();
    const open = await questions.openOfApproval(tx, id);
    const how = outcome.how === 'timed-out' ? 'timed-out' : 'withdrawn';
    told.ended.push(...(await questions.endRows(change, open, { how })));
    await this.#touchAll(tx, id, told);
  }

  /** Lets the pages of everybody who is or was asked look again. */
  async #touchAll(tx: Tx, id: string, told: Told): Promise<void> {
    const rows = await tx
      .selectFrom('inbox_questions')
      .select('principal')
      .distinct()
      .where('approval', '=', id)
      .execute();
    for (const { principal } of rows) told.people.add(principal);
    await tx
      .updateTable('inbox_people')
      .set(select => ({ version: select('version', '+', 1) }))
      .where('principal', 'in', select =>
        select.selectFrom('inbox_questions').select('inbox_questions.principal').where('approval', '=', id),
      )
      .execute();
    told.approvals.add(id);
  }
}

/** Whether an approval asks a person, or has their vote. */
const isAsked = ({ or, exists, selectFrom }: ExpressionBuilder<Tables, 'inbox_approvals'>, principal: string) =>
  or([
    exists(
      selectFrom('inbox_questions')
        .select('inbox_questions.id')
        .whereRef('inbox_questions.approval', '=', 'inbox_approvals.id')
        .where('inbox_questions.principal', '=', principal)
        .where('inbox_questions.ended_line', 'is', null),
    ),
    exists(
      selectFrom('inbox_votes')
        .select('inbox_votes.approval')
        .whereRef('inbox_votes.approval', '=', 'inbox_approvals.id')
        .where('inbox_votes.principal', '=', principal),
    ),
  ]);

/** Whose members are asked; undefined if the requester is. */
const groupOf = ({ from }: InboxAsk): string | undefined => (from === 'requester' ? undefined : from.group);

/** The question of an approval to one person. */
const askedOf = (ask: InboxAsk, principal: string): ApprovalQuestion => {
  const { id: approval, server, askedAt } = ask;
  return { principal, approval, server, kind: 'why' in ask ? 'call' : 'form', askedAt };
};

/** Whether a person may not answer since it is their call. */
const isExcluded = ({ from, requester }: Wanted, principal: string): boolean =>
  from !== 'requester' && from.not === 'requester' && requester !== undefined && principalId(requester) === principal;

/** What votes decide; undefined while some content can still get enough of them. @param left - how many have not answered */
function decided(count: number, votes: readonly StoredVote[], left: number): StoredOutcome | undefined {
  const agreed = new Map<string, number>();
  let most = 0;
  for (const { content } of votes) {
    if (!content) continue;
    const same = canonical(content);
    const now = (agreed.get(same) ?? 0) + 1;
    agreed.set(same, now);
    most = Math.max(most, now);
    if (now >= count) return { how: 'answered', content };
  }
  if (most + left >= count) return undefined;
  // Where nobody stood against it, those who could have agreed are gone.
  return { how: votes.length > most ? 'declined' : 'unreachable' };
}

function outcomeFor(outcome: StoredOutcome): ApprovalOutcome {
  switch (outcome.how) {
    case 'answered':
      return { action: 'accept', content: outcome.content as never };
    case 'declined':
      return { action: 'decline' };
    case 'timed-out':
      return { action: 'cancel', reason: 'timeout' };
    case 'dismissed':
      return { action: 'cancel', reason: 'dismissed' };
    default:
      return { action: 'cancel', reason: 'unavailable' };
  }
}

/** A yes to a call says nothing else. */
const checkAgreed = (question: FormQuestion | CallQuestion, content: Readonly<Record<string, unknown>> | undefined) =>
  question.kind === 'form'
    ? checkAsked(question.fields, content, question.schema)
    : ({ ok: true, content: {} } as const);

/** Content without its secrets, for the past of who gave it. */
function masked(
  question: FormQuestion | CallQuestion,
  content: Readonly<Record<string, unknown>>,
): Readonly<Record<string, unknown>> {
  const secrets = question.kind === 'form' ? secretsOf(question) : new Set<string>();
  const entries = Object.entries(content);
  return Object.fromEntries(
    entries.map(([name, value]) => [name, secrets.has(name) || isCardNumber(value) ? mask : value]),
  );
}

const named = (name: string | undefined): { readonly name?: string } => (name === undefined ? {} : { name });
