/** Opens the stored inboxes of a bridge, or of several bridges that share a database. */
import { isMidcallError } from '@midcall/core/errors';
import { anything, checkOptions, func, having, name, required } from '@midcall/core/options';
import { type Clock, clockKind, systemClock } from '@midcall/core/time';
import type { Receipt } from '@midcall/host';
import type { PersonQuestions } from '@midcall/host/web';
import type { KeySource, Wake } from '@midcall/server';
import { ApprovalRows } from './approval-reader.ts';
import { Approvals, type Told } from './approvals.ts';
import { approvalTopic, Changes, personTopic } from './changes.ts';
import { type InboxDatabase, openDatabase } from './database.ts';
import { deliveries } from './deliveries.ts';
import { Groups, type InboxGroups } from './groups.ts';
import type { InboxStore } from './inbox-store.ts';
import { OwnQuestions } from './own-questions.ts';
import { passkeys } from './passkeys.ts';
import { people } from './people.ts';
import { endedMs, Questions } from './questions.ts';
import { InboxRecord } from './record.ts';
import { inboxKeys, type Sealed, sealed } from './sealed.ts';
import { sessions } from './sessions.ts';
import { traceEnd } from './trace-end.ts';

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
  return openStore(options, { groups: {}, issuer: '', home: '' });
}

/** What only inboxes with pages have. */
export interface StoreHome {
  readonly groups: InboxGroups;
  /** Whose subjects the names in groups are. */
  readonly issuer: string;
  /** The address of the inboxes. */
  readonly home: string;
  /** Whether the operator's webhook is told of each question. */
  readonly hasWebhook?: boolean;
}

export async function openStore(
  options: InboxStoreOptions,
  { groups, issuer, home, hasWebhook = false }: StoreHome,
): Promise<InboxStore> {
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
  const stored = new ApprovalRows(seal);
  const questions = new Questions(db, seal, record, stored, hasWebhook, onError);
  const told = { clock, wake, failed, worked };
  const announce = ({ people, approvals: ofApprovals, ended }: Told): void => {
    for (const principal of people) changes.tell(principal);
    for (const id of ofApprovals) approvalChanges.tell(id);
    for (const row of ended) traceEnd(row);
  };
  const own: OwnQuestions = new OwnQuestions({
    ...told,
    db,
    questions,
    onError,
    changes: () => changes,
    approvals: () => approvals,
    announce,
  });
  const changes: Changes = new Changes({
    ...told,
    topic: personTopic,
    versions: principals => questions.versions(principals),
    mailbox: { isOpen: () => own.hasOpen, look: () => own.look() },
  });
  const approvals = new Approvals({
    ...{ db, questions, record, stored, issuer, home, clock, announce },
    groups: new Groups(seal, groups, issuer),
  });
  const approvalChanges = new Changes({ ...told, topic: approvalTopic, versions: ids => approvals.versions(ids) });
  if (home !== '') {
    try {
      await approvals.reconfigure();
    } catch (error) {
      await own.stop();
      await db.close();
      throw error;
    }
  }
  /** Those that could not be withdrawn yet. */
  const withdrawing = new Set<string>();
  const withdraw = async (id: string): Promise<void> => {
    try {
      await approvals.withdraw(id);
    } catch (error) {
      if (!withdrawing.has(id)) {
        withdrawing.add(id);
        void own.later(() => approvals.withdraw(id)).finally(() => withdrawing.delete(id));
      }
      throw error;
    }
  };
  let callOffDelete = (): void => {};
  const deleteOld = async (): Promise<void> => {
    const now = clock.now();
    await Promise.all([questions.deleteOld(now), approvals.deleteOld(now - endedMs)]).then(worked, failed);
    callOffDelete = clock.after(deleteMs, () => {
      deleting = deleteOld();
    });
  };
  let deleting = deleteOld();
  return {
    ask: asked => own.ask(asked),
    ended: (id, ending) => own.ended(id, ending),
    tellWait: (callId, wait) => own.tellWait(callId, wait),
    person: principal => personQuestions(principal, { questions, approvals, changes, clock }),
    approvals: {
      whyNot: asked => approvals.whyNot(asked),
      async ask(asked, { isOwn = false } = {}) {
        if (!isOwn) return approvals.ask(asked);
        try {
          await own.owning(join => approvals.ask(asked, join));
        } catch (error) {
          // Whether a transaction that failed as it was committed is in the database is not known.
          if (isMidcallError(error, 'store/unavailable')) void withdraw(asked.id).catch(() => {});
          throw error;
        }
      },
      look: id => approvals.look(id),
      withdraw,
      listen(id, listener) {
        const { begins, end } = approvalChanges.watch(id, listener);
        // A change before the first look at the database would be missed.
        void begins.then(listener);
        return end;
      },
    },
    sessions: sessions({ db, sealed: seal, approvals, clock, announce }),
    passkeys: passkeys({ db, sealed: seal, record, clock }, principal => changes.tell(principal)),
    people: people({
      ...{ db, sealed: seal, record, approvals, clock },
      announce(whom, bridges) {
        announce(whom);
        changes.tellBridges(bridges);
      },
    }),
    record,
    deliveries: deliveries({ db, sealed: seal, clock }),
    backup: to => db.backup(to),
    async stop() {
      await own.stop();
      await Promise.all([changes.stop(), approvalChanges.stop()]);
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

/** What answers a person. */
interface PersonParts {
  readonly questions: Questions;
  readonly approvals: Approvals;
  readonly changes: Changes;
  readonly clock: Clock;
}

function personQuestions(principal: string, { questions, approvals, changes, clock }: PersonParts): PersonQuestions {
  const current = async <T>(read: () => Promise<T>): Promise<T> => {
    await approvals.expire(principal);
    return read();
  };
  return {
    open: (from, limit) => current(() => questions.open(principal, from, limit)),
    ended: (from, limit) => current(() => questions.ended(principal, from, limit)),
    get: id => current(() => questions.get(principal, id)),
    subscribe: listener => changes.watch(principal, listener).end,
    async reply(id, reply, proof) {
      const voted = await approvals.vote(principal, id, reply, proof);
      if (voted) return voted;
      let look = (): void => {};
      const watch = changes.watch(principal, () => look());
      try {
        await watch.begins;
        const sent = await questions.put(principal, id, reply);
        // Those before it are on their way, and it would come too late.
        if (sent === 'full') return 'sent';
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
