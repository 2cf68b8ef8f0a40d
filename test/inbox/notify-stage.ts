/** Inboxes in this process that tell devices and a webhook, with clocks that stand still. */

import { Inbox, type Question } from '@midcall/host';
import { provider } from '@midcall/server/connect';
import {
  type Deliveries,
  type InboxService,
  type InboxServiceOptions,
  openInbox,
} from '../../packages/inbox/src/public.ts';
import type { Receiver } from './push-receiver.ts';
import { key, type ManualClock, manualClock, question } from './stage.ts';

export interface Service {
  readonly inbox: InboxService;
  readonly clock: ManualClock;
  readonly errors: unknown[];
  readonly publicKey: string;
  /** Lets somebody sign in. */
  signIn(principal: string): Promise<{ readonly at: string; readonly cookie: string }>;
  /** Asks somebody. @returns what ends it */
  ask(principal: string, asked?: Question): Promise<{ readonly id: string; end(): Promise<void> }>;
  /** Lets it look at what is to be told. */
  look(): void;
  /** Lets time pass, and waits for what is done meanwhile. */
  pass(ms: number): Promise<void>;
  /** Lets time pass at once, and waits for reads and writes, but for no receiver. */
  step(ms: number): Promise<void>;
}

/** Those that run, and whether each has said that it is there since that was due: others would take it for gone. */
const opened = new Map<InboxService, () => boolean>();
/** What all of them are doing: reads and writes, and attempts whose end is not written. */
let doing = 0;
let telling = 0;

/** Resolves when all of them have become still. */
async function still(isStill: () => boolean): Promise<void> {
  for (let calm = 0; calm < 3; ) {
    await new Promise(resolve => setImmediate(resolve));
    calm = isStill() ? calm + 1 : 0;
  }
}

/** Resolves when none of them does anything until time passes. */
const idle = (): Promise<void> =>
  still(() => doing === 0 && telling === 0 && [...opened.values()].every(isThere => isThere()));

/** How often a process says that it is there. It has no timer for that while it does. */
const beatMs = 3_000;

/** A clock of its own, at the same time. */
function ownClock(clock: ManualClock): { readonly clock: ManualClock; readonly isThere: () => boolean } {
  const beats = new Set<() => void>();
  const after: ManualClock['after'] = (ms, does) => {
    const due = (): void => {
      beats.delete(due);
      does();
    };
    if (ms === beatMs) beats.add(due);
    const callOff = clock.after(ms, due);
    return () => {
      beats.delete(due);
      callOff();
    };
  };
  return { clock: { ...clock, after }, isThere: () => beats.size > 0 };
}

/** Counts what the notifier does by it. */
function counted(deliveries: Deliveries): void {
  const all = deliveries as unknown as Record<string, (...args: unknown[]) => Promise<unknown>>;
  for (const [name, does] of Object.entries(all)) {
    all[name] = async (...args) => {
      doing += 1;
      try {
        const done = await does.apply(deliveries, args);
        if (name === 'claim') telling += (done as readonly unknown[]).length;
        return done;
      } finally {
        if (['putOff', 'drop', 'told', 'failed', 'gone'].includes(name)) telling -= 1;
        doing -= 1;
      }
    };
  }
}

export const publicUrl = new URL('http://localhost:8080');

/** @param to - the receivers that it may tell */
export async function service(
  where: string,
  to: readonly Receiver[] = [],
  { clock = manualClock(), ...more }: Partial<InboxServiceOptions> & { readonly clock?: ManualClock } = {},
): Promise<Service> {
  const errors: unknown[] = [];
  const issuer = provider({ id: 'login', issuer: 'http://localhost:9', clientId: 'inbox', clientSecret: 'x' });
  const own = ownClock(clock);
  const running = await openInbox({
    ...{ where, key, issuer, publicUrl, clock: own.clock, allowedTargets: to.map(({ host }) => host) },
    onError: error => void errors.push(error),
    ...more,
  });
  const inbox: InboxService = {
    ...running,
    stop() {
      opened.delete(inbox);
      return running.stop();
    },
  };
  opened.set(inbox, own.isThere);
  counted(inbox.store.deliveries);
  const questions = new Inbox({ onError() {} });
  return {
    ...{ inbox, clock, errors },
    publicKey: (await inbox.store.deliveries.keys()).publicKey,
    signIn: principal => inbox.store.sessions.begin({ principal, name: principal }),
    async ask(principal, asked = question()) {
      const { id } = asked;
      void questions.ask(asked);
      const owner = { reply: async () => ({ ok: true }) as const, end() {} };
      await inbox.store.ask({ principal, question: asked, owner });
      return { id, end: () => inbox.store.ended(id, { how: 'withdrawn' }) };
    },
    look: () => clock.advance(5_000),
    async pass(ms) {
      await idle();
      for (let left = ms; left > 0; left -= 1_000) {
        clock.advance(Math.min(left, 1_000));
        await idle();
      }
    },
    async step(ms) {
      clock.advance(ms);
      await still(() => doing === 0);
    },
  };
}

/** Stops every one that was opened since. */
export async function stopServices(): Promise<void> {
  await Promise.all([...opened.keys()].map(each => each.stop()));
  [doing, telling] = [0, 0];
}
