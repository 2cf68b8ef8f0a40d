/** Checks the options of a server library instance, and completes them once. */
import { randomBytes } from 'node:crypto';
import type { Channel } from '@midcall/core/form';
import {
  anything,
  checkOptions,
  count,
  duration,
  flag,
  func,
  having,
  type Kinds,
  listOf,
  name,
  notNegative,
  oneOf,
  parts,
  storeKind,
} from '@midcall/core/options';
import { boundedStore } from '@midcall/core/store';
import { clockKind, idleClock, systemClock } from '@midcall/core/time';
import { noWake } from './base/index.ts';
import { embeddedJobs } from './jobs/index.ts';
import { measured, operatorSinks, WaitingCalls } from './observe/index.ts';
import { channels } from './questions/index.ts';
import { CallStops, type Config, type MidcallOptions, type PagesHost } from './request/index.ts';
import { type Ceiling, ceiling } from './roots/index.ts';
import { claims, createSealer, keyRing, Shares, sealedStore } from './state/index.ts';
import { memoryStore } from './stores/memory.ts';

/** A claim lives as long as its state could, so a busy server has many; a full store refuses new ones. */
const MAX_CLAIMS = 1_000_000;

const kinds: Kinds<MidcallOptions> = {
  key: anything,
  store: storeKind,
  jobs: having('a queue of jobs', 'add', 'remove', 'start', 'close'),
  wake: having('redisWake(…) of @midcall/server/fleet, or the like', 'wake', 'listen', 'close'),
  principal: func,
  audience: name,
  maxRounds: count,
  strict: flag,
  askTimeoutMs: duration,
  stateTtlMs: duration,
  maxStateLength: count,
  maxStoredPerPerson: count,
  suspectBelowMs: notNegative,
  channels: listOf(oneOf(...channels.map(({ name }) => name))),
  pages: having('the pages made by connect(…) of @midcall/server/connect', 'attach'),
  inbox: having('the inbox made by openInbox(…) of @midcall/inbox', 'whyNot', 'ask', 'look', 'withdraw', 'listen'),
  holdMs: duration,
  taskAfterMs: notNegative,
  roots: parts<NonNullable<MidcallOptions['roots']>>({
    ceiling: listOf(name),
    mode: oneOf('narrow', 'replace', 'ignore'),
    requireStrong: flag,
    guarantee: oneOf('held', 'checked'),
    askWhereDeprecated: flag,
  }),
  sampling: parts<NonNullable<MidcallOptions['sampling']>>({
    model: having('a model, such as modelRouter(…) of @midcall/server/models', 'choose', 'run'),
    askWhereDeprecated: flag,
  }),
  audit: func,
  onError: func,
  observe: func,
  warn: func,
  clock: clockKind,
  duplicateWaitMs: duration,
};

/** What one person may take of the store by default, in characters: an eighth of what a memory store holds. */
const MOST_STORED = 33_554_432;
/**
 * What the results of one person, and of all, may take, in characters. They are kept for two minutes, so each process counts
 * what it has stored itself.
 */
const results = { most: 16_777_216, mostInAll: 67_108_864, roundMs: 10_000 };

/** The maximum size of a journal in the store, in characters. */
const MAX_SEALED = 16_777_216;

/**
 * @throws TypeError for an option that is unknown or not what it may be; MidcallError `server/setup` for a bad key, `roots/…` for
 *   a directory that cannot be a boundary
 */
export function configure(options: MidcallOptions): Config {
  checkOptions('midcall', options, kinds);
  for (const { name, lacks } of channels) {
    const lacking = options.channels?.includes(name) && lacks?.(options);
    if (lacking) throw new TypeError(`midcall: channels has '${name}', but ${lacking}.`);
  }
  const used =
    options.channels ??
    channels.filter(channel => channel.byDefault && !channel.lacks?.(options)).map(({ name }) => name);
  const clock = options.clock ?? systemClock;
  const quietClock = options.clock ?? idleClock;
  const store = options.store ? boundedStore(options.store, clock) : memoryStore({ clock, maxEntries: MAX_CLAIMS });
  const id = () => randomBytes(16).toString('base64url');
  let own: string | undefined;
  // Generated on first use: a worker may not generate random values while it is loaded.
  const process = () => {
    own ??= id();
    return own;
  };
  const keys = keyRing(options.key);
  const { warn, onError, ...sinks } = operatorSinks(options);
  const warned = new Set<string>();
  const sealer = createSealer(keys, { maxLength: MAX_SEALED });
  const sealed = options.store ? sealedStore(store, sealer) : store;
  const audit = measured(sinks.audit);
  const wake = options.wake ?? noWake;
  const host: PagesHost = {
    store,
    sealer,
    wake,
    // A page that nobody comes to keeps no process alive.
    clock: quietClock,
    warn,
    audit: (call, event) => audit({ at: clock.now(), call, ...event }),
  };
  return {
    keys,
    sealer,
    store,
    contents: sealed,
    claims: claims({
      store,
      results: sealed,
      shares: new Shares({ store: memoryStore({ clock }), clock, ...results }),
      clock,
      process,
      waitMs: options.duplicateWaitMs ?? 25_000,
    }),
    waiting: new WaitingCalls({ store, sealed, clock }),
    shares: new Shares({ store, clock, most: options.maxStoredPerPerson ?? MOST_STORED }),
    jobs: options.jobs ?? embeddedJobs({ store: options.store && store, clock: quietClock, warn }),
    wake,
    principal: options.principal,
    audience: options.audience,
    maxRounds: options.maxRounds ?? 9,
    strict: options.strict ?? false,
    askTimeoutMs: options.askTimeoutMs ?? 15 * 60_000,
    stateTtlMs: options.stateTtlMs ?? 60 * 60_000,
    maxStateLength: options.maxStateLength ?? 32_768,
    suspectBelowMs: options.suspectBelowMs ?? 250,
    channels: used,
    resume: ticketsOf(used, options),
    cards: channels.some(channel => channel.byApp && used.includes(channel.name)),
    pages: options.pages?.attach(host),
    inbox: options.inbox,
    holdMs: options.holdMs ?? 40_000,
    taskAfterMs: options.taskAfterMs ?? 20_000,
    ceiling: ceilingOf(options.roots),
    rootsOn2026: options.roots?.askWhereDeprecated ?? false,
    samplingModel: options.sampling?.model,
    samplingOn2026: options.sampling?.askWhereDeprecated ?? false,
    audit,
    onError,
    observe: options.observe,
    warn,
    warnOnce(topic, message) {
      if (warned.has(topic)) return;
      warned.add(topic);
      warn(message);
    },
    stops: new CallStops(),
    clock,
    idleClock: quietClock,
    id,
    process,
  };
}

/** Which clients may get a ticket, by the channels that an ask may use. */
function ticketsOf(used: readonly Channel[], options: MidcallOptions): Config['resume'] {
  const tickets = channels
    .filter(channel => (used.includes(channel.name) || channel.onWhereNamed) && !channel.lacks?.(options))
    .map(channel => channel.tickets);
  return tickets.includes('any-client') ? 'any-client' : tickets.find(each => each !== undefined);
}

/** What the operator allows `call.files()`. */
export function ceilingOf({ askWhereDeprecated: _, ...options }: NonNullable<MidcallOptions['roots']> = {}): Ceiling {
  return ceiling(options);
}
