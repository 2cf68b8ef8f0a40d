/** Who may use the inbox, and removing a person. */
import { defined } from '@midcall/core/json';
import type { Clock } from '@midcall/core/time';
import { type Approvals, nobodyTold, type Told } from './approvals.ts';
import type { InboxDatabase } from './database.ts';
import { forgetDevices } from './deliveries.ts';
import type { People, Person } from './inbox-store.ts';
import { revokePasskeys } from './passkeys.ts';
import { refuseQuestions } from './questions.ts';
import type { InboxRecord } from './record.ts';
import { readName, type Sealed } from './sealed.ts';

/** What people are stored with. */
export interface PeopleOptions {
  readonly db: InboxDatabase;
  readonly sealed: Sealed;
  readonly record: InboxRecord;
  readonly approvals: Approvals;
  readonly clock: Pick<Clock, 'now'>;
  /** Told who has to look again, and which bridges have to end questions. */
  readonly announce: (told: Told, bridges: readonly string[]) => void;
}

export function people({ db, sealed, record, approvals, clock, announce }: PeopleOptions): People {
  return {
    async list() {
      const rows = await db.read(read =>
        read
          .selectFrom('inbox_people')
          .select(['principal', 'name', 'seen_at', 'removed_at'])
          .select(select =>
            select
              .selectFrom('inbox_questions')
              .select(count => count.fn.countAll<number>().as('count'))
              .whereRef('inbox_questions.principal', '=', 'inbox_people.principal')
              .where('ended_line', 'is', null)
              .as('open'),
          )
          .orderBy('principal')
          .execute(),
      );
      return rows.map(
        ({ principal, name, seen_at, removed_at, open }): Person => ({
          principal,
          ...defined({ name: readName(sealed, principal, name) }),
          ...(seen_at !== null && { seenAt: seen_at }),
          ...(removed_at !== null && { removedAt: removed_at }),
          open: open ?? 0,
        }),
      );
    },

    async remove(principal) {
      const told = nobodyTold();
      const bridges = await db.change(principal, async change => {
        const { tx } = change;
        const now = clock.now();
        await tx
          .insertInto('inbox_people')
          .values({ principal, version: 0, name: null, seen_at: null, removed_at: null })
          .onConflict(conflict => conflict.doNothing())
          .execute();
        const { numUpdatedRows } = await tx
          .updateTable('inbox_people')
          .set({ removed_at: now })
          .where('principal', '=', principal)
          .where('removed_at', 'is', null)
          .executeTakeFirstOrThrow();
        if (numUpdatedRows === 0n) return undefined;
        await tx.deleteFrom('inbox_sessions').where('principal', '=', principal).execute();
        await revokePasskeys(tx, sealed, principal, now);
        await forgetDevices(tx, principal);
        await record.add(change, { event: 'removed', principal });
        await approvals.removed(change, principal, told);
        return refuseQuestions(tx, principal);
      });
      told.people.add(principal);
      if (bridges) announce(told, bridges);
      return bridges !== undefined;
    },

    admit: principal =>
      db.change(principal, async change => {
        const { numUpdatedRows } = await change.tx
          .updateTable('inbox_people')
          .set({ removed_at: null })
          .where('principal', '=', principal)
          .where('removed_at', 'is not', null)
          .executeTakeFirstOrThrow();
        if (numUpdatedRows === 0n) return false;
        await record.add(change, { event: 'admitted', principal });
        return true;
      }),

    async isRemoved(principal) {
      const found = await db.read(read =>
        read.selectFrom('inbox_people').select('removed_at').where('principal', '=', principal).executeTakeFirst(),
      );
      return typeof found?.removed_at === 'number';
    },
  };
}
