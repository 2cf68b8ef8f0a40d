/** Who may use the inbox, and removing a person. */
import type { Clock } from '@midcall/core/time';
import type { InboxDatabase } from './database.ts';
import type { People, Person } from './inbox-store.ts';
import { revokePasskeys } from './passkeys.ts';
import { refuseQuestions } from './questions.ts';
import type { InboxRecord } from './record.ts';
import type { Sealed } from './sealed.ts';
import { namePlace } from './sessions.ts';

/** @param onChange - told of a person who was removed */
export function people(
  { db, sealed, record, clock }: { db: InboxDatabase; sealed: Sealed; record: InboxRecord; clock: Pick<Clock, 'now'> },
  onChange: (principal: string, bridges: readonly string[]) => void,
): People {
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
          ...(name !== null && { name: sealed.open<string>(name, namePlace(principal)) }),
          ...(seen_at !== null && { seenAt: seen_at }),
          ...(removed_at !== null && { removedAt: removed_at }),
          open: open ?? 0,
        }),
      );
    },

    async remove(principal) {
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
        await record.add(change, { event: 'removed', principal });
        return refuseQuestions(tx, principal);
      });
      if (bridges) onChange(principal, bridges);
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
