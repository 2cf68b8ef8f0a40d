/**
 * A kind of page: what it shows once the visitor is known to be the right person, and what a sent form comes to. Kinds
 * are known to every process that serves pages; what one page is about travels in its pageId, as JSON. So any replica can
 * show any page.
 */

import type { Assurance } from '@midcall/core/form';
import { checkGiven, having } from '@midcall/core/options';
import type { Html } from '@midcall/core/page';
import type { Hono } from 'hono';
import type { Json, Page, Principal } from '../../index.ts';

/** One look at a page by somebody who may look at it. */
export interface Visit {
  readonly pageId: string;
  /** What the page was made with. */
  readonly data: Json;
  readonly message: string;
  /** The call that asks. */
  readonly call: { readonly method: string; readonly name: string; readonly arguments: Json };
  /** The person the call belongs to; what is kept, is kept for them. */
  readonly principal: Principal | undefined;
  /** How well the visitor is known to be that person. */
  readonly assurance: Assurance;
  /** Milliseconds since the epoch. */
  readonly dueAt: number;
}

/** What stands between the page's heading and its buttons. */
export interface PageView {
  readonly title: string;
  /** Inputs and texts; they lie inside the page's one form. */
  readonly body: Html;
  /** Words on the button that sends the form. */
  readonly send: string;
  /** What is wrong with what was sent, in one sentence. */
  readonly problem?: string;
}

/** What a sent form comes to. */
export type Step =
  /**
   * Finishes the page. It runs once, after the page's only turn was taken; its result reaches the handler and the
   * journal, so it carries no secret.
   */
  | { readonly finish: () => Promise<Json> | Json }
  /** Shows the page again. */
  | { readonly again: PageView }
  /** Leads the browser away, to come back through a route of the kind; the page stays open. */
  | { readonly leave: { readonly to: URL; readonly says: string } };

/** What was sent with a form: every value of a name, in order. */
export type Sent = ReadonlyMap<string, readonly string[]>;

/** One kind of page. */
export interface PageKind {
  readonly name: string;
  /** Shows the page. Must change nothing: links are opened by scanners, too. */
  show(visit: Visit): PageView | Promise<PageView>;
  /** Judges a sent form. Only `finish` may have effects. */
  submit(visit: Visit, sent: Sent): Step | Promise<Step>;
  /** Adds routes of its own, such as a provider's callback, below the pages' base path. */
  mount?(app: Hono, desk: VisitDesk): void;
}

/** What a kind's own routes need of the pages. */
export interface VisitDesk {
  /** The server, as its pages name it. */
  readonly name: string;
  /** The absolute address of a path below the pages' base path; waits until one is known. */
  address(path: string): Promise<URL>;
  /** Checks again who is visiting: host, person, and that the page is open. @returns the visit, or the page that refuses it */
  enter(request: Request, pageId: string): Promise<Visit | Response>;
  /** Takes the page's only turn, runs the effect, and says so; or says why it is too late. */
  finish(visit: Visit, effect: () => Promise<Json> | Json): Promise<Response>;
  /** Leads to a page. */
  back(pageId: string): Promise<Response>;
  /** A page that says what went wrong, and leads back to the page where it can be tried again. */
  trouble(text: { readonly title: string; readonly lines: readonly string[] }, visit?: Visit): Promise<Response>;
}

/** Who signs people in on the pages of an HTTP server. */
export interface SignIn {
  /** The issuer of the principals it gives. */
  readonly issuer: string;
  /** Who is signed in, by what the browser brought. */
  principal(request: Request): Promise<Principal | undefined>;
  /**
   * Sends the browser to sign in and back to a path of ours; nothing of the outside decides where it comes back to.
   * @param how - `other`: the person asked to sign in as somebody else, so whoever is signed in there must not be taken
   */
  begin(request: Request, back: URL, how?: { readonly other: boolean }): Promise<Response>;
  /** Adds its routes below the pages' base path. */
  mount?(app: Hono, desk: VisitDesk): void;
}

/** Where credentials are kept: by person and name, sealed, never listed across persons. */
export interface Keeper {
  /** Keeps a value, in place of an earlier one of this name. */
  put(owner: Principal, name: string, value: string): Promise<void>;
  /** @returns the value, or undefined if there is none */
  get(owner: Principal, name: string): Promise<string | undefined>;
  /** Removes it; nothing happens if there is none. */
  forget(owner: Principal, name: string): Promise<unknown>;
}

/** A page of the author's own kind, to give to `call.elicitUrl`. */
export function pageOf<T = Json>(kind: PageKind, data: Json, assurance?: Assurance): Page<T> {
  checkGiven('pageOf', 'the first argument', kind, having('a kind of page: { name, show, submit }', 'show', 'submit'));
  return { kind: kind.name, data, ...(assurance === undefined ? {} : { assurance }) };
}
