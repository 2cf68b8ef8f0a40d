/**
 * Who is visiting, and what their visit comes to.
 *
 * - visit-V1 The link alone is never enough where the call can be tied to a person: signed in as the same principal, or the
 *   one-time code that only the host showed. The one it was not made for is refused, and the ticket stays unspent.
 * - visit-V4 Looking changes nothing.
 *
 * visit-V2, visit-V3 and visit-V5, on the browser of the visitor, are in browsers.ts.
 */
import { timingSafeEqual } from 'node:crypto';
import { isMidcallError, MidcallError } from '@midcall/core/errors';
import type { Assurance } from '@midcall/core/form';
import { jsonLoss } from '@midcall/core/json';
import { pageHeaders } from '@midcall/core/page';
import { digest, type Json, type PagesHost } from '../index.ts';
import type { Browser, Browsers } from './browsers.ts';
import type { SignIn, Visit, VisitDesk } from './pages/page.ts';
import { codePage, leavePage, otherPersonPage, type Site, sayPage } from './pages/view.ts';
import { words } from './pages/words.ts';
import { spelled, type Ticket, type Tickets, ticketName } from './ticket.ts';

/** What a visit needs of the world around it. */
export interface VisitOptions {
  readonly host: PagesHost;
  readonly tickets: Tickets;
  readonly browsers: Browsers;
  readonly signIn: SignIn | undefined;
  readonly site: Site;
  /** The server, as its pages name it. */
  readonly name: string;
  /** Where the pages are; ends without a slash. */
  readonly base: () => Promise<URL>;
}

/** Sent with every page. */
export const securityHeaders: Readonly<Record<string, string>> = {
  ...pageHeaders("style-src 'self'; img-src 'self'"),
  'x-robots-tag': 'noindex, nofollow',
};

export class Visits implements VisitDesk {
  readonly #options: VisitOptions;

  constructor(options: VisitOptions) {
    this.#options = options;
  }

  get name(): string {
    return this.#options.name;
  }

  async address(path: string): Promise<URL> {
    const base = await this.#options.base();
    return new URL(`${base.pathname.replace(/\/$/, '')}/${path.replace(/^\//, '')}`, base);
  }

  /** A page, with the headers of every page. */
  page(markup: string, status = 200, cookie?: string): Response {
    const headers = new Headers({ ...securityHeaders, 'content-type': 'text/html; charset=utf-8' });
    if (cookie !== undefined) headers.set('set-cookie', cookie);
    return new Response(markup, { status, headers });
  }

  says({ title, lines, status }: { title: string; lines: readonly string[]; status: number }): Response {
    return this.page(sayPage(this.#options.site, title, lines), status);
  }

  async trouble(
    { title, lines }: { readonly title: string; readonly lines: readonly string[] },
    visit?: Visit,
  ): Promise<Response> {
    const back = visit && (await this.address(visit.ticket)).pathname;
    return this.page(sayPage(this.#options.site, title, lines, back), 400);
  }

  async enter(request: Request, ticket: string): Promise<Visit | Response> {
    const found = await this.open(ticket);
    if (found instanceof Response) return found;
    const who = await this.recognise(request, found);
    if (who instanceof Response) return who;
    return who === 'unchecked' ? this.says(words.notYet) : this.visit(found, who);
  }

  /** The ticket, where its turn can still be had; else the page that says why not. */
  async open(name: string): Promise<Ticket | Response> {
    const { tickets } = this.#options;
    const found = await tickets.look(name);
    if (!found) return this.says(words.unknown);
    return found.standing === 'open' ? found.ticket : this.says(words[found.standing]);
  }

  /** How well the visitor is known, `unchecked` where the code is still to be typed, or the page that refuses them (visit-V1). */
  async recognise(request: Request, ticket: Ticket): Promise<Assurance | 'unchecked' | Response> {
    const { signIn } = this.#options;
    if (ticket.check === 'none') return 'in-band';
    if (ticket.check === 'code')
      return (await this.#options.browsers.find(request, ticket))?.checked ? 'out-of-band' : 'unchecked';
    if (!signIn) return this.says(words.noSignIn);
    const visitor = await signIn.principal(request);
    if (!visitor) return this.#toSignIn(request, ticket, signIn);
    const { principal } = ticket.call;
    if (visitor.issuer === principal?.issuer && visitor.subject === principal.subject) return 'verified';
    this.audit(ticket, 'other-person');
    return this.#otherPerson(request, ticket);
  }

  /** Refuses the wrong person, who may be the right one under another name: the way to sign in anew is a form (visit-V2). */
  async #otherPerson(request: Request, ticket: Ticket): Promise<Response> {
    const { browsers, site } = this.#options;
    const { browser, cookie } = await browsers.meet(request, ticket);
    const { status, ...says } = words.otherPerson;
    return this.page(otherPersonPage(site, says, browsers.formToken(browser)), status, cookie);
  }

  /** Leads whoever sent our form to sign in as somebody else, and back to the ticket's page. */
  async asSomebodyElse(request: Request, ticket: Ticket): Promise<Response> {
    const { signIn } = this.#options;
    return signIn ? this.#toSignIn(request, ticket, signIn, { other: true }) : this.says(words.noSignIn);
  }

  /** Leads to sign in, and back to the ticket's page. */
  async #toSignIn(
    request: Request,
    { ticket }: Ticket,
    signIn: SignIn,
    how?: { readonly other: boolean },
  ): Promise<Response> {
    const back = await this.address(ticket);
    const begun = await signIn.begin(request, back, how);
    const location = begun.headers.get('location');
    if (location === null || request.method !== 'POST') return begun;
    // A form may not be redirected to another site under our policy, so a page stands between.
    const page = this.page(leavePage(this.#options.site, new URL(location, back), 'Going to sign in'));
    for (const cookie of begun.headers.getSetCookie()) page.headers.append('set-cookie', cookie);
    return page;
  }

  visit(ticket: Ticket, assurance: Assurance): Visit {
    const { call, data, message, dueAt } = ticket;
    return {
      ticket: ticket.ticket,
      data,
      message,
      call: { method: call.method, name: call.name, arguments: ticket.arguments },
      principal: call.principal,
      assurance,
      dueAt,
    };
  }

  /** Judges a typed code. @returns the page to show: the ticket's own where the code was right */
  async tryCode(ticket: Ticket, browser: Browser, typed: string): Promise<Response> {
    const { tickets, site, host, browsers } = this.#options;
    const left = await tickets.try(ticket);
    if (left !== undefined && sameCode(typed, ticket.code)) {
      const { cookie } = await browsers.begin(ticket, true);
      return this.back(ticket.ticket, cookie);
    }
    if (left === undefined || left === 0) {
      this.audit(ticket, 'out-of-tries');
      if (await tickets.takeTurn(ticket, 'locked')) {
        await tickets.settle(ticket, { action: 'cancel', reason: 'suspect', assurance: 'in-band', at: host.now() });
      }
      return this.says(words.locked);
    }
    this.audit(ticket, 'wrong-code');
    const tries = left === 1 ? 'One try is left.' : `${left} tries are left.`;
    const token = { token: browsers.formToken(browser), now: host.now() };
    return this.page(codePage(site, token, `That is not the code. ${tries}`), 403);
  }

  async finish(visit: Visit, effect: () => Promise<Json> | Json): Promise<Response> {
    return this.#end(visit, 'accept', effect);
  }

  decline(visit: Visit): Promise<Response> {
    return this.#end(visit, 'decline', () => null);
  }

  async #end(visit: Visit, action: 'accept' | 'decline', effect: () => Promise<Json> | Json): Promise<Response> {
    const { tickets, host, browsers } = this.#options;
    const ticket = await tickets.find(visit.ticket);
    if (!ticket) return this.says(words.unknown);
    if (!(await tickets.takeTurn(ticket, action))) {
      const standing = await tickets.standing(ticket);
      this.audit(ticket, standing === 'expired' ? 'late' : 'used');
      return this.says(words[standing === 'open' ? 'expired' : standing]);
    }
    const { assurance } = visit;
    let content: Json;
    try {
      content = await effect();
      const loss = jsonLoss(content, 'content');
      if (loss) {
        throw new MidcallError('call/not-json', `a page of kind '${ticket.kind}' gave ${loss.what}`);
      }
    } catch (error) {
      // What failed may name what was entered: its text stays here.
      const why = isMidcallError(error, 'call/not-json') ? error.message : ((error as Error)?.name ?? 'error');
      host.warn(`midcall connect: a page could not be finished (${why}).`);
      await tickets.settle(ticket, { action: 'cancel', reason: 'error', assurance, at: host.now() });
      return this.says(words.failed);
    }
    const at = host.now();
    await tickets.settle(ticket, action === 'accept' ? { action, content, assurance, at } : { action, assurance, at });
    host.audit(ticket.call, { kind: 'page-finished', ticket: ticketName(visit.ticket), action, assurance });
    // The link is used up, so that nothing is left for the cookie to tell.
    return this.back(visit.ticket, await browsers.forgotten(visit.ticket));
  }

  /** To the ticket's own page by GET, so that a reload sends nothing again. */
  async back(ticket: string, cookie?: string): Promise<Response> {
    const headers = new Headers({ ...securityHeaders, location: (await this.address(ticket)).pathname });
    if (cookie !== undefined) headers.set('set-cookie', cookie);
    return new Response(null, { status: 303, headers });
  }

  audit(ticket: Ticket, reason: 'other-person' | 'wrong-code' | 'out-of-tries' | 'forged' | 'late' | 'used'): void {
    this.#options.host.audit(ticket.call, { kind: 'page-refused', ticket: ticketName(ticket.ticket), reason });
  }
}

function sameCode(typed: string, code: string | undefined): boolean {
  if (code === undefined) return false;
  return timingSafeEqual(Buffer.from(digest(spelled(typed))), Buffer.from(digest(spelled(code))));
}
