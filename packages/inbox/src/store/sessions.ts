/**
 * Sessions of persons' browsers.
 *
 * - inbox-sessions-S1 A session has a keyed digest of its secrets, its person, its beginning, and whether the issuer asked the person:
 *   who can write to the database without the key makes none, gives none to another person, and makes none longer, younger or better.
 */
import { hash, randomBytes } from 'node:crypto';
import { MidcallError } from '@midcall/core/errors';
import type { Clock } from '@midcall/core/time';
import { type Approvals, nobodyTold, type Told } from './approvals.ts';
import type { InboxDatabase } from './database.ts';
import { forgetDevices } from './deliveries.ts';
import type { Sessions } from './inbox-store.ts';
import { touch } from './questions.ts';
import { namePlace, type Sealed } from './sealed.ts';

const lastsMs = 12 * 60 * 60 * 1_000;
/** How far the clocks of bridges may be apart. */
const skewMs = 5 * 60 * 1_000;

const secret = (): string => randomBytes(24).toString('base64url');
const digestOf = (what: 'at' | 'csrf', text: string): string =>
  hash('sha256', `midcall.inbox.${what} ${text}`, 'base64url');

/** What sessions are stored with. */
export interface SessionsOptions {
  readonly db: InboxDatabase;
  readonly sealed: Sealed;
  readonly approvals: Approvals;
  readonly clock: Pick<Clock, 'now'>;
  /** Told who has to look again. */
  readonly announce: (told: Told) => void;
}

export function sessions({ db, sealed, approvals, clock, announce }: SessionsOptions): Sessions {
  const proofOf = (
    { at, cookie }: { readonly at: string; readonly cookie: string },
    principal: string,
    begunAt: number,
    wasAsked: boolean,
    key?: string,
  ): string =>
    sealed.digest(JSON.stringify(['session', at, cookie, principal, begunAt, ...(wasAsked ? ['asked'] : [])]), key)!;
  const endThose = async (column: 'at' | 'principal', value: string): Promise<void> => {
    // Alone: changes of others lock the same rows in another order.
    const ended = await db.change(column === 'principal' ? value : '', async ({ tx }) => {
      if (column === 'principal') await forgetDevices(tx, value);
      const found = tx.selectFrom('inbox_sessions').select('principal').where(column, '=', value);
      const person = await found.executeTakeFirst();
      if (!person) return undefined;
      await tx.deleteFrom('inbox_sessions').where(column, '=', value).execute();
      await touch(tx, person.principal);
      return person.principal;
    });
    if (ended !== undefined) announce({ ...nobodyTold(), people: new Set([ended]) });
  };
  return {
    async begin({ principal, name, groups, wasAsked = false }) {
      const told = nobodyTold();
      const secrets = await db.change(principal, async change => {
        const { tx } = change;
        const now = clock.now();
        const person = { name: sealed.seal(name, namePlace(principal)), seen_at: now };
        await tx
          .insertInto('inbox_people')
          .values({ principal, version: 0, removed_at: null, ...person })
          .onConflict(conflict => conflict.column('principal').doUpdateSet(person))
          .execute();
        const { removed_at } = await tx
          .selectFrom('inbox_people')
          .select('removed_at')
          .where('principal', '=', principal)
          .executeTakeFirstOrThrow();
        if (removed_at !== null) throw new MidcallError('host/refused', 'This person was removed from the inbox.');
        await approvals.signedIn(change, principal, groups, told);
        const at = secret();
        const cookie = secret();
        await tx
          .insertInto('inbox_sessions')
          .values({
            at: digestOf('at', at),
            cookie: proofOf({ at, cookie }, principal, now, wasAsked),
            principal,
            begun_at: now,
            expires_at: now + lastsMs,
          })
          .execute();
        return { at, cookie };
      });
      announce(told);
      return secrets;
    },

    async find(at, cookie) {
      const now = clock.now();
      const found = await db.read(read =>
        read
          .selectFrom('inbox_sessions')
          .innerJoin('inbox_people', 'inbox_people.principal', 'inbox_sessions.principal')
          .select(['inbox_people.principal', 'name', 'begun_at', 'cookie as proof'])
          .where('at', '=', digestOf('at', at))
          .where('removed_at', 'is', null)
          .where('begun_at', '>', now - lastsMs)
          // A clock that was set back to before its beginning does not extend a session.
          .where('begun_at', '<=', now + skewMs)
          .executeTakeFirst(),
      );
      if (!found) return undefined;
      const { principal, begun_at: begunAt, proof } = found;
      const isProved = (wasAsked: boolean): boolean =>
        sealed.keys.some(key => proofOf({ at, cookie }, principal, begunAt, wasAsked, key) === proof);
      const wasAsked = isProved(true);
      if (!wasAsked && !isProved(false)) return undefined;
      const name = sealed.open<string>(found.name!, namePlace(principal));
      return { principal, name, csrf: digestOf('csrf', cookie), begunAt, wasAsked };
    },

    end: at => endThose('at', digestOf('at', at)),
    endAll: principal => endThose('principal', principal),
  };
}
