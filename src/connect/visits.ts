/**
 * Who is visiting, and what their visit comes to.
 *
 * - V1 The link alone is never enough where the call can be tied to a person: signed in as the same principal, or the
 *   one-time code that only the host showed. The one it was not made for is refused, and the ticket stays unspent.
 * - V2 A form is taken only from our own page in the browser that was shown it: Origin, cookie and the form's token.
 * - V3 The cookie is ours, sealed, for one ticket and one browser; a right code makes a new one, so that a cookie planted
 *   before proves nothing.
 * - V4 Looking changes nothing.
 * - V5 Cookies are shared by everything on a host, whatever its port: a neighbour may read ours, and put others beside them.
 *   So one is worth nothing without its link, none says anything, what we did not seal is passed over, and each goes when
 *   its page is finished.
 */
import { randomBytes, timingSafeEqual } from 'node:crypto';
import type { Assurance } from '../form/index.ts';
import { pageHeaders } from '../page-headers.ts';
import { digest, type Json, type PagesHost } from '../server/index.ts';
import type { SignIn, Visit, VisitDesk } from './pages/page.ts';
import { codePage, leavePage, otherPersonPage, type Site, sayPage } from './pages/view.ts';
import { words } from './pages/words.ts';
import { spelled, type Ticket, type Tickets, ticketName } from './ticket.ts';

/** What a visit needs of the world around it. */
export interface VisitOptions {
  readonly host: PagesHost;
  readonly tickets: Tickets;
  readonly signIn: SignIn | undefined;
  readonly site: Site;
  /** Where the pages are; ends without a slash. */
  readonly base: () => Promise<URL>;
}

/** A browser that has been shown a page of one ticket. */
interface Browser {
  /** The cookie's value. */
  readonly value: string;
  readonly checked: boolean;
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

  /** How well the visitor is known, `unchecked` where the code is still to be typed, or the page that refuses them (V1). */
  async recognise(request: Request, ticket: Ticket): Promise<Assurance | 'unchecked' | Response> {
    const { signIn } = this.#options;
    if (ticket.check === 'none') return 'in-band';
    if (ticket.check === 'code') return (await this.browser(request, ticket))?.checked ? 'out-of-band' : 'unchecked';
    if (!signIn) return this.says(words.noSignIn);
    const visitor = await signIn.principal(request);
    if (!visitor) return this.#toSignIn(request, ticket, signIn);
    const { principal } = ticket.call;
    if (visitor.issuer === principal?.issuer && visitor.subject === principal.subject) return 'verified';
    this.audit(ticket, 'other-person');
    return this.#otherPerson(request, ticket);
  }

  /** Refuses the wrong person, who may be the right one under another name: the way to sign in anew is a form (V2). */
  async #otherPerson(request: Request, ticket: Ticket): Promise<Response> {
    const known = await this.browser(request, ticket);
    const { browser, cookie } = known ? { browser: known, cookie: undefined } : await this.newBrowser(ticket, false);
    const { status, ...says } = words.otherPerson;
    return this.page(otherPersonPage(this.#options.site, says, this.formToken(browser)), status, cookie);
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

  /** The browser that was shown a page of this ticket, by its cookie; the one that knew the code, where there are several. */
  async browser(request: Request, ticket: Ticket): Promise<Browser | undefined> {
    const name = ticketName(ticket.ticket);
    const prefix = `${await this.#cookieName(name)}=`;
    const given = (request.headers.get('cookie') ?? '').split(/;\s*/).filter(each => each.startsWith(prefix));
    let found: Browser | undefined;
    for (const each of given) {
      const value = each.slice(prefix.length);
      const opened = this.#options.host.sealer.open(value, 'page-visit');
      const held = opened.ok ? (opened.payload as { t?: unknown; c?: unknown }) : undefined;
      if (held?.t !== name) continue;
      if (held.c === true) return { value, checked: true };
      found ??= { value, checked: false };
    }
    return found;
  }

  /** A new browser's cookie, and its value (V3). */
  async newBrowser(ticket: Ticket, checked: boolean): Promise<{ readonly browser: Browser; readonly cookie: string }> {
    const { host } = this.#options;
    const name = ticketName(ticket.ticket);
    const value = host.sealer.seal({ t: name, c: checked, n: randomBytes(12).toString('base64url') }, 'page-visit');
    const age = Math.max(1, Math.ceil((ticket.dueAt - host.now()) / 1000));
    return { browser: { value, checked }, cookie: await this.#cookie(name, value, age) };
  }

  /** @param age - seconds; 0 takes the cookie away */
  async #cookie(name: string, value: string, age: number): Promise<string> {
    const base = await this.#options.base();
    const where = base.protocol === 'https:' ? 'Path=/; Secure' : `Path=${base.pathname}`;
    return `${await this.#cookieName(name)}=${value}; ${where}; Max-Age=${age}; HttpOnly; SameSite=Lax`;
  }

  /** Over https no neighbouring host can plant one of this name. */
  async #cookieName(name: string): Promise<string> {
    const { protocol } = await this.#options.base();
    return `${protocol === 'https:' ? '__Host-' : ''}midcall-${name.slice(0, 12)}`;
  }

  formToken(browser: Browser): string {
    return digest(['form', browser.value]);
  }

  /** True where a browser sent this from a page of ours (V2). */
  async fromHere(request: Request): Promise<boolean> {
    const base = await this.#options.base();
    const site = request.headers.get('sec-fetch-site');
    return request.headers.get('origin') === base.origin && (site === null || site === 'same-origin');
  }

  /** True where the token of a form is the one that this browser was shown (V2). */
  holds(browser: Browser, token: string | undefined): boolean {
    if (token === undefined) return false;
    const [given, held] = [Buffer.from(token), Buffer.from(this.formToken(browser))];
    return given.length === held.length && timingSafeEqual(given, held);
  }

  /** Judges a typed code. @returns the page to show: the ticket's own where the code was right */
  async tryCode(ticket: Ticket, browser: Browser, typed: string): Promise<Response> {
    const { tickets, site, host } = this.#options;
    const left = await tickets.try(ticket);
    if (left !== undefined && sameCode(typed, ticket.code)) {
      const { cookie } = await this.newBrowser(ticket, true);
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
    const token = { token: this.formToken(browser), now: host.now() };
    return this.page(codePage(site, token, `That is not the code. ${tries}`), 403);
  }

  async finish(visit: Visit, effect: () => Promise<Json> | Json): Promise<Response> {
    return this.#end(visit, 'accept', effect);
  }

  decline(visit: Visit): Promise<Response> {
    return this.#end(visit, 'decline', () => null);
  }

  async #end(visit: Visit, action: 'accept' | 'decline', effect: () => Promise<Json> | Json): Promise<Response> {
    const { tickets, host } = this.#options;
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
    } catch (error) {
      // What failed may name what was entered: its text stays here.
      host.warn(`midcall connect: a page could not be finished (${(error as Error)?.name ?? 'error'}).`);
      await tickets.settle(ticket, { action: 'cancel', reason: 'error', assurance, at: host.now() });
      return this.says(words.failed);
    }
    const at = host.now();
    await tickets.settle(ticket, action === 'accept' ? { action, content, assurance, at } : { action, assurance, at });
    host.audit(ticket.call, { kind: 'page-finished', ticket: ticketName(visit.ticket), action, assurance });
    // The link is used up, so that nothing is left for the cookie to tell.
    return this.back(visit.ticket, await this.#cookie(ticketName(visit.ticket), '', 0));
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
