/** The options of a server library instance, checked and completed once. */

import type { Channel } from '@midcall/core/form';
import {
  anything,
  checkOptions,
  count,
  flag,
  func,
  having,
  type Kinds,
  listOf,
  name,
  notNegative,
  oneOf,
  parts,
  positive,
  storeKind,
} from '@midcall/core/options';
import type { SamplingModel } from '@midcall/core/sampling';
import type { Store } from '@midcall/core/store';
import { boundedStore } from '@midcall/core/store';
import type { AuditSink, CallRef, ErrorSink } from './audit.ts';
import { startTimer } from './engine/timer.ts';
import type { Observer } from './observe.ts';
import type { PrincipalOf } from './principal.ts';
import { type Boundary, type BoundaryOptions, boundary } from './roots/index.ts';
import { type Claims, claims } from './state/claims.ts';
import { type KeyRing, type KeySource, keyRing } from './state/keys.ts';
import { pooledRandom } from './state/pooled-random.ts';
import { createSealer, type Sealer } from './state/seal.ts';
import { sealedStore } from './state/sealed-store.ts';
import { memoryStore } from './stores/memory.ts';
import type { PageRoad, Pages, PagesHost } from './url/pages.ts';

/** A claim lives as long as its state could, so a busy server holds many; a full store refuses. */
const MAX_CLAIMS = 1_000_000;

/** What `midcall()` takes; every part has a safe default. */
export interface MidcallOptions {
  /**
   * Seals the state between rounds. `MIDCALL_KEY` or `MIDCALL_KEY_FILE` where absent, else a key of this process: then a
   * restart or another replica cannot go on with a call, which is said loudly over HTTP.
   */
  readonly key?: KeySource;
  /** Where claims, steps and large journals live; this process's memory where absent. */
  readonly store?: Store;
  /** The person behind an HTTP request: verified issuer and subject. On stdio it is the OS user. */
  readonly principal?: PrincipalOf;
  /** Tells servers that share a key apart; the server's name where absent. */
  readonly audience?: string;
  /** Rounds after which a call ends with an explanation; 9 where absent, since a 2026 client gives up at ten. */
  readonly maxRounds?: number;
  /** Milliseconds a person has for one question where the ask does not say; 15 minutes where absent. */
  readonly askTimeoutMs?: number;
  /** Milliseconds a state lives beyond the last deadline in it; 1 hour where absent. */
  readonly stateTtlMs?: number;
  /** Characters of the longest state that travels; 32,768 where absent. Longer journals stay in the store. */
  readonly maxStateLength?: number;
  /** Milliseconds; an accept faster than this looks automatic. 250 where absent. */
  readonly suspectBelowMs?: number;
  /** Roads a question may take where the ask does not say; native where absent, and page where `pages` are given. */
  readonly channels?: readonly Channel[];
  /** Pages of ours for answers that must not pass through the model: `connect()` of `@midcall/server/connect`. */
  readonly pages?: Pages;
  /** Milliseconds a 2026-07-28 retry is held while the person is on a page; 40,000 where absent, since clients give up at 60. */
  readonly holdMs?: number;
  /** The boundary of `call.files()`: the operator's directories, and how the client's roots change them. */
  readonly roots?: BoundaryOptions & {
    /** True to ask 2026-07-28 clients for their roots, per call; deprecated in that revision. */
    readonly askWhereDeprecated?: boolean;
  };
  /** How `call.sample` may reach a model. */
  readonly sampling?: {
    /** Used where the client offers no model; such as `modelRouter` of `@midcall/server/models`. */
    readonly model?: SamplingModel;
    /** True to ask 2026-07-28 clients for their model; deprecated in that revision. */
    readonly askWhereDeprecated?: boolean;
  };
  readonly audit?: AuditSink;
  /** Takes the error of every call that failed, and every mistake in the use of this library, with its stack. */
  readonly onError?: ErrorSink;
  /** Told what handlers do while they run; for tests, see `explore` in `@midcall/testing`. */
  readonly observe?: Observer;
  /** Takes warnings for the operator; standard error where absent. */
  readonly warn?: (message: string) => void;
  /** Milliseconds since the epoch. */
  readonly now?: () => number;
  /** Runs a function later; the result takes it back. */
  readonly timer?: (fn: () => void, ms: number) => () => void;
  /** Waits for another presenter of the same retry this long, in milliseconds; 25,000 where absent. */
  readonly duplicateWaitMs?: number;
}

const kinds: Kinds<MidcallOptions> = {
  key: anything,
  store: storeKind,
  principal: func,
  audience: name,
  maxRounds: count,
  askTimeoutMs: positive,
  stateTtlMs: positive,
  maxStateLength: positive,
  suspectBelowMs: notNegative,
  channels: listOf(oneOf('native', 'page', 'relay')),
  pages: having('the pages made by connect(…) of @midcall/server/connect', 'attach'),
  holdMs: positive,
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
  now: func,
  timer: func,
  duplicateWaitMs: positive,
};

export interface Config {
  readonly keys: KeyRing;
  readonly sealer: Sealer;
  readonly store: Store;
  /** The store for contents: sealed, except in this process's own memory. */
  readonly kept: Store;
  readonly claims: Claims;
  readonly principal: PrincipalOf | undefined;
  readonly audience: string | undefined;
  readonly maxRounds: number;
  readonly askTimeoutMs: number;
  readonly stateTtlMs: number;
  readonly maxStateLength: number;
  readonly suspectBelowMs: number;
  readonly channels: readonly Channel[];
  readonly pages: PageRoad | undefined;
  readonly holdMs: number;
  /** Replaced as a whole where the operator's directories change. */
  boundary: Boundary;
  readonly rootsOn2026: boolean;
  readonly samplingModel: SamplingModel | undefined;
  readonly samplingOn2026: boolean;
  readonly audit: AuditSink | undefined;
  /** Never throws; undefined where nobody listens. */
  readonly onError: ((error: unknown, call: CallRef) => void) | undefined;
  readonly observe: Observer | undefined;
  readonly warn: (message: string) => void;
  /** Warns the first time for each topic. */
  readonly warnOnce: (topic: string, message: string) => void;
  readonly now: () => number;
  readonly timer: (fn: () => void, ms: number) => () => void;
  readonly id: () => string;
}

/** Characters of the largest journal the store is given. */
const MAX_SEALED = 16_777_216;

/**
 * @throws TypeError for an option that is unknown or not what it may be; MidcallError `server/setup` for a bad key, `roots/…` for
 *   a directory that cannot be a boundary
 */
export function configure(options: MidcallOptions): Config {
  checkOptions('midcall', options, kinds);
  if (options.channels?.includes('page') && !options.pages)
    throw new TypeError("midcall: channels has 'page', but there are no pages: give pages: connect(…) as well.");
  const now = options.now ?? Date.now;
  const timer = options.timer ?? startTimer;
  const store = options.store ? boundedStore(options.store, timer) : memoryStore({ now, maxEntries: MAX_CLAIMS });
  const random = pooledRandom();
  const id = () => random(16).toString('base64url');
  const keys = keyRing(options.key);
  const warn = options.warn ?? (message => process.stderr.write(`${message}\n`));
  const warned = new Set<string>();
  const sealer = createSealer(keys, { maxLength: MAX_SEALED });
  const kept = options.store ? sealedStore(store, sealer) : store;
  const { audit } = options;
  const host: PagesHost = {
    store,
    sealer,
    now,
    // A page that nobody comes to keeps no process alive.
    timer: options.timer ?? startIdleTimer,
    warn,
    audit: (call, event) => audit?.({ at: now(), call, ...event }),
  };
  return {
    keys,
    sealer,
    store,
    kept,
    claims: claims({
      store,
      results: kept,
      now,
      timer,
      id,
      waitMs: options.duplicateWaitMs ?? 25_000,
    }),
    principal: options.principal,
    audience: options.audience,
    maxRounds: options.maxRounds ?? 9,
    askTimeoutMs: options.askTimeoutMs ?? 15 * 60_000,
    stateTtlMs: options.stateTtlMs ?? 60 * 60_000,
    maxStateLength: options.maxStateLength ?? 32_768,
    suspectBelowMs: options.suspectBelowMs ?? 250,
    channels: options.channels ?? (options.pages ? ['native', 'page'] : ['native']),
    pages: options.pages?.attach(host),
    holdMs: options.holdMs ?? 40_000,
    boundary: drawn(options.roots),
    rootsOn2026: options.roots?.askWhereDeprecated ?? false,
    samplingModel: options.sampling?.model,
    samplingOn2026: options.sampling?.askWhereDeprecated ?? false,
    audit,
    onError: options.onError && listening(options.onError, warn),
    observe: options.observe,
    warn,
    warnOnce(topic, message) {
      if (warned.has(topic)) return;
      warned.add(topic);
      warn(message);
    },
    now,
    timer,
    id,
  };
}

/** A listener that fails breaks no call. */
function listening(onError: ErrorSink, warn: (message: string) => void): (error: unknown, call: CallRef) => void {
  // Its text may hold what the error did.
  const failed = (error: unknown) =>
    warn(`midcall: onError failed itself (${(error as Error | null)?.name ?? 'error'}).`);
  return (error, call) => void new Promise<void>(resolve => resolve(onError(error, call))).catch(failed);
}

function startIdleTimer(fn: () => void, ms: number): () => void {
  const timer = setTimeout(fn, ms).unref();
  return () => clearTimeout(timer);
}

/** The boundary of `call.files()`. */
export function drawn({ askWhereDeprecated: _, ...options }: NonNullable<MidcallOptions['roots']> = {}): Boundary {
  return boundary(options);
}
