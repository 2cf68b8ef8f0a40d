/**
 * A kind of page: what it shows once the visitor is known to be the right person, and how it handles a sent form. Kinds are
 * known to every process that serves pages; the data of one page is stored as JSON under its id. So any replica can show any
 * page.
 */

import type { Assurance } from '@midcall/core/form';
import { checkKind, having } from '@midcall/core/options';
import type { Html } from '@midcall/core/page';
import type { Hono } from 'hono';
import type { Json, Principal } from '../../base/index.ts';
import type { Page } from '../../request/index.ts';

/** One visit to a page by somebody who may see it. */
export interface Visit {
  readonly pageId: string;
  /** The data that the page was made with. */
  readonly data: Json;
  readonly message: string;
  /** The call that asks. */
  readonly call: { readonly method: string; readonly name: string; readonly arguments: Json };
  /** The person the call belongs to; anything stored is stored for them. */
  readonly principal: Principal | undefined;
  /** How certain it is that the visitor is that person. */
  readonly assurance: Assurance;
  /** Milliseconds since the epoch. */
  readonly dueAt: number;
}

/** The content between the page's heading and its buttons. */
export interface PageView {
  readonly title: string;
  /** Inputs and texts, inside the page's only form; a button of its own is named `do`. */
  readonly body: Html;
  /** The label of the button that sends the form. */
  readonly send: string;
  /** What is wrong with the input, in one sentence. */
  readonly problem?: string;
}

/** The result of a sent form. */
export type Step =
  /**
   * Finishes the page. It runs once, after the page's only turn was taken; its result reaches the handler and the journal, so
   * it must not contain secrets.
   */
  | { readonly finish: () => Promise<Json> | Json }
  /** Shows the page again. */
  | { readonly again: PageView }
  /** Sends the browser elsewhere, to return through one of the kind's routes; the page stays open. */
  | { readonly leave: { readonly to: URL; readonly says: string } };

/** The posted values of a form: every value of a name, in order. */
export type Sent = ReadonlyMap<string, readonly string[]>;

/** One kind of page. */
export interface PageKind {
  readonly name: string;
  /** Shows the page. Must change nothing: links are opened by scanners, too. */
  show(visit: Visit): PageView | Promise<PageView>;
  /**
   * Judges a sent form. Only `finish` may have effects. It finishes or leaves only where the person pressed the button that sends
   * the form (`do` is `send`); after buttons of the kind's own, the page can only be shown again.
   */
  submit(visit: Visit, sent: Sent): Step | Promise<Step>;
  /** Adds routes of its own, such as a provider's callback, below the pages' base path. */
  mount?(app: Hono, desk: VisitDesk): void;
}

/** What a kind's own routes need from the pages. */
export interface VisitDesk {
  /** The server's name on its pages. */
  readonly name: string;
  /** Writes to the operators' log. @param message - never with anything secret in it */
  warn(message: string): void;
  /** The absolute address of a path below the pages' base path; waits until one is known. */
  address(path: string): Promise<URL>;
  /** Checks the visit again: host, person, and that the page is open. @returns the visit, or the page that refuses it */
  enter(request: Request, pageId: string): Promise<Visit | Response>;
  /** Takes the page's only turn, runs the effect, and returns a page that says so, or why it is too late. */
  finish(visit: Visit, effect: () => Promise<Json> | Json): Promise<Response>;
  /** A redirect to a page. */
  back(pageId: string): Promise<Response>;
  /** A page that says what went wrong, with a link back to the page to try again. */
  trouble(text: Trouble, visit?: Visit): Promise<Response>;
}

/** What a page says went wrong. */
export interface Trouble {
  readonly title: string;
  readonly lines: readonly string[];
  /** The path of the page where there is no visit to tell it; never one that a request names. */
  readonly back?: string;
  /** The words of the link back; `Try again` if absent. */
  readonly says?: string;
}

/** Who signs people in on the pages of an HTTP server. */
export interface SignIn {
  /** The issuer of the principals that it returns. */
  readonly issuer: string;
  /** The signed-in person, according to the browser's request. */
  principal(request: Request): Promise<Principal | undefined>;
  /**
   * Sends the browser to sign in and back to a path of ours; no outside input decides where it returns to.
   * @param how - `other`: the person asked to sign in as somebody else, so an existing session there must not be used
   */
  begin(request: Request, back: URL, how?: { readonly other: boolean }): Promise<Response>;
  /** Adds its routes below the pages' base path. */
  mount?(app: Hono, desk: VisitDesk): void;
}

/** Where credentials are stored: by person and name, sealed, never listed across persons. */
export interface Keeper {
  /** Stores a value, replacing an earlier one with this name. */
  put(owner: Principal, name: string, value: string): Promise<void>;
  /** @returns the value, or undefined if there is none */
  get(owner: Principal, name: string): Promise<string | undefined>;
  /** Removes it; nothing happens if there is none. */
  forget(owner: Principal, name: string): Promise<unknown>;
}

/**
 * A page of the author's own kind, to give to `call.elicitUrl`.
 * @example
 * ```ts
 * const page = pageOf<{ signedBy: string }>(terms, 'Wear goggles.');
 * const answer = await call.elicitUrl({ message: 'Sign the terms first.', page });
 * ```
 */
export function pageOf<T = Json>(kind: PageKind, data: Json, assurance?: Assurance): Page<T> {
  checkKind('pageOf', 'the first argument', kind, having('a kind of page: { name, show, submit }', 'show', 'submit'));
  return { kind: kind.name, data, ...(assurance === undefined ? {} : { assurance }) };
}
