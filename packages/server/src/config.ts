/** The options of a server library instance, as they are given and as they are completed. */

import type { Channel } from '@midcall/core/form';
import type { SamplingModel } from '@midcall/core/sampling';
import type { Store } from '@midcall/core/store';
import type { Clock } from '@midcall/core/time';
import type { PageService, Pages } from './channels/page/pages.ts';
import type { Jobs } from './jobs/jobs.ts';
import type { AuditSink, CallRef, ErrorSink } from './observe/audit.ts';
import type { Observer } from './observe/observe.ts';
import type { WaitingCalls } from './observe/waiting-calls.ts';
import type { PrincipalOf } from './principal.ts';
import type { Boundary, BoundaryOptions } from './roots/index.ts';
import type { Claims } from './state/claims.ts';
import type { HeldStates } from './state/held-states.ts';
import type { KeyRing, KeySource } from './state/keys.ts';
import type { Sealer } from './state/seal.ts';
import type { Wake } from './wake.ts';

/** What `midcall()` takes; every part has a safe default. */
export interface MidcallOptions {
  /**
   * Seals the state between rounds. `MIDCALL_KEY` or `MIDCALL_KEY_FILE` where absent, else a key of this process: then a
   * restart or another replica cannot go on with a call, which is said loudly over HTTP.
   */
  readonly key?: KeySource;
  /** Where claims, steps and large journals live; this process's memory where absent. */
  readonly store?: Store;
  /** Runs calls on that go on without a request; this process does where absent, from what lies in the store. */
  readonly jobs?: Jobs;
  /** Wakes what waits in other processes that share the store, which else look once a second; nothing does where absent. */
  readonly wake?: Wake;
  /** The person behind an HTTP request: verified issuer and subject. On stdio it is the OS user. */
  readonly principal?: PrincipalOf;
  /** Tells servers that share a key apart; the server's name where absent. */
  readonly audience?: string;
  /**
   * Rounds after which a call becomes a task, or its request ends: with a ticket if the server has pages or the relay, and otherwise
   * with an explanation. 9 where absent, since a 2026 client gives up at ten.
   */
  readonly maxRounds?: number;
  /**
   * For development: runs the handler again from the top after every round of questions on 2025-11-25 too, as 2026-07-28 does,
   * so that what differs from run to run shows in both.
   */
  readonly strict?: boolean;
  /** Milliseconds a person has for one question where the ask does not say; 15 minutes where absent. */
  readonly askTimeoutMs?: number;
  /** Milliseconds a state lives beyond the last deadline in it; 1 hour where absent. */
  readonly stateTtlMs?: number;
  /** Characters of the longest state that travels; 32,768 where absent. Longer journals stay in the store. */
  readonly maxStateLength?: number;
  /** Milliseconds; an accept faster than this looks automatic. 250 where absent. */
  readonly suspectBelowMs?: number;
  /** Channels a question may take where the ask does not say; native where absent, and page where `pages` are given. */
  readonly channels?: readonly Channel[];
  /** Pages of ours for answers that must not pass through the model: `connect()` of `@midcall/server/connect`. */
  readonly pages?: Pages;
  /** Milliseconds a 2026-07-28 retry is held while the person is on a page; 40,000 where absent, since clients give up at 60. */
  readonly holdMs?: number;
  /** Milliseconds after which a call becomes a task, for clients that have tasks; 20,000 where absent, and 0 for at once. */
  readonly taskAfterMs?: number;
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
  /** The current time, and timers; this machine's clock where absent. */
  readonly clock?: Clock;
  /** Waits for another presenter of the same retry this long, in milliseconds; 25,000 where absent. */
  readonly duplicateWaitMs?: number;
}

export interface Config {
  readonly keys: KeyRing;
  readonly sealer: Sealer;
  readonly store: Store;
  /** The store for contents: encrypted, except in this process's own memory. */
  readonly contents: Store;
  readonly claims: Claims;
  /** Round states that stay in this process; undefined where another could go on with a call. */
  readonly held: HeldStates | undefined;
  /** Of this process, and of every other that shares the store. */
  readonly waiting: WaitingCalls;
  readonly jobs: Jobs;
  readonly wake: Wake;
  readonly principal: PrincipalOf | undefined;
  readonly audience: string | undefined;
  readonly maxRounds: number;
  readonly strict: boolean;
  readonly askTimeoutMs: number;
  readonly stateTtlMs: number;
  readonly maxStateLength: number;
  readonly suspectBelowMs: number;
  readonly channels: readonly Channel[];
  readonly pages: PageService | undefined;
  readonly holdMs: number;
  /** Milliseconds after which a call becomes a task. */
  readonly taskAfterMs: number;
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
  readonly clock: Clock;
  /** Its timers keep no process alive. */
  readonly idleClock: Clock;
  readonly id: () => string;
  /** Names this process. */
  readonly process: () => string;
}
