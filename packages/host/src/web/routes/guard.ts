/**
 * Who may talk to the desk: only its own pages, in the browser of the person who started it.
 *
 * - guard-G1 Only loopback names are a valid Host, so that a name rebound to 127.0.0.1 gets nothing.
 * - guard-G2 The start link works once. It leads to a cookie that no script can read and no other site can send, and to the
 *   secret path of all pages. Browsers send the cookies of 127.0.0.1 to every port: the cookie is limited to that path, so that
 *   a browser does not send it to another server on this machine, which does not know the path.
 *   Both change with every start of the desk, so that what a browser still sends when another program has the port is worth nothing.
 * - guard-G5 A browser that has used a start link is recognized after the desk was started again, by a signature with a key that
 *   it made and cannot give away. A signature is good for one nonce of this desk, so that another program that has the port in
 *   the meantime gets nothing it could use. The bookmark is the address of the port, and holds no secret. What such a program
 *   leaves in the browser, an open page or a service worker, remains a page of this origin to the browser: who opens the
 *   bookmark while somebody else's program answers there has to close that page. Our own service worker stores only files that
 *   are the same for everybody (worker-K1).
 * - guard-G3 A change needs the cookie, our own Origin and the page's token, all three.
 * - guard-G4 A page may load only our own files and run only our own scripts, and may not be framed. The content of its frames
 *   is served by us, and has an opaque origin.
 */
import { createPublicKey, randomBytes, verify } from 'node:crypto';
import { isSameSecret } from '@midcall/core/node';
import { pageHeaders } from '@midcall/core/page';
import type { BrowserKey } from '../keeping/index.ts';
import type { Session } from '../workspace/index.ts';

/** The headers of every response. */
export const securityHeaders = pageHeaders(
  "script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self'; media-src 'self'; frame-src 'self'; manifest-src 'self'; worker-src 'self'",
);

/** What the guard checks. */
export interface Visit {
  readonly method: string;
  readonly host: string | undefined;
  readonly origin: string | undefined;
  /** The browser's `Sec-Fetch-Site`. */
  readonly site: string | undefined;
  readonly cookie: string | undefined;
}

/** What is wrong with a request. */
export type Refusal = 'host' | 'origin' | 'session' | 'token';

const loopback = /^(?:127\.0\.0\.1|localhost|\[::1\])(?::\d{1,5})?$/;

/** How a browser shows that it has the key of a browser that is known. */
export interface BrowserProof extends BrowserKey {
  readonly nonce: string;
  /** Base64. */
  readonly signature: string;
}

/** How many nonces are good at a time; the oldest go first. */
const mostNonces = 100;

/** Random text of a length in bytes. */
const randomText = (bytes: number): string => randomBytes(bytes).toString('base64url');

/** The one session of a desk. */
export class Guard implements Session {
  /** The hidden token of every form. */
  readonly csrf: string;
  /** The path of all pages, without a slash at its end. It is in no command line, and not in the start link. */
  readonly base: string;
  /** The address of a page of the desk, by its path below {@link base}. */
  readonly link = (path: string): string => `${this.base}${path}`;
  readonly #session: string;
  #start: string | undefined;
  readonly #nonces = new Set<string>();

  constructor() {
    this.csrf = randomText(32);
    this.base = `/${randomText(16)}`;
    this.#session = randomText(32);
  }

  /** A new key for a start link; the previous one stops working. */
  newStartKey(): string {
    this.#start = randomText(24);
    return this.#start;
  }

  /** Redeems a start key. @returns the cookie if the key is valid, once */
  enter(key: string, port: number): string | undefined {
    if (this.#start === undefined || !isSameSecret(key, this.#start)) return undefined;
    this.#start = undefined;
    return this.#cookie(port);
  }

  /** Makes a nonce for one signature of a browser. */
  newNonce(): string {
    const nonce = randomText(24);
    this.#nonces.add(nonce);
    for (const oldest of this.#nonces) if (this.#nonces.size > mostNonces) this.#nonces.delete(oldest);
    return nonce;
  }

  /** guard-G5. @param browsers - the keys of browsers that have used a start link @returns the cookie if the browser is one of them */
  recognize(
    { x, y, nonce, signature }: BrowserProof,
    browsers: readonly BrowserKey[],
    port: number,
  ): string | undefined {
    if (!this.#nonces.delete(nonce) || !browsers.some(each => each.x === x && each.y === y)) return undefined;
    const key = createPublicKey({ key: { kty: 'EC', crv: 'P-256', x, y }, format: 'jwk' });
    const signed = Buffer.from(`midcall desk ${nonce}`);
    const isTheirs = verify('sha256', signed, { key, dsaEncoding: 'ieee-p1363' }, Buffer.from(signature, 'base64'));
    return isTheirs ? this.#cookie(port) : undefined;
  }

  #cookie(port: number): string {
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

  /** True if a form contains this desk's token. */
  holdsToken(token: unknown): boolean {
    return typeof token === 'string' && isSameSecret(token, this.csrf);
  }

  /** True if a cookie header contains the session of this desk. */
  hasSession(cookie: string | undefined, port: number): boolean {
    const prefix = `${cookieName(port)}=`;
    const sessionCookie = cookie?.split(/;\s*/).find(each => each.startsWith(prefix));
    return sessionCookie !== undefined && isSameSecret(sessionCookie.slice(prefix.length), this.#session);
  }
}

/** Cookies ignore ports, so the name says which desk it belongs to. */
function cookieName(port: number): string {
  return `midcall-desk-${port}`;
}
