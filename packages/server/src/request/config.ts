/** The options of a server library instance, as they are given and as they are completed. */

import type { Channel } from '@midcall/core/form';
import type { SamplingModel } from '@midcall/core/sampling';
import type { Store } from '@midcall/core/store';
import type { Clock } from '@midcall/core/time';
import type { ServerContext } from '@modelcontextprotocol/server';
import type { Principal, Wake } from '../base/index.ts';
import type { Jobs } from '../jobs/index.ts';
import type { Observer, WaitingCalls } from '../observe/index.ts';
import type { BoundaryOptions, Ceiling } from '../roots/index.ts';
import type { AuditSink, CallRef, Claims, ErrorSink, KeyRing, KeySource, Sealer, Shares } from '../state/index.ts';
import type { ApprovalInbox } from './approvals.ts';
import type { CallStops } from './instance.ts';
import type { PageService, Pages } from './pages.ts';

/** Finds the person behind a request; over HTTP from a verified token, never from what the client says about itself. */
export type PrincipalOf = (ctx: ServerContext) => Principal | undefined | Promise<Principal | undefined>;

/** What `midcall()` takes; every part has a safe default. */
export interface MidcallOptions {
  /**
   * Seals the state between rounds. `MIDCALL_KEY` or `MIDCALL_KEY_FILE` if absent, otherwise a key of this process: then a
   * restart or another replica cannot continue a call, and a loud warning is given over HTTP.
   */
  readonly key?: KeySource;
  /** Where claims, steps and large journals live; this process's memory if absent. */
  readonly store?: Store;
  /** Runs calls that continue without a request; if absent, this process does, from the records in the store. */
  readonly jobs?: Jobs;
  /** Wakes waiting calls in other processes that share the store; without it, they poll once a second. */
  readonly wake?: Wake;
  /** The person behind an HTTP request: verified issuer and subject. On stdio it is the OS user. */
  readonly principal?: PrincipalOf;
  /** Distinguishes servers that share a key; the server's name if absent. */
  readonly audience?: string;
  /**
   * Rounds after which a call becomes a task, or its request ends: with a ticket if the server has pages, an inbox or the relay, and
   * otherwise with an explanation. 9 if absent, since a 2026 client gives up at ten.
   */
  readonly maxRounds?: number;
  /**
   * For development: runs the handler again from the top after every round of questions on 2025-11-25 too, as 2026-07-28 does,
   * so that differences between runs show in both.
   */
  readonly strict?: boolean;
  /** Milliseconds a person has for one question, unless the ask sets it; 15 minutes if absent. */
  readonly askTimeoutMs?: number;
  /** Milliseconds a state lives beyond the last deadline in it; 1 hour if absent. */
  readonly stateTtlMs?: number;
  /** The maximum length of a state that travels, in characters; 32,768 if absent. Longer journals stay in the store. */
  readonly maxStateLength?: number;
  /**
   * Characters that the waiting calls of one person may take in the store, in all processes that share it; 33,554,432 if absent.
   * Callers without a principal are one person.
   */
  readonly maxStoredPerPerson?: number;
  /** Milliseconds; an accept faster than this looks automatic. 250 if absent. */
  readonly suspectBelowMs?: number;
  /**
   * Channels a question may use, unless the ask names its own; native if absent, and page if `pages` are given. `card` is for hosts
   * that show MCP Apps: each tool that has no App of its own is then listed with ours.
   */
  readonly channels?: readonly Channel[];
  /** Pages of ours for answers that must not pass through the model: `connect()` of `@midcall/server/connect`. */
  readonly pages?: Pages;
  /**
   * Where others than the requester answer, and where an answer may need a passkey: `openInbox()` of `@midcall/inbox`. It enables the
   * channel `approvers`.
   */
  readonly inbox?: ApprovalInbox;
  /** Milliseconds a 2026-07-28 retry is held while the person is on a page; 40,000 if absent, since clients give up at 60. */
  readonly holdMs?: number;
  /** Milliseconds after which a call becomes a task, for clients that have tasks; 20,000 if absent, and 0 for at once. */
  readonly taskAfterMs?: number;
  /** The boundary of `call.files()`: the operator's directories, and how the client's roots change them. */
  readonly roots?: BoundaryOptions & {
    /** True to ask 2026-07-28 clients for their roots, per call; deprecated in that revision. */
    readonly askWhereDeprecated?: boolean;
  };
  /** How `call.sample` may reach a model. */
  readonly sampling?: {
    /** Used if the client offers no model; such as `modelRouter` of `@midcall/server/models`. */
    readonly model?: SamplingModel;
    /** True to ask 2026-07-28 clients for their model; deprecated in that revision. */
    readonly askWhereDeprecated?: boolean;
  };
  readonly audit?: AuditSink;
  /**
   * Called with the error of every call that failed, with every mistake in the use of this library, and with what `audit` threw;
   * with stacks. If absent, errors are written to standard error, except for those of the protocol.
   */
  readonly onError?: ErrorSink;
  /** Called with what handlers do while they run; for tests, see `explore` in `@midcall/testing`. */
  readonly observe?: Observer;
  /** Called with warnings for the operator; standard error if absent. */
  readonly warn?: (message: string) => void;
  /** The current time, and timers; this machine's clock if absent. */
  readonly clock?: Clock;
  /** How long a duplicate of a retry waits for the first one, in milliseconds; 25,000 if absent. */
  readonly duplicateWaitMs?: number;
}

export interface Config {
  readonly keys: KeyRing;
  readonly sealer: Sealer;
  readonly store: Store;
  /** The store for content: encrypted, except in this process's own memory. */
  readonly contents: Store;
  readonly claims: Claims;
  /** Connects this process with all others that share the store. */
  readonly waiting: WaitingCalls;
  /** What each person takes of the store. */
  readonly shares: Shares;
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
  /**
   * Which clients may need the tool `resume`, since a call may end before its answers come; undefined if none may, and the
   * server has no such tool.
   */
  readonly resume: 'any-client' | 'unaskable-client' | undefined;
  /** True if our App may show questions, on cards. */
  readonly cards: boolean;
  readonly pages: PageService | undefined;
  readonly inbox: ApprovalInbox | undefined;
  readonly holdMs: number;
  /** Milliseconds after which a call becomes a task. */
  readonly taskAfterMs: number;
  /** Replaced as a whole when the operator's directories change. */
  ceiling: Ceiling;
  readonly rootsOn2026: boolean;
  readonly samplingModel: SamplingModel | undefined;
  readonly samplingOn2026: boolean;
  /** Never throws. */
  readonly audit: AuditSink | undefined;
  /** Never throws. */
  readonly onError: (error: unknown, call: CallRef | undefined) => void;
  readonly observe: Observer | undefined;
  /** Never throws. */
  readonly warn: (message: string) => void;
  /** Warns the first time for each topic. */
  readonly warnOnce: (topic: string, message: string) => void;
  /** Tells the calls in progress that this instance stops. */
  readonly stops: CallStops;
  readonly clock: Clock;
  /** A clock whose timers keep no process alive. */
  readonly idleClock: Clock;
  readonly id: () => string;
  /** Names this process. */
  readonly process: () => string;
}
