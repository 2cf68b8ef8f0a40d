/**
 * Checks who is visiting a page, and handles the visit.
 *
 * - visit-V1 The link alone is never enough if the call can be tied to a person: the visitor must be signed in as the same
 *   principal, or enter the one-time code that only the host showed. Anybody else is refused, and the link stays unspent.
 * - visit-V4 Viewing a page changes nothing.
 *
 * visit-V2, visit-V3 and visit-V5, on the browser of the visitor, are in browsers.ts.
 */
import { timingSafeEqual } from 'node:crypto';
import { isMidcallError, MidcallError } from '@midcall/core/errors';
import type { Assurance } from '@midcall/core/form';
import { jsonLoss } from '@midcall/core/json';
import { pageHeaders } from '@midcall/core/page';
import { digest, type Json } from '../base/index.ts';
import type { PageAsk, PageOutcome, PagesHost } from '../request/index.ts';
import type { PageEvent } from '../state/index.ts';
import type { Browser, Browsers } from './browsers.ts';
import { type PageRecords, pageDigest, type Standing, spelled } from './page-records.ts';
import type { SignIn, Trouble, Visit, VisitDesk } from './pages/page.ts';
import { codePage, leavePage, otherPersonPage, type Site, sayPage } from './pages/view.ts';
import { words } from './pages/words.ts';

/** A visit's dependencies. */
export interface VisitOptions {
  readonly host: PagesHost;
  readonly records: PageRecords;
  readonly browsers: Browsers;
  readonly signIn: SignIn | undefined;
  readonly site: Site;
  /** The server's name on its pages. */
  readonly name: string;
  /** The base URL of the pages; ends without a slash. */
  readonly base: () => Promise<URL>;
}

/** The headers of every page. */
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

  warn(message: string): void {
    this.#options.host.warn(message);
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

  async trouble({ title, lines, back, says = 'Try again' }: Trouble, visit?: Visit): Promise<Response> {
    const to = back ?? (visit && (await this.address(visit.pageId)).pathname);
    const link = to === undefined ? undefined : { to, text: says };
    return this.page(sayPage(this.#options.site, title, lines, link), 400);
  }

  async enter(request: Request, pageId: string): Promise<Visit | Response> {
    const page = await this.open(pageId);
    if (page instanceof Response) return page;
    const who = await this.recognise(request, page);
    if (who instanceof Response) return who;
    return who === 'unchecked' ? this.says(words.notYet) : this.visit(page, who);
  }

  /** What the page asks, if its turn can still be had; otherwise the page that says why not. */
  async open(pageId: string): Promise<PageAsk | Response> {
    const { records } = this.#options;
    const record = await records.look(pageId);
    if (!record) return this.says(words.unknown);
    return record.standing === 'open' ? record.page : this.#ended(pageId, record.standing);
  }

  /**
   * How well the visitor is known, `unchecked` if the code has not been entered yet, or the page that refuses them (visit-V1).
   */
  async recognise(request: Request, page: PageAsk): Promise<Assurance | 'unchecked' | Response> {
    const { signIn } = this.#options;
    if (page.check === 'none') return 'in-band';
    if (page.check === 'code')
      return (await this.#options.browsers.find(request, page))?.checked ? 'out-of-band' : 'unchecked';
    if (!signIn) return this.says(words.noSignIn);
    const visitor = await signIn.principal(request);
    if (!visitor) return request.method === 'POST' ? this.#signedOut(page) : this.#toSignIn(request, page, signIn);
    const { principal } = page.call;
    if (visitor.issuer === principal?.issuer && visitor.subject === principal.subject) return 'verified';
    this.audit(page, 'other-person');
    return this.#otherPerson(request, page);
  }

  /** Keeps what was sent in the person's browser, which sends it again if they reload the page once they are signed in. */
  async #signedOut({ pageId }: PageAsk): Promise<Response> {
    const { title, lines, status } = words.signedOut;
    const link = { to: (await this.address(pageId)).pathname, text: 'Sign in in a new tab', newTab: true };
    return this.page(sayPage(this.#options.site, title, lines, link), status);
  }

  /** Refuses the wrong person, who may be the right one under another account: a form lets them sign in again (visit-V2). */
  async #otherPerson(request: Request, page: PageAsk): Promise<Response> {
    const { browsers, site } = this.#options;
    const { browser, cookie } = await browsers.meet(request, page);
    const { status, ...says } = words.otherPerson;
    const action = (await this.address(page.pageId)).pathname;
    return this.page(otherPersonPage(site, says, action, browsers.formToken(browser)), status, cookie);
  }

  /** Sends whoever submitted our form to sign in as somebody else, and back to the page. */
  async asSomebodyElse(request: Request, page: PageAsk): Promise<Response> {
    const { signIn } = this.#options;
    return signIn ? this.#toSignIn(request, page, signIn, { other: true }) : this.says(words.noSignIn);
  }

  /** Sends the browser to sign in, and back to the page. */
  async #toSignIn(
    request: Request,
    { pageId }: PageAsk,
    signIn: SignIn,
    how?: { readonly other: boolean },
  ): Promise<Response> {
    const back = await this.address(pageId);
    const begun = await signIn.begin(request, back, how);
    const location = begun.headers.get('location');
    if (location === null || request.method !== 'POST') return begun;
    // Our policy forbids redirecting a form to another site, so a page is shown in between.
    const page = this.page(leavePage(this.#options.site, new URL(location, back), 'Going to sign in'));
    for (const cookie of begun.headers.getSetCookie()) page.headers.append('set-cookie', cookie);
    return page;
  }

  visit(page: PageAsk, assurance: Assurance): Visit {
    const { call, data, message, dueAt } = page;
    return {
      pageId: page.pageId,
      data,
      message,
      call: { method: call.method, name: call.name, arguments: page.arguments },
      principal: call.principal,
      assurance,
      dueAt,
    };
  }

  /** Judges a typed code. @returns the page to show: the page itself if the code was right */
  async tryCode(page: PageAsk, browser: Browser, typed: string): Promise<Response> {
    const { records, site, host, browsers } = this.#options;
    const left = await records.try(page);
    if (left !== undefined && sameCode(typed, page.code)) {
      const { cookie } = await browsers.begin(page, true);
      return this.back(page.pageId, cookie);
    }
    if (left === undefined || left === 0) {
      this.audit(page, 'out-of-tries');
      if (await records.takeTurn(page, 'locked')) {
        await records.settle(page, { action: 'cancel', reason: 'suspect', assurance: 'in-band', at: host.clock.now() });
      }
      return this.says(words.locked);
    }
    this.audit(page, 'wrong-code');
    const tries = left === 1 ? 'One try is left.' : `${left} tries are left.`;
    const token = { token: browsers.formToken(browser), now: host.clock.now() };
    return this.page(codePage(site, token, `That is not the code. ${tries}`), 403);
  }

  async finish(visit: Visit, effect: () => Promise<Json> | Json): Promise<Response> {
    return this.#end(visit, 'accept', effect);
  }

  decline(visit: Visit): Promise<Response> {
    return this.#end(visit, 'decline', () => null);
  }

  async #end(visit: Visit, action: 'accept' | 'decline', effect: () => Promise<Json> | Json): Promise<Response> {
    const { records, host, browsers } = this.#options;
    const page = await records.find(visit.pageId);
    if (!page) return this.says(words.unknown);
    if (!(await records.takeTurn(page, action))) {
      // Where it cannot be read, what was sent before may be done.
      const standing = await records.standing(page).catch(() => 'underWay' as const);
      this.audit(page, standing === 'expired' ? 'late' : 'used');
      return this.#ended(visit.pageId, standing === 'open' ? 'expired' : standing);
    }
    const { assurance } = visit;
    let content: Json;
    try {
      content = await effect();
      const loss = jsonLoss(content, 'content');
      if (loss) {
        throw new MidcallError('call/not-json', `a page of kind '${page.kind}' gave ${loss.what}`);
      }
    } catch (error) {
      // An error may contain what was entered, so its message is not passed on.
      const why = isMidcallError(error, 'call/not-json') ? error.message : ((error as Error)?.name ?? 'error');
      host.warn(`midcall connect: a page could not be finished (${why}).`);
      await this.#settle(page, { action: 'cancel', reason: 'error', assurance, at: host.clock.now() });
      return this.says(words.failed);
    }
    const at = host.clock.now();
    const isKept = await this.#settle(
      page,
      action === 'accept' ? { action, content, assurance, at } : { action, assurance, at },
    );
    if (!isKept) return this.#ended(visit.pageId, action === 'accept' ? 'underWay' : 'declined');
    host.audit(page.call, { kind: 'page-finished', page: pageDigest(visit.pageId), action, assurance });
    // The link is used up, so the cookie is no longer needed.
    return this.back(visit.pageId, await browsers.forgotten(visit.pageId));
  }

  /**
   * Records the outcome of a page whose turn was taken. The link is spent, and what it stands for may be done, so nobody is
   * told to try again where this fails.
   * @returns false if it could not be recorded
   */
  async #settle(page: PageAsk, outcome: PageOutcome): Promise<boolean> {
    const { records, host } = this.#options;
    try {
      await records.settle(page, outcome);
      return true;
    } catch (error) {
      const why = isMidcallError(error, 'store/unavailable') ? error.message : (error as Error).name;
      host.warn(`midcall connect: the end of a page could not be recorded (${why}).`);
      return false;
    }
  }

  /** Says how a page ended. One that is under way looks again by itself, at the page: wherever this is shown. */
  async #ended(pageId: string, standing: Exclude<Standing, 'open'>): Promise<Response> {
    if (standing !== 'underWay') return this.says(words[standing]);
    const { title, lines, status } = words.underWay;
    const { pathname } = await this.address(pageId);
    const page = this.page(sayPage(this.#options.site, title, lines, { to: pathname, text: 'Look again' }), status);
    page.headers.set('refresh', `5; url=${pathname}`);
    return page;
  }

  /** Redirects to the page itself by GET, so that a reload sends nothing again. */
  async back(pageId: string, cookie?: string): Promise<Response> {
    const headers = new Headers({ ...securityHeaders, location: (await this.address(pageId)).pathname });
    if (cookie !== undefined) headers.set('set-cookie', cookie);
    return new Response(null, { status: 303, headers });
  }

  audit(page: PageAsk, reason: Extract<PageEvent, { readonly kind: 'page-refused' }>['reason']): void {
    this.#options.host.audit(page.call, { kind: 'page-refused', page: pageDigest(page.pageId), reason });
  }
}

function sameCode(typed: string, code: string | undefined): boolean {
  if (code === undefined) return false;
  return timingSafeEqual(Buffer.from(digest(spelled(typed))), Buffer.from(digest(spelled(code))));
}
