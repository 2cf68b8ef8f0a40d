/**
 * Who is in which group: people whom the configuration names, and people whom the issuer's claim put there when they last signed in.
 *
 * - inbox-groups-G1 Who was removed is in no group.
 * - inbox-groups-G2 A membership by claim has a keyed digest: who may write to the database without the key makes nobody a member.
 */
import { type Kind, name, parts as optionParts } from '@midcall/core/options';
import { principalId } from '@midcall/server';
import type { Kysely } from 'kysely';
import { parts, type Tx } from './database.ts';
import type { Sealed } from './sealed.ts';
import type { Tables } from './tables.ts';

/**
 * Who the members of groups are. With both, a group's members are those who are named, and those whose claim names it.
 * @example
 * ```ts
 * const groups: InboxGroups = { names: { finance: ['ada', 'bob'] }, claim: 'groups' };
 * ```
 */
export interface InboxGroups {
  /** The subjects of people at the issuer, by the name of the group. */
  readonly names?: Readonly<Record<string, readonly string[]>>;
  /** The claim of the ID token that lists a person's groups: a text or a list of texts. As at their last sign-in. */
  readonly claim?: string;
}

/** The most members that a group may have to be asked. */
export const mostMembers = 1_000;
/** The most groups of one person that are read from a claim. */
const mostClaimed = 500;
const longestName = 200;

const named: Kind = {
  words: `an object of lists, such as { finance: ['ada', 'bob'] }: the subjects of at most ${mostMembers} people by the name of the group, which has at most ${longestName} characters`,
  fits: value =>
    typeof value === 'object' &&
    value !== null &&
    Object.entries(value).every(
      ([group, subjects]) =>
        isGroupName(group) &&
        Array.isArray(subjects) &&
        subjects.length <= mostMembers &&
        subjects.every(subject => name.fits(subject)),
    ),
};
const isGroupName = (value: unknown): value is string =>
  typeof value === 'string' && value.trim() !== '' && value.length <= longestName;

export const groupsKind: Kind = optionParts<InboxGroups>({ names: named, claim: name });

/** The groups that a claim lists. */
export const claimedGroups = (claim: unknown): readonly string[] =>
  [...new Set([claim].flat().filter(isGroupName))].slice(0, mostClaimed);

/** Those of these people who were not removed. */
export async function withoutRemoved(db: Kysely<Tables>, all: ReadonlySet<string>): Promise<ReadonlySet<string>> {
  const left = new Set(all);
  for (const part of parts([...all])) {
    const removed = await db
      .selectFrom('inbox_people')
      .select('principal')
      .where('principal', 'in', part)
      .where('removed_at', 'is not', null)
      .execute();
    for (const { principal } of removed) left.delete(principal);
  }
  return left;
}

export class Groups {
  readonly #sealed: Sealed;
  readonly #named: ReadonlyMap<string, ReadonlySet<string>>;
  /** Whether claims count. */
  readonly byClaim: boolean;

  /** @param issuer - whose subjects the names are */
  constructor(sealed: Sealed, { names = {}, claim }: InboxGroups, issuer: string) {
    this.#sealed = sealed;
    this.#named = new Map(
      Object.entries(names).map(([group, subjects]) => [
        group,
        new Set(subjects.map(subject => principalId({ issuer, subject }))),
      ]),
    );
    this.byClaim = claim !== undefined;
  }

  isNamed(group: string): boolean {
    return this.#named.has(group);
  }

  /** The groups in which the configuration has a person. */
  namesOf(principal: string): readonly string[] {
    return [...this.#named].filter(([, members]) => members.has(principal)).map(([group]) => group);
  }

  /** The members of a group now. */
  async members(db: Kysely<Tables>, group: string): Promise<ReadonlySet<string>> {
    const members = new Set(this.#named.get(group));
    if (this.byClaim) {
      const rows = await db
        .selectFrom('inbox_groups')
        .select(['principal', 'proof'])
        .where('name', '=', group)
        .execute();
      for (const { principal, proof } of rows) if (this.#proves(proof, principal, group)) members.add(principal);
    }
    return withoutRemoved(db, members);
  }

  /** The groups by claim of a person. */
  async claimed(db: Kysely<Tables>, principal: string): Promise<readonly string[]> {
    const rows = await db
      .selectFrom('inbox_groups')
      .select(['name', 'proof'])
      .where('principal', '=', principal)
      .execute();
    return rows.filter(({ name, proof }) => this.#proves(proof, principal, name)).map(({ name }) => name);
  }

  /** Stores the groups by claim of a person, in place of those before. */
  async setClaimed(tx: Tx, principal: string, groups: readonly string[]): Promise<void> {
    await tx.deleteFrom('inbox_groups').where('principal', '=', principal).execute();
    const rows = groups.map(group => ({ principal, name: group, proof: this.#proof(principal, group)! }));
    for (const part of parts(rows)) await tx.insertInto('inbox_groups').values(part).execute();
  }

  #proof(principal: string, group: string, key?: string): string | undefined {
    return this.#sealed.digest(JSON.stringify(['member', principal, group]), key);
  }

  #proves(proof: string, principal: string, group: string): boolean {
    return this.#sealed.keys.some(key => this.#proof(principal, group, key) === proof);
  }
}
