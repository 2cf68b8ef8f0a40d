/**
 * Who may talk to the desk: only its own pages, in the browser of the person who started it.
 *
 * - guard-G1 Only loopback names are a valid Host, so that a name rebound to 127.0.0.1 gets nothing.
 * - guard-G2 The start link works once. It becomes a cookie that no script reads and no other site sends, and a secret path that
 *   all pages lie below. Browsers send the cookies of 127.0.0.1 to every port of it: the cookie belongs to that path, so
 *   that another server of this machine, which does not know it, is not sent the cookie by a browser that visits it.
 * - guard-G3 A change needs the cookie, our own Origin and the page's token, all three.
 * - guard-G4 A page may load only our own files and run only our own scripts, and may not be framed. What it frames is served by us,
 *   and has no origin.
 */
import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import { pageHeaders } from '@midcall/core/page';
import type { Session } from './session.ts';

/** Sent with every response. */
export const securityHeaders = pageHeaders(
  "script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self'; media-src 'self'; frame-src 'self'",
);

/** What the guard looks at. */
export interface Visit {
  readonly method: string;
  readonly host: string | undefined;
  readonly origin: string | undefined;
  /** The browser's `Sec-Fetch-Site`. */
  readonly site: string | undefined;
  readonly cookie: string | undefined;
}

/** What is wrong with a visit. */
export type Refusal = 'host' | 'origin' | 'session' | 'token';

const digest = (text: string): Buffer => createHash('sha256').update(text).digest();

/** Compares secrets without telling by time how much of them was right. */
const same = (a: string, b: string): boolean => timingSafeEqual(digest(a), digest(b));

const loopback = /^(?:127\.0\.0\.1|localhost|\[::1\])(?::\d{1,5})?$/;

export interface GuardOptions {
  /** Random text, by length in bytes. */
  readonly secret?: (bytes: number) => string;
}

/** The one session of a desk. */
export class Guard implements Session {
  /** The hidden token of every form. */
  readonly csrf: string;
  /** The path that all pages lie below, without a slash at its end. On no command line, and in no address of the start. */
  readonly base: string;
  /** The address of a page of the desk, by its path below {@link base}. */
  readonly link = (path: string): string => `${this.base}${path}`;
  readonly #session: string;
  readonly #secret: (bytes: number) => string;
  #start: string | undefined;

  constructor(options: GuardOptions = {}) {
    this.#secret = options.secret ?? (bytes => randomBytes(bytes).toString('base64url'));
    this.csrf = this.#secret(32);
    this.base = `/${this.#secret(16)}`;
    this.#session = this.#secret(32);
  }

  /** A new key for a start link; the one before it stops working. */
  newStartKey(): string {
    this.#start = this.#secret(24);
    return this.#start;
  }

  /** Takes a start key. @returns the cookie, where the key was the one that is good, once */
  enter(key: string, port: number): string | undefined {
    if (this.#start === undefined || !same(key, this.#start)) return undefined;
    this.#start = undefined;
    return `${cookieName(port)}=${this.#session}; Path=${this.base}; HttpOnly; SameSite=Strict`;
  }

  /** Judges where a request comes from and, unless it is for a public file, whether it has the session. */
  refusal(visit: Visit, port: number, needs: 'nothing' | 'session' = 'session'): Refusal | undefined {
    if (visit.host === undefined || !loopback.test(visit.host)) return 'host';
    const changes = visit.method !== 'GET' && visit.method !== 'HEAD';
    if (changes && visit.origin !== `http://${visit.host}`) return 'origin';
    if (changes && visit.site !== undefined && visit.site !== 'same-origin') return 'origin';
    return needs === 'session' && !this.hasSession(visit.cookie, port) ? 'session' : undefined;
  }

  /** True if a form carries this desk's token. */
  holdsToken(token: unknown): boolean {
    return typeof token === 'string' && same(token, this.csrf);
  }

  /** True if a cookie header holds the session of this desk. */
  hasSession(cookie: string | undefined, port: number): boolean {
    const prefix = `${cookieName(port)}=`;
    const sessionCookie = cookie?.split(/;\s*/).find(each => each.startsWith(prefix));
    return sessionCookie !== undefined && same(sessionCookie.slice(prefix.length), this.#session);
  }
}

/** Cookies do not know ports, so the name says which desk it is. */
function cookieName(port: number): string {
  return `midcall-desk-${port}`;
}
