/**
 * The browser that was shown a page: recognized by a cookie, and heard only if it sends from a page of ours.
 *
 * - visit-V2 A form is accepted only from our own page in the browser that was shown it: Origin, cookie and the form's token.
 * - visit-V3 The cookie is ours, sealed, for one page and one browser; entering the right code makes a new one, so that a
 *   cookie planted before proves nothing.
 * - visit-V5 Cookies are shared by everything on a host, whatever its port: a neighbour may read ours, and add others. So a
 *   cookie is worthless without its link, contains no information, is ignored unless we sealed it, and is removed when its page
 *   is finished.
 */
import { randomBytes, timingSafeEqual } from 'node:crypto';
import { digest } from '../base/index.ts';
import type { PageAsk, PagesHost } from '../request/index.ts';
import { pageDigest } from './page-records.ts';

/** A browser that has been shown one page. */
export interface Browser {
  /** The cookie's value. */
  readonly value: string;
  /** True once the right code was entered in it. */
  readonly checked: boolean;
}

const PURPOSE = 'page-visit';

export class Browsers {
  readonly #host: PagesHost;
  readonly #base: () => Promise<URL>;

  /** @param base - where the pages are; ends without a slash */
  constructor(host: PagesHost, base: () => Promise<URL>) {
    this.#host = host;
    this.#base = base;
  }

  /** The browser that was shown this page, by its cookie; the one that knew the code, if there are several. */
  async find(request: Request, page: PageAsk): Promise<Browser | undefined> {
    const name = pageDigest(page.pageId);
    let browser: Browser | undefined;
    for (const value of await this.#cookies(request, name)) {
      const opened = this.#host.sealer.open(value, PURPOSE);
      const payload = opened.ok ? (opened.payload as { t?: unknown; c?: unknown }) : undefined;
      if (payload?.t !== name) continue;
      if (payload.c === true) return { value, checked: true };
      browser ??= { value, checked: false };
    }
    return browser;
  }

  /** True if a page of ours sent this, and no cookie of the page came with it: the browser keeps none. */
  async keepsNone(request: Request, page: PageAsk): Promise<boolean> {
    return (await this.fromHere(request)) && (await this.#cookies(request, pageDigest(page.pageId))).length === 0;
  }

  /** The browser by its cookie, or a new one, which is given the returned cookie. */
  async meet(
    request: Request,
    page: PageAsk,
  ): Promise<{ readonly browser: Browser; readonly cookie: string | undefined }> {
    const current = await this.find(request, page);
    return current ? { browser: current, cookie: undefined } : this.begin(page, false);
  }

  /** A new browser, and its cookie (visit-V3). */
  async begin(page: PageAsk, checked: boolean): Promise<{ readonly browser: Browser; readonly cookie: string }> {
    const name = pageDigest(page.pageId);
    const value = this.#host.sealer.seal({ t: name, c: checked, n: randomBytes(12).toString('base64url') }, PURPOSE);
    const age = Math.max(1, Math.ceil((page.dueAt - this.#host.clock.now()) / 1000));
    return { browser: { value, checked }, cookie: await this.#cookie(name, value, age) };
  }

  /** The header that removes the cookie of a page (visit-V5). */
  forgotten(pageId: string): Promise<string> {
    return this.#cookie(pageDigest(pageId), '', 0);
  }

  /** The token in our forms for this browser. */
  formToken(browser: Browser): string {
    return digest(['form', browser.value]);
  }

  /** True if a form's token is the one that this browser was shown (visit-V2). */
  holds(browser: Browser, token: string | undefined): boolean {
    if (token === undefined) return false;
    const [presented, expected] = [Buffer.from(token), Buffer.from(this.formToken(browser))];
    return presented.length === expected.length && timingSafeEqual(presented, expected);
  }

  /** True if a browser sent this from a page of ours (visit-V2). */
  async fromHere(request: Request): Promise<boolean> {
    const base = await this.#base();
    const site = request.headers.get('sec-fetch-site');
    return request.headers.get('origin') === base.origin && (site === null || site === 'same-origin');
  }

  /** The values of the cookies of a page, whoever set them. */
  async #cookies(request: Request, name: string): Promise<readonly string[]> {
    const prefix = `${await this.#cookieName(name)}=`;
    const all = (request.headers.get('cookie') ?? '').split(/;\s*/);
    return all.filter(each => each.startsWith(prefix)).map(each => each.slice(prefix.length));
  }

  /** @param age - seconds; 0 removes the cookie */
  async #cookie(name: string, value: string, age: number): Promise<string> {
    const base = await this.#base();
    const where = base.protocol === 'https:' ? 'Path=/; Secure' : `Path=${base.pathname}`;
    return `${await this.#cookieName(name)}=${value}; ${where}; Max-Age=${age}; HttpOnly; SameSite=Lax`;
  }

  /** Over https, no neighbouring host can set a cookie of this name. */
  async #cookieName(name: string): Promise<string> {
    const { protocol } = await this.#base();
    return `${protocol === 'https:' ? '__Host-' : ''}midcall-${name.slice(0, 12)}`;
  }
}
