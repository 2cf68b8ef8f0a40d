/**
 * Where people are told that a question waits for them, and what is still to be told: one row for each device of a person, and one for
 * the webhook of the operator.
 *
 * - inbox-deliveries-V1 That somebody is to be told is written in the transaction that stores the question, and stays until they were
 *   told, nothing waits any more, or the attempts have failed.
 * - inbox-deliveries-V2 One process at a time makes an attempt. If it dies, another one makes it again, so that a person may be told twice.
 * - inbox-deliveries-V3 However many questions come, a target is told at most once a minute.
 * - inbox-deliveries-V4 Where a device is reached is sealed, in its row alone. It goes when the person signs out everywhere or is removed.
 * - inbox-deliveries-V5 Whoever hangs holds up nobody else: a process tells so many at a time, and only some of them may be devices of
 *   one person, or be told at one origin.
 */
import { createECDH, hash, randomUUID } from 'node:crypto';
import type { Clock } from '@midcall/core/time';
import type { Kysely } from 'kysely';
import { type InboxDatabase, parts, type Tx } from './database.ts';
import type { Claimed, Deliveries, Device, PushKeys, Subscription, ToldTarget } from './inbox-store.ts';
import type { Sealed } from './sealed.ts';
import type { Tables } from './tables.ts';

/** How long a process has for an attempt. */
const claimMs = 60_000;
/** A target is not told again for so long. */
const quietMs = 60_000;
/** How long to wait after each attempt that failed; after the last one, nobody is told. */
const retryMs = [30_000, 2 * 60_000, 10 * 60_000, 30 * 60_000] as const;
/** No row waits longer than this, unless the clock was set back. */
const longestMs = 2 * 60 * 60_000;
const mostDevices = 10;
/** How many a process tells at a time. */
const mostAtOnce = { inAll: 32, ofPerson: 2, atOrigin: 8 };

const webhookTarget = 'webhook';

const keysPlace = 'push keys';
const subscriptionPlace = (principal: string, target: string): string => `subscription ${target} ${principal}`;

/** Devices of a person are told nothing any more. */
export async function forgetDevices(tx: Tx, principal: string): Promise<void> {
  await tx
    .deleteFrom('inbox_targets')
    .where('principal', '=', principal)
    .where('target', '<>', webhookTarget)
    .execute();
}

/**
 * People have been asked.
 * @param lines - of the record: the first and the last that says so
 * @param toWebhook - whether the operator's webhook is told, too
 */
export async function tellLater(
  tx: Tx,
  people: readonly string[],
  { first, last }: { readonly first: number; readonly last: number },
  toWebhook: boolean,
): Promise<void> {
  if (toWebhook) {
    const webhooks = people.map(principal => ({
      ...{ principal, target: webhookTarget, subscription: null, origin: webhookTarget, since: 0 },
      ...untold(first - 1),
    }));
    for (const part of parts(webhooks))
      await tx
        .insertInto('inbox_targets')
        .values(part)
        .onConflict(conflict => conflict.doNothing())
        .execute();
  }
  for (const part of parts(people.map(principal => ({ principal })))) {
    let theirs = tx
      .updateTable('inbox_targets')
      .set({ last_line: last })
      .where(
        'principal',
        'in',
        part.map(({ principal }) => principal),
      );
    if (!toWebhook) theirs = theirs.where('target', '<>', webhookTarget);
    await theirs.execute();
  }
}

/** Of a target that was told up to a line. */
const untold = (line: number) => ({
  ...{ last_line: line, told_line: line, due_at: 0, tries: 0 },
  ...{ claim: null, claimed_until: 0, told_at: null, failed_at: null, failure: null },
});

export function deliveries({
  db,
  sealed,
  clock,
}: {
  readonly db: InboxDatabase;
  readonly sealed: Sealed;
  readonly clock: Pick<Clock, 'now'>;
}): Deliveries {
  /** Changes a row for as long as this process has the claim. */
  const claimed = async (
    { principal, target, claim }: Claimed,
    set: Partial<Tables['inbox_targets']>,
  ): Promise<void> => {
    await db.write(tx =>
      tx
        .updateTable('inbox_targets')
        .set({ ...set, claim: null, claimed_until: 0 })
        .where('principal', '=', principal)
        .where('target', '=', target)
        .where('claim', '=', claim)
        .execute(),
    );
  };
  return {
    async keys() {
      const read = () => db.read(read => read.selectFrom('inbox_push_keys').selectAll().executeTakeFirst());
      let found = await read();
      if (!found) {
        const pair = createECDH('prime256v1');
        pair.generateKeys();
        // A private key whose first bytes are zero comes without them.
        const secret = pair.getPrivateKey();
        const privateKey = Buffer.concat([Buffer.alloc(32 - secret.length), secret]).toString('base64url');
        const publicKey = pair.getPublicKey('base64url');
        await db.write(tx =>
          tx
            .insertInto('inbox_push_keys')
            .values({ one: 1, public_key: publicKey, private_key: sealed.seal(privateKey, keysPlace) })
            .onConflict(conflict => conflict.doNothing())
            .execute(),
        );
        found = await read();
      }
      const { public_key: publicKey, private_key } = found!;
      const privateKey = sealed.open<string>(private_key, keysPlace);
      if (sealed.outdated(private_key)) {
        const anew = sealed.seal(privateKey, keysPlace);
        await db.write(tx => tx.updateTable('inbox_push_keys').set({ private_key: anew }).execute());
      }
      return { publicKey, privateKey } satisfies PushKeys;
    },

    async devices(principal) {
      const rows = await db.read(read =>
        read
          .selectFrom('inbox_targets')
          .selectAll()
          .where('principal', '=', principal)
          .where('target', '<>', webhookTarget)
          .orderBy('since', 'desc')
          .execute(),
      );
      return rows.flatMap(({ target, subscription, since, told_at, failed_at, failure }): readonly Device[] => {
        const found = sealed.openIfReadable<Subscription>(subscription!, subscriptionPlace(principal, target));
        if (!found) return [];
        return [
          {
            ...{ id: target, since, subscription: found },
            ...(told_at !== null && { toldAt: told_at }),
            ...(failed_at !== null && { failedAt: failed_at, failure: failure! }),
          },
        ];
      });
    },

    turnOn: (principal, subscription) =>
      db.change(principal, async ({ tx, head }) => {
        const id = hash('sha256', subscription.endpoint, 'base64url');
        const session = tx.selectFrom('inbox_sessions').select('at').where('principal', '=', principal).limit(1);
        // Their session may have ended while this was on its way: they were removed, or signed out everywhere.
        if (!(await session.executeTakeFirst())) return;
        // Whoever has the device has it alone.
        await tx.deleteFrom('inbox_targets').where('target', '=', id).execute();
        await tx
          .insertInto('inbox_targets')
          .values({
            ...{ principal, target: id, since: clock.now(), ...untold(head.line) },
            subscription: sealed.seal(subscription, subscriptionPlace(principal, id)),
            origin: sealed.digest(JSON.stringify(['origin', new URL(subscription.endpoint).origin]))!,
          })
          .execute();
        const all = await tx
          .selectFrom('inbox_targets')
          .select('target')
          .where('principal', '=', principal)
          .where('target', '<>', webhookTarget)
          .orderBy('since', 'desc')
          .execute();
        const tooMany = all.map(({ target }) => target).filter(target => target !== id);
        for (const target of tooMany.slice(mostDevices - 1)) {
          await tx
            .deleteFrom('inbox_targets')
            .where('principal', '=', principal)
            .where('target', '=', target)
            .execute();
        }
      }),

    async turnOff(principal, device) {
      await db.write(tx =>
        tx
          .deleteFrom('inbox_targets')
          .where('principal', '=', principal)
          .where('target', '=', device)
          .where('target', '<>', webhookTarget)
          .execute(),
      );
    },

    async list() {
      const rows = await db.read(read => read.selectFrom('inbox_targets').selectAll().orderBy('principal').execute());
      return rows.map(
        ({ principal, target, told_at, failed_at, failure }): ToldTarget => ({
          principal,
          by: target === webhookTarget ? 'webhook' : 'push',
          ...(told_at !== null && { toldAt: told_at }),
          ...(failed_at !== null && { failedAt: failed_at, failure: failure! }),
        }),
      );
    },

    async claim(underWay, toWebhook) {
      const now = clock.now();
      const { inAll, ofPerson, atOrigin } = mostAtOnce;
      /** The next one who may be told beside those. */
      const next = (read: Kysely<Tables>, beside: readonly Claimed[]) => {
        const full = (which: 'principal' | 'origin', most: number): readonly string[] => {
          const names = beside.map(each => each[which]);
          return [...new Set(names)].filter(name => names.filter(each => each === name).length >= most);
        };
        let due = read
          .selectFrom('inbox_targets')
          .selectAll()
          .whereRef('last_line', '>', 'told_line')
          .where(row => row.or([row('due_at', '<=', now), row('due_at', '>', now + longestMs)]))
          .where(row => row.or([row('claimed_until', '<=', now), row('claimed_until', '>', now + longestMs)]))
          .orderBy('due_at')
          .limit(1);
        const [people, origins] = [full('principal', ofPerson), full('origin', atOrigin)];
        if (people.length > 0) due = due.where('principal', 'not in', people);
        if (origins.length > 0) due = due.where('origin', 'not in', origins);
        return (toWebhook ? due : due.where('target', '<>', webhookTarget)).executeTakeFirst();
      };
      const found: Claimed[] = [];
      // Each in a transaction of its own: one that holds some rows while it waits for another could wait for one that waits for it.
      while (underWay.length + found.length < inAll) {
        const row = await db.read(read => next(read, [...underWay, ...found]));
        if (!row) break;
        const { principal, target, subscription, origin, last_line, told_line, tries, failed_at } = row;
        const place = subscriptionPlace(principal, target);
        const sent = subscription === null ? undefined : sealed.openIfReadable<Subscription>(subscription, place);
        if (subscription !== null && !sent) {
          // Its key is gone, so nobody can send to it any more; the person's page says that the device is off.
          await db.write(tx =>
            tx
              .deleteFrom('inbox_targets')
              .where('principal', '=', principal)
              .where('target', '=', target)
              // The person may have turned it on anew since it was read.
              .where('subscription', '=', subscription)
              .execute(),
          );
          continue;
        }
        const claim = randomUUID();
        const anew = sent && sealed.outdated(subscription!) && { subscription: sealed.seal(sent, place) };
        const { numUpdatedRows } = await db.write(tx =>
          tx
            .updateTable('inbox_targets')
            .set({ claim, claimed_until: now + claimMs, ...anew })
            .where('principal', '=', principal)
            .where('target', '=', target)
            // Another process may have claimed it since it was read, and may have told it, too.
            .where('claimed_until', '=', row.claimed_until)
            .where('told_line', '=', told_line)
            .where('due_at', '=', row.due_at)
            .executeTakeFirstOrThrow(),
        );
        if (numUpdatedRows === 0n) continue;
        found.push({
          ...{ principal, target, origin, claim, tries, lastLine: last_line, toldLine: told_line },
          id: sealed.digest(JSON.stringify(['told', principal, target, told_line]))!,
          hasFailed: failed_at !== null,
          ...(sent && { subscription: sent }),
        });
      }
      return found;
    },

    async waiting({ principal, target, claim, toldLine }) {
      const row = await db.read(read =>
        read
          .selectFrom('inbox_questions')
          .innerJoin('inbox_targets', 'inbox_targets.principal', 'inbox_questions.principal')
          .select('inbox_questions.id')
          .where('inbox_questions.principal', '=', principal)
          .where('ended_line', 'is', null)
          .where('refused', '=', 0)
          .where('asked_line', '>', toldLine)
          .where('target', '=', target)
          .where('claim', '=', claim)
          .orderBy('asked_line')
          .limit(1)
          .executeTakeFirst(),
      );
      return row?.id;
    },

    async putOff(target) {
      await claimed(target, { due_at: clock.now() + quietMs, tries: target.tries + 1 });
    },

    async drop(target) {
      await claimed(target, { told_line: target.lastLine, tries: 0 });
    },

    async told(target) {
      const now = clock.now();
      const success = { told_at: now, failed_at: null, failure: null };
      await claimed(target, { told_line: target.lastLine, tries: 0, due_at: now + quietMs, ...success });
    },

    async failed(target, failure) {
      const now = clock.now();
      const waits = retryMs[target.tries];
      const later = waits === undefined ? undefined : { due_at: now + waits, tries: target.tries + 1 };
      const given = later ?? { told_line: target.lastLine, tries: 0, due_at: now + quietMs };
      await claimed(target, { ...given, failed_at: now, failure });
    },

    async gone({ principal, target, claim }) {
      await db.write(tx =>
        tx
          .deleteFrom('inbox_targets')
          .where('principal', '=', principal)
          .where('target', '=', target)
          .where('claim', '=', claim)
          .execute(),
      );
    },
  };
}
