/** Bridges in this process that share a stored inbox. */
import { randomUUID } from 'node:crypto';
import { defined } from '@midcall/core/json';
import { type Clock, systemClock } from '@midcall/core/time';
import { type Ending, Inbox, type Question, type Reply } from '@midcall/host';
import type { PersonQuestions } from '@midcall/host/web';
import {
  type Asked,
  type InboxStore,
  type InboxStoreOptions,
  openInboxStore,
  openStore,
  type StoreHome,
} from '../../packages/inbox/src/store/index.ts';
import { eventually } from '../fixtures/grown.ts';

export const key = Buffer.from(Array.from({ length: 32 }, (_, at) => at * 7 + 1));
export const yes: Reply = { action: 'accept', content: { sure: true } };

/** A form with one box to tick. */
export function question(message = 'Delete the note?', change: Partial<Question> = {}): Question {
  return {
    id: randomUUID(),
    kind: 'form',
    message,
    fields: [{ kind: 'boolean', name: 'sure', required: true }],
    asker: { id: 'notes', name: 'Notes', origin: 'node notes.js', era: '2026' },
    askedAt: Date.now(),
    ...change,
  } as Question;
}

export interface Bridge {
  readonly store: InboxStore;
  readonly inbox: Inbox;
  readonly errors: unknown[];
  /** Puts a question to somebody. @returns it, and how it ends */
  ask(
    principal: string,
    asked?: Question,
    more?: Partial<Asked>,
  ): Promise<{ readonly id: string; readonly question: Question; readonly ending: Promise<Ending> }>;
  /** Resolves when what was told to the store is written. */
  written(): Promise<void>;
}

const opened = new Set<InboxStore>();

/** A person is told after five seconds that their answer was sent and not yet taken, which is a matter of time. */
const patientClock: Clock = {
  ...systemClock,
  after: (ms, fn) => systemClock.after(ms === 5_000 ? 100_000 : ms, fn),
};

/** @param options - may be a place of a test, which has more */
export async function bridge({ where, clock = patientClock, wake, ...more }: InboxStoreOptions): Promise<Bridge> {
  const errors: unknown[] = [];
  const store = await openInboxStore({
    where,
    key: more.key ?? key,
    onError: error => void errors.push(error),
    ...defined({ clock, wake }),
  });
  opened.add(store);
  const inbox = new Inbox({ onError() {} });
  let writing: Promise<unknown> = Promise.resolve();
  inbox.subscribe(event => {
    if (event.type === 'ended') writing = Promise.all([writing, store.ended(event.question.id, event.ending)]);
  });
  return {
    store,
    inbox,
    errors,
    async ask(principal, asked = question(), more = {}) {
      const { id } = asked;
      const ending = inbox.ask(asked);
      const owner: Asked['owner'] = {
        reply: (reply, via) => inbox.reply(id, reply, via),
        end: how => void inbox.end(id, how),
      };
      await store.ask({ principal, question: asked, owner, ...more });
      return { id, question: asked, ending };
    },
    async written() {
      await writing;
    },
  };
}

/** Opens a store with groups, as `openInbox()` does. @param options - may be a place of a test, which has more */
export async function approvalStore({
  where,
  clock,
  wake,
  ...more
}: InboxStoreOptions & Partial<StoreHome>): Promise<InboxStore> {
  const { groups = {}, home = 'https://pay.example/' } = more;
  const store = await openStore(
    { where, key: more.key ?? key, ...defined({ clock, wake, onError: more.onError }) },
    { groups, home, issuer: 'https://id.example' },
  );
  opened.add(store);
  return store;
}

/** Stops every store that was opened since. */
export async function stopAll(): Promise<void> {
  await Promise.all([...opened].map(store => store.stop()));
  opened.clear();
}

/** A clock that stands still until it is advanced. */
export interface ManualClock extends Clock {
  /** Lets time pass, and calls what is due. */
  advance(ms: number): void;
  set(now: number): void;
  /** The timers that are waiting, in milliseconds from now. */
  waiting(): readonly number[];
}

export function manualClock(): ManualClock {
  let time = Date.now();
  const timers = new Map<() => void, number>();
  return {
    now: () => time,
    after(ms, fn) {
      const due = (): void => fn();
      timers.set(due, time + ms);
      return () => void timers.delete(due);
    },
    advance(ms) {
      const until = time + ms;
      for (;;) {
        const next = [...timers].filter(([, at]) => at <= until).toSorted(([, a], [, b]) => a - b)[0];
        if (!next) break;
        timers.delete(next[0]);
        time = Math.max(time, next[1]);
        next[0]();
      }
      time = until;
    },
    set(to) {
      time = to;
    },
    waiting: () => [...timers.values()].map(at => at - time),
  };
}

/** Resolves when a question of somebody has ended in the database. */
export async function endedThere(person: PersonQuestions, id: string): Promise<{ readonly how: string }> {
  let how = '';
  await eventually(async () => {
    const found = await person.get(id);
    if (found && 'ending' in found) how = found.ending.how;
    return how !== '';
  });
  return { how };
}
