/**
 * The seam to pages of our own, where a person answers what must not pass through the host or the model. The server library
 * opens a page for an ask, waits for it and records its outcome; `@midcall/server/connect` implements it.
 *
 * - pages-U1 A page is named by an ID that is generated once per ask and recorded in the journal, so every run of a call and
 *   every replica refer to the same page. Opening it again changes nothing.
 * - pages-U2 The outcome of a page is written once, by the visitor who took its only turn, and never after `dueAt`.
 */
import type { Assurance, Channel } from '@midcall/core/form';
import type { Store } from '@midcall/core/store';
import type { Clock } from '@midcall/core/time';
import type { Json, Principal, Wake } from '../base/index.ts';
import type { CallRef, PageEvent, Sealer } from '../state/index.ts';

/** One page to answer on: which kind, and what it needs to know. Made by the page makers of `@midcall/server/connect`. */
export interface Page<T> {
  /** A kind that the pages know: a built-in one, or the author's own. */
  readonly kind: string;
  /** What this page shows and does, as JSON; must not contain secrets. */
  readonly data: Json;
  /** The least assurance this kind of page can work with, if the ask does not say. */
  readonly assurance?: Assurance;
  /** The content of an answer; for the type only, never set. */
  readonly gives?: T;
}

/** One question on a page. */
export interface UrlAsk<T> {
  /** Shown to the person by the host and on the page; say what the page is for. Up to 2,000 characters. */
  readonly message: string;
  /**
   * What the page asks: `secret`, `confirm`, `formPage` or `oauth` of `@midcall/server/connect`, or a kind of your own. There
   * is no `url`: Midcall makes the address, and your own kinds may link anywhere.
   */
  readonly page: Page<T>;
  /** The key on the 2026 wire; unique within a round. Ours if absent. */
  readonly key?: string;
  /** Milliseconds the person has, for consent and page together; after that the link has no effect. */
  readonly timeoutMs?: number;
  /** The least assurance that counts; the page's own if absent. */
  readonly assurance?: Assurance;
  /** Channels that may be used; the server's default if absent. Naming `page` here enables it. */
  readonly channels?: readonly Channel[];
  /**
   * True if the handler cannot continue without an answer: if no channel reaches the person, the call ends with -32021
   * (2026-07-28) or an error result (2025-11-25) that says what is missing.
   */
  readonly required?: boolean;
  /**
   * True to end the call with URLElicitationRequiredError (-32042) on 2025-11-25 instead of asking within it: the client calls
   * again when the person has finished, and the same call then gets the answer. It has no effect on 2026-07-28; after a step of
   * this call, which the next call would repeat; or if the assurance needs a one-time code (on stdio), which an error cannot show.
   * Then the client is asked in URL mode.
   */
  readonly asError?: boolean;
}

/** What the server library lends to the pages, so that both share store, keys, clock and audit. */
export interface PagesHost {
  readonly store: Store;
  readonly sealer: Sealer;
  readonly wake: Wake;
  readonly clock: Clock;
  readonly warn: (message: string) => void;
  readonly audit: (call: CallRef, event: PageEvent) => void;
}

/** Passed to `midcall({ pages })`; `connect()` makes one. */
export interface Pages {
  /** Called once, by `midcall()`. */
  attach(host: PagesHost): PageService;
}

/** How we know that the visitor of a page is the person who was asked. */
export type PersonCheck =
  /** Signed in on the page as the principal of the call. */
  | 'sign-in'
  /** A one-time code that only the host showed. */
  | 'code'
  /** The person is not checked: the answer is `in-band`. */
  | 'none';

/** What is asked on a page, for which call. */
export interface PageAsk {
  readonly pageId: string;
  readonly kind: string;
  readonly data: Json;
  readonly message: string;
  readonly check: PersonCheck;
  /** With `check: 'code'`. */
  readonly code?: string;
  readonly call: CallRef;
  /** The call's raw arguments. */
  readonly arguments: Json;
  /** Milliseconds since the epoch. */
  readonly askedAt: number;
  /** When it may no longer be answered, in milliseconds since the epoch. */
  readonly dueAt: number;
}

/** The address of a page. */
export interface PageLink {
  readonly url: string;
  /** What the person must know to reach it, in one or two sentences; absent if the link is enough. */
  readonly note?: string;
}

/** The outcome of a page. */
export type PageOutcome =
  | { readonly action: 'accept'; readonly content: Json; readonly assurance: Assurance; readonly at: number }
  | { readonly action: 'decline'; readonly assurance: Assurance; readonly at: number }
  /** `suspect`: nobody entered the right code; `error`: the visitor answered, but the effect failed. */
  | {
      readonly action: 'cancel';
      readonly reason: 'suspect' | 'error';
      readonly assurance: Assurance;
      readonly at: number;
    };

/** What serves the pages, as the server library uses it. */
export interface PageService {
  /** Random, unguessable, fit for a URL. */
  newPageId(): string;
  /** A code that a person can read off a screen and type. */
  newCode(): string;
  /** How visitors of a call's page can be checked. `mayShowCode`: the host can show the person a text of ours. */
  checkFor(call: {
    readonly principal: Principal | undefined;
    readonly http: boolean;
    readonly mayShowCode: boolean;
  }): PersonCheck;
  /**
   * Opens the page of an ask, or finds it.
   * @throws MidcallError `connect/unavailable` if no page can be reached from here; it says how to change that; `connect/limit`
   *   if too many are open for this person, which ends the call
   */
  open(ask: PageAsk): Promise<PageLink>;
  /** True if a browser can be opened on this machine, for the person in front of it. */
  readonly local: boolean;
  /** Opens the link in a browser on this machine. @returns false if there is none */
  showLocally(link: PageLink): Promise<boolean>;
  /** The outcome of a page, as soon as it is known; undefined if it is not known after `ms`, or the signal fired. */
  outcome(pageId: string, ms: number, signal?: AbortSignal): Promise<PageOutcome | undefined>;
  /**
   * Makes the link useless, unless somebody has already taken its turn.
   * @param isTold - true if whoever waits for the page gets `cancel/error`
   * @returns false if somebody had taken its turn, or its time was up
   */
  withdraw(pageId: string, isTold?: boolean): Promise<boolean>;
  /**
   * Ends a page that is withdrawn or whose time is up, so that nobody answers it from now on, wherever it is served.
   * @returns false if somebody has answered it: the outcome is known, on its way or lost
   */
  endUnanswered(pageId: string): Promise<boolean>;
  /** Stops serving pages, if this process serves them itself. */
  close(): Promise<void>;
}
