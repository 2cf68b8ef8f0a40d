/**
 * Passkeys of people, and invitations to add one.
 *
 * - inbox-passkeys-K1 A passkey counts for one person, until it is revoked or they are removed; each use finds it so in the transaction
 *   that records the use, and so do the vote and the new passkey that it has confirmed. After either, its key is no longer in the
 *   database.
 * - inbox-passkeys-K2 A passkey that counts its uses is refused once its count does not grow: a copy of it may exist.
 * - inbox-passkeys-K3 Of an invitation, only a keyed digest is stored, which covers its person and its end: who can write to the
 *   database without the key makes none. It is for one person, ends after a day, and is used in the transaction that adds a passkey.
 * - inbox-passkeys-K4 What a passkey is, is sealed for its row and person: who can write to the database, but does not have the key,
 *   cannot add one, or give one to another person.
 */
import { randomBytes } from 'node:crypto';
import { MidcallError } from '@midcall/core/errors';
import type { Clock } from '@midcall/core/time';
import type { Kysely } from 'kysely';
import type { InboxDatabase, Tx } from './database.ts';
import type { Passkey, PasskeyKey, Passkeys } from './inbox-store.ts';
import { touch } from './questions.ts';
import type { InboxRecord } from './record.ts';
import type { Sealed } from './sealed.ts';
import type { Tables } from './tables.ts';

/** The most passkeys of one person that are not revoked. */
const mostPasskeys = 20;
const invitationMs = 24 * 60 * 60 * 1_000;

/** What is sealed. */
interface Content {
  readonly name: string;
  /** Absent once it is revoked. */
  readonly key?: Omit<PasskeyKey, 'id' | 'counter'>;
}

const place = (id: string, principal: string): string => `passkey ${id} ${principal}`;

async function isRemoved(tx: Tx, principal: string): Promise<boolean> {
  const row = await tx
    .selectFrom('inbox_people')
    .select('removed_at')
    .where('principal', '=', principal)
    .executeTakeFirst();
  return typeof row?.removed_at === 'number';
}

/** Whether a passkey counts for a person now, for a transaction that needs it to (inbox-passkeys-K1). */
export async function isPasskeyOf(tx: Tx, principal: string, id: string): Promise<boolean> {
  const row = await tx
    .selectFrom('inbox_passkeys')
    .innerJoin('inbox_people', 'inbox_people.principal', 'inbox_passkeys.principal')
    .select('id')
    .where('id', '=', id)
    .where('inbox_passkeys.principal', '=', principal)
    .where('revoked_at', 'is', null)
    .where('removed_at', 'is', null)
    .executeTakeFirst();
  return row !== undefined;
}

/** How many of these people have a passkey. */
export async function passkeyHolders(db: InboxDatabase, principals: readonly string[]): Promise<number> {
  const holders = await db.read(read =>
    read
      .selectFrom('inbox_passkeys')
      .select('principal')
      .distinct()
      .where('principal', 'in', [...principals])
      .where('revoked_at', 'is', null)
      .execute(),
  );
  return holders.length;
}

/** @returns false if the person has no such passkey that is not revoked */
async function revokeOne(tx: Tx, sealed: Sealed, principal: string, id: string, now: number): Promise<boolean> {
  const row = await tx
    .selectFrom('inbox_passkeys')
    .select('content')
    .where('id', '=', id)
    .where('principal', '=', principal)
    .where('revoked_at', 'is', null)
    .executeTakeFirst();
  if (!row) return false;
  const { name } = sealed.open<Content>(row.content, place(id, principal));
  await tx
    .updateTable('inbox_passkeys')
    .set({ revoked_at: now, content: sealed.seal({ name } satisfies Content, place(id, principal)) })
    .where('id', '=', id)
    .execute();
  return true;
}

/** Revokes the passkeys of a person who is removed, and takes back their invitations. */
export async function revokePasskeys(tx: Tx, sealed: Sealed, principal: string, now: number): Promise<void> {
  const rows = await tx
    .selectFrom('inbox_passkeys')
    .select('id')
    .where('principal', '=', principal)
    .where('revoked_at', 'is', null)
    .execute();
  for (const { id } of rows) await revokeOne(tx, sealed, principal, id, now);
  await tx.deleteFrom('inbox_invitations').where('principal', '=', principal).execute();
}

/** @param onChange - told of a person whose passkeys have changed */
export function passkeys(
  { db, sealed, record, clock }: { db: InboxDatabase; sealed: Sealed; record: InboxRecord; clock: Pick<Clock, 'now'> },
  onChange: (principal: string) => void,
): Passkeys {
  const open = (principal: string, { id, content }: { id: string; content: string }): Content =>
    sealed.open(content, place(id, principal));
  const invitationDigest = (secret: string, principal: string, expiresAt: number, key?: string): string =>
    sealed.digest(JSON.stringify(['invitation', secret, principal, expiresAt]), key)!;
  /** The digest of an invitation that can be used. */
  const invitationOf = async (read: Kysely<Tables>, principal: string, secret: string): Promise<string | undefined> => {
    const rows = await read
      .selectFrom('inbox_invitations')
      .select(['digest', 'expires_at'])
      .where('principal', '=', principal)
      .where('used_at', 'is', null)
      .where('expires_at', '>', clock.now())
      .execute();
    const found = rows.find(({ digest, expires_at }) =>
      sealed.keys.some(key => invitationDigest(secret, principal, expires_at, key) === digest),
    );
    return found?.digest;
  };
  return {
    async list(principal) {
      const rows = await db.read(read =>
        read
          .selectFrom('inbox_passkeys')
          .selectAll()
          .where('principal', '=', principal)
          .orderBy('added_at')
          .orderBy('id')
          .execute(),
      );
      return rows.map(
        (row): Passkey => ({
          id: row.id,
          name: open(principal, row).name,
          addedAt: row.added_at,
          ...(row.used_at !== null && { usedAt: row.used_at }),
          ...(row.revoked_at !== null && { revokedAt: row.revoked_at }),
        }),
      );
    },

    async keys(principal) {
      const rows = await db.read(read =>
        read
          .selectFrom('inbox_passkeys')
          .innerJoin('inbox_people', 'inbox_people.principal', 'inbox_passkeys.principal')
          .select(['id', 'content', 'counter'])
          .where('inbox_passkeys.principal', '=', principal)
          .where('revoked_at', 'is', null)
          .where('removed_at', 'is', null)
          .orderBy('added_at')
          .execute(),
      );
      // One whose row was changed to be as if it were not revoked has no key.
      return rows.flatMap(row => {
        const { key } = open(principal, row);
        return key ? [{ id: row.id, counter: row.counter, ...key }] : [];
      });
    },

    async add(principal, { id, name, counter, ...key }, by, proof = '') {
      const added = await db.change(principal, async change => {
        const { tx } = change;
        if (await isRemoved(tx, principal)) return 'refused';
        if (by === 'passkey' && !(await isPasskeyOf(tx, principal, proof))) return 'refused';
        const digest = by === 'invited' ? await invitationOf(tx, principal, proof) : undefined;
        if (by === 'invited' && digest === undefined) return 'not-invited';
        const theirs = await tx
          .selectFrom('inbox_passkeys')
          .select(row => row.fn.countAll<number>().as('count'))
          .where('principal', '=', principal)
          .where('revoked_at', 'is', null)
          .executeTakeFirstOrThrow();
        const other = await tx.selectFrom('inbox_passkeys').select('id').where('id', '=', id).executeTakeFirst();
        if (other || theirs.count >= mostPasskeys) return 'refused';
        if (digest !== undefined) {
          await tx
            .updateTable('inbox_invitations')
            .set({ used_at: clock.now() })
            .where('digest', '=', digest)
            .execute();
        }
        await tx
          .insertInto('inbox_passkeys')
          .values({
            ...{ id, principal, counter, used_at: null, revoked_at: null },
            content: sealed.seal({ name, key } satisfies Content, place(id, principal)),
            added_at: clock.now(),
          })
          .execute();
        await record.add(change, { event: 'passkey-added', principal, how: by, via: id });
        await touch(tx, principal);
        return 'added';
      });
      if (added === 'added') onChange(principal);
      return added;
    },

    use: (principal, id, counter, question) =>
      db.change(principal, async change => {
        const { tx } = change;
        if (!(await isPasskeyOf(tx, principal, id))) return false;
        const { numUpdatedRows } = await tx
          .updateTable('inbox_passkeys')
          .set({ counter, used_at: clock.now() })
          .where('id', '=', id)
          .where('counter', counter === 0 ? '=' : '<', counter)
          .executeTakeFirstOrThrow();
        if (numUpdatedRows === 0n) return false;
        await record.add(change, { event: 'passkey-used', principal, via: id, question: question ?? null });
        return true;
      }),

    async revoke(principal, id, by) {
      const isRevoked = await db.change(principal, async change => {
        const { tx } = change;
        if (!(await revokeOne(tx, sealed, principal, id, clock.now()))) return false;
        await record.add(change, { event: 'passkey-revoked', principal, how: by, via: id });
        await touch(tx, principal);
        return true;
      });
      if (isRevoked) onChange(principal);
      return isRevoked;
    },

    async invite(principal) {
      const secret = randomBytes(24).toString('base64url');
      await db.change(principal, async change => {
        const { tx } = change;
        if (await isRemoved(tx, principal)) {
          throw new MidcallError(
            'host/refused',
            'This person was removed from the inbox. Admit them before you invite them.',
          );
        }
        const now = clock.now();
        const expires_at = now + invitationMs;
        const digest = invitationDigest(secret, principal, expires_at);
        await tx.deleteFrom('inbox_invitations').where('expires_at', '<=', now).execute();
        await tx.insertInto('inbox_invitations').values({ digest, principal, expires_at, used_at: null }).execute();
        await record.add(change, { event: 'invited', principal });
      });
      return secret;
    },

    isInvited: async (principal, secret) =>
      (await db.read(read => invitationOf(read, principal, secret))) !== undefined,
  };
}
