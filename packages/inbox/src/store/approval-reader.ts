/**
 * Reads approvals: what was asked, the votes that count, and the outcome.
 *
 * - inbox-approval-reader-R1 All that decides is sealed where it belongs: who may write to the database without the key can neither make
 *   a vote nor change what was asked. What cannot be read is withdrawn when its time comes, and holds up nothing else: lists are shown
 *   without it.
 */
import { hash } from 'node:crypto';
import { MidcallError } from '@midcall/core/errors';
import type { Vote } from '@midcall/core/form';
import { canonical, isRecord } from '@midcall/core/json';
import { readAskedForm } from '@midcall/core/json-schema';
import type { CallContext, CallQuestion, FormQuestion } from '@midcall/host';
import type { ApprovalView } from '@midcall/host/web';
import { type ApprovalAsk, principalId } from '@midcall/server';
import type { Kysely, Selectable } from 'kysely';
import type { InboxAsk } from './inbox-store.ts';
import type { ApprovalReader } from './questions.ts';
import { readName, type Sealed } from './sealed.ts';
import type { Tables } from './tables.ts';

export type ApprovalRow = Selectable<Tables['inbox_approvals']>;

/** A vote as it is stored. */
export interface StoredVote extends Vote {
  /** Of those who accept. */
  readonly content?: Readonly<Record<string, unknown>>;
  /** The id of the passkey by which the person was present. */
  readonly credential?: string;
}

/** What became of an approval. */
export type StoredOutcome =
  | { readonly how: 'answered'; readonly content: Readonly<Record<string, unknown>> }
  | { readonly how: 'declined' | 'timed-out' | 'dismissed' | 'withdrawn' | 'unreachable' };

const place = (what: 'asked' | 'outcome' | 'vote', ...of: readonly string[]): string =>
  `approval ${JSON.stringify([what, ...of])}`;

const callKinds: Readonly<Record<ApprovalAsk['call']['method'], CallContext['kind']>> = {
  'tools/call': 'tool',
  'prompts/get': 'prompt',
  'resources/read': 'resource',
};

/**
 * The question that people see.
 * @param id - of the question to one of them
 * @throws MidcallError `ask/unavailable` if its form cannot be shown
 */
export function questionOf(ask: InboxAsk, id: string): FormQuestion | CallQuestion {
  const { server, call, requester, askedAt, dueAt } = ask;
  const frame = {
    ...{ id, askedAt, openUntil: dueAt },
    // A server that asks here speaks no protocol with the inbox; no page of a person shows the revision.
    asker: { id: server, name: server, origin: '', era: '2026-07-28' as const },
    call: {
      ...{ id: ask.id, kind: callKinds[call.method], name: call.name },
      arguments: isRecord(call.arguments) ? call.arguments : {},
      ...(requester && { principal: principalId(requester) }),
    },
  };
  if ('why' in ask) {
    const { why, labels } = ask;
    return { ...frame, kind: 'call', why, ...(labels && { labels }) };
  }
  const form = readAskedForm({ requestedSchema: ask.schema });
  if (!form.ok) throw new MidcallError('ask/unavailable', `The form cannot be shown in an inbox. ${form.why}`);
  return {
    ...{ ...frame, kind: 'form', message: ask.message, fields: form.fields },
    ...(form.schema && { schema: form.schema }),
    ...(form.notes.length > 0 && { notes: form.notes.map(note => note.message) }),
  };
}

/** Covers all that was asked. */
const digestOf = (ask: InboxAsk): string => hash('sha256', canonical(['midcall.approval', ask]), 'base64url');

/** How many have to give the same answer. */
export const countOf = ({ from }: InboxAsk): number => (from === 'requester' ? 1 : from.count);

export class ApprovalRows implements ApprovalReader {
  readonly #sealed: Sealed;

  constructor(sealed: Sealed) {
    this.#sealed = sealed;
  }

  /** @param home - the address of the inboxes whose groups are meant */
  sealAsk(ask: InboxAsk, home: string): string {
    return this.#sealed.seal(ask, place('asked', ask.id, home));
  }

  ask({ id, asked, home }: Pick<ApprovalRow, 'id' | 'asked' | 'home'>): InboxAsk {
    return this.#sealed.open(asked, place('asked', id, home));
  }

  /** @returns undefined if it was changed, or its key is not there any more */
  askIfReadable({ id, asked, home }: Pick<ApprovalRow, 'id' | 'asked' | 'home'>): InboxAsk | undefined {
    return this.#sealed.openIfReadable(asked, place('asked', id, home));
  }

  sealOutcome(id: string, outcome: StoredOutcome): string {
    return this.#sealed.seal(outcome, place('outcome', id));
  }

  outcome({ id, outcome }: Pick<ApprovalRow, 'id' | 'outcome'>): StoredOutcome | undefined {
    return outcome === null ? undefined : this.#sealed.open(outcome, place('outcome', id));
  }

  sealVote(approval: string, principal: string, vote: StoredVote): string {
    return this.#sealed.seal(vote, place('vote', approval, principal));
  }

  /** The votes that count, by approval, in the order in which they were given. */
  async votes(
    db: Kysely<Tables>,
    approvals: readonly string[],
  ): Promise<ReadonlyMap<string, readonly (StoredVote & { readonly principal: string })[]>> {
    const found = new Map<string, (StoredVote & { readonly principal: string })[]>(approvals.map(id => [id, []]));
    const rows = await db
      .selectFrom('inbox_votes')
      .select(['approval', 'principal', 'vote'])
      .where('approval', 'in', approvals)
      .orderBy('line')
      .execute();
    for (const { approval, principal, vote } of rows) {
      const opened = this.#sealed.open<StoredVote>(vote, place('vote', approval, principal));
      found.get(approval)!.push({ ...opened, principal });
    }
    return found;
  }

  /** What the issuer calls these people, of those who have signed in. */
  async names(db: Kysely<Tables>, principals: readonly string[]): Promise<ReadonlyMap<string, string>> {
    if (principals.length === 0) return new Map();
    const rows = await db
      .selectFrom('inbox_people')
      .select(['principal', 'name'])
      .where('principal', 'in', principals)
      .execute();
    return new Map(
      rows.flatMap(({ principal, name }) => {
        const opened = readName(this.#sealed, principal, name);
        return opened === undefined ? [] : [[principal, opened]];
      }),
    );
  }

  async shown(
    db: Kysely<Tables>,
    principal: string,
    rows: ReadonlyMap<string, string>,
  ): Promise<ReadonlyMap<string, { readonly question: FormQuestion | CallQuestion; readonly approval: ApprovalView }>> {
    const ids = [...new Set(rows.values())];
    const found = await db
      .selectFrom('inbox_approvals')
      .select(['id', 'asked', 'outcome', 'home', 'requester'])
      .where('id', 'in', ids)
      .execute();
    const names = await this.names(db, [...new Set(found.map(({ requester }) => requester))]);
    const votes = await this.votes(db, ids);
    const views = new Map(
      found.map(row => {
        const ask = this.ask(row);
        const { from, requester, assurance, dueAt } = ask;
        const details = 'why' in ask ? undefined : ask.details;
        const outcome = this.outcome(row);
        const view: ApprovalView = {
          ...(from !== 'requester' && { group: from.group }),
          count: countOf(ask),
          ...(requester && { requester: names.get(principalId(requester)) ?? principalId(requester) }),
          ...{ assurance, dueAt, digest: digestOf(ask) },
          ...(details !== undefined && { details }),
          votes: votes.get(row.id)!.map(vote => ({
            name: vote.name ?? vote.principal,
            ...{ action: vote.action, assurance: vote.assurance, at: vote.at },
            isOwn: vote.principal === principal,
          })),
          ...(outcome && { outcome: outcome.how === 'answered' ? 'accepted' : outcome.how }),
        };
        return [row.id, { ask, view }];
      }),
    );
    return new Map(
      [...rows].flatMap(([id, approval]) => {
        const of = views.get(approval);
        return of ? [[id, { question: questionOf(of.ask, id), approval: of.view }]] : [];
      }),
    );
  }
}
