/** Opens the stored inboxes of a bridge, or of several bridges that share a database. */
import { anything, checkOptions, func, having, name, required } from '@midcall/core/options';
import { type Clock, clockKind, systemClock } from '@midcall/core/time';
import type { Receipt } from '@midcall/host';
import type { PersonQuestions } from '@midcall/host/web';
import type { KeySource, Wake } from '@midcall/server';
import { Changes } from './changes.ts';
import { type InboxDatabase, openDatabase } from './database.ts';
import type { InboxStore } from './inbox-store.ts';
import { OwnQuestions } from './own-questions.ts';
import { passkeys } from './passkeys.ts';
import { people } from './people.ts';
import { Questions } from './questions.ts';
import { InboxRecord } from './record.ts';
import { inboxKeys, type Sealed, sealed } from './sealed.ts';
import { sessions } from './sessions.ts';

/** How the inbox is opened. */
export interface InboxStoreOptions {
  /** The path of a SQLite file, which is created if missing; or the address of a Postgres database, `postgres://…`. */
  readonly where: string;
  /**
   * The key that contents are sealed with; several bridges share it. If absent, that of the environment (`MIDCALL_KEY`), and for SQLite
   * that in the file beside the database whose name ends in `.key`, which is created with the database.
   */
  readonly key?: KeySource;
  readonly clock?: Clock;
  /** Wakes other bridges that share the database; they find everything without it, too, though later. */
  readonly wake?: Wake;
  /** Called once with the error of a database that cannot be used while nobody waits for it, until it can be used again. */
  readonly onError?: (error: unknown) => void;
}

const wakeKind = having('what redisWake() returns', 'wake', 'listen', 'close');
/** How long a page waits to be told what became of a reply. */
const receiptMs = 5_000;
/** How often what is old is deleted. */
const deleteMs = 60 * 60 * 1_000;

/**
 * Opens the inbox, creates it if it is missing, and brings its tables up to date.
 * @throws MidcallError `server/setup` if the key, the address or a package is missing or wrong; `store/corrupt` if the file is damaged
 *   or another program's; `store/unavailable` if the database cannot be used
 * @example
 * ```ts
 * const store = await openInboxStore({ where: 'inbox.db' });
 * for (const { principal, open } of await store.people.list()) console.log(`${principal} has ${open} questions.`);
 * await store.stop();
 * ```
 */
export async function openInboxStore(options: InboxStoreOptions): Promise<InboxStore> {
  checkOptions('openInboxStore', options, {
    where: required(name),
    key: anything,
    clock: clockKind,
    wake: wakeKind,
    onError: func,
  });
  const { where, key, clock = systemClock, wake, onError = () => {} } = options;
  let hasFailed = false;
  const failed = (error: unknown): void => {
    if (!hasFailed) onError(error);
    hasFailed = true;
  };
  const worked = (): void => {
    hasFailed = false;
  };
  const seal = sealed(inboxKeys(where, key));
  const db = await openDatabase(where, failed);
  const record = new InboxRecord(db, seal, clock);
  try {
    await checkKey(db, seal, record);
  } catch (error) {
    await db.close();
    throw error;
  }
  const questions = new Questions(db, seal, record);
  const told = { clock, wake, failed, worked };
  const own: OwnQuestions = new OwnQuestions({ ...told, db, questions, onError, changes: () => changes });
  const changes: Changes = new Changes({
    ...told,
    versions: principals => questions.versions(principals),
    lookAtMailbox: () => own.look(),
    hasMailbox: () => own.hasOpen,
  });
  let callOffDelete = (): void => {};
  const deleteOld = async (): Promise<void> => {
    await questions.deleteOld(clock.now()).then(worked, failed);
    callOffDelete = clock.after(deleteMs, () => {
      deleting = deleteOld();
    });
  };
  let deleting = deleteOld();
  return {
    ask: asked => own.ask(asked),
    ended: (id, ending) => own.ended(id, ending),
    tellWait: (callId, wait) => own.tellWait(callId, wait),
    person: principal => personQuestions(principal, questions, changes, clock),
    sessions: sessions({ db, sealed: seal, clock }, principal => changes.tell(principal)),
    passkeys: passkeys({ db, sealed: seal, record, clock }, principal => changes.tell(principal)),
    people: people({ db, sealed: seal, record, clock }, (principal, bridges) => {
      changes.tell(principal);
      changes.tellBridges(bridges);
    }),
    record,
    backup: to => db.backup(to),
    async stop() {
      await own.stop();
      await changes.stop();
      await deleting;
      callOffDelete();
      await db.close();
    },
  };
}

const keyCheck = { text: 'midcall inbox', place: 'key check' };

/** @throws MidcallError `server/setup` if the inbox was sealed with another key */
async function checkKey(db: InboxDatabase, sealed: Sealed, record: InboxRecord): Promise<void> {
  await record.begin(sealed.seal(keyCheck.text, keyCheck.place));
  const { key_check } = await db.read(read =>
    read.selectFrom('inbox_head').select('key_check').executeTakeFirstOrThrow(),
  );
  sealed.open(key_check, keyCheck.place);
  if (!sealed.outdated(key_check)) return;
  const anew = sealed.seal(keyCheck.text, keyCheck.place);
  await db.write(tx => tx.updateTable('inbox_head').set({ key_check: anew }).execute());
}

function personQuestions(principal: string, questions: Questions, changes: Changes, clock: Clock): PersonQuestions {
  return {
    open: (from, limit) => questions.open(principal, from, limit),
    ended: (from, limit) => questions.ended(principal, from, limit),
    get: id => questions.get(principal, id),
    subscribe: listener => changes.watch(principal, listener).end,
    async reply(id, reply) {
      let look = (): void => {};
      const watch = changes.watch(principal, () => look());
      try {
        await watch.begins;
        const sent = await questions.put(principal, id, reply);
        if (!sent) return (await questions.receiptOf(principal, id)) ?? { ok: false, problem: 'unknown' };
        return await new Promise<Receipt | 'sent'>(resolve => {
          const callOff = clock.after(receiptMs, () => resolve('sent'));
          const received = (receipt: Receipt | undefined): void => {
            if (!receipt) return;
            callOff();
            resolve(receipt);
          };
          // If it cannot be read now, it may be at the next change.
          look = () => void questions.receiptOf(principal, id, sent.id).then(received, () => {});
          changes.tell(principal);
          changes.tellBridges([sent.bridge]);
          look();
        });
      } finally {
        watch.end();
      }
    },
  };
}
