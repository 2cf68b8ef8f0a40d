/**
 * How a person signs in to their inbox: OpenID Connect, at the authorization server whose tokens hosts bring, so that the person of
 * a page and the principal of a call are the same.
 *
 * - inbox-sign-in-S1 The person is taken from an ID token whose signature, issuer, audience, nonce and time are valid; with PKCE, `state`
 *   and `iss`.
 * - inbox-sign-in-S2 A sign-in ends in the browser that began it. What it needs to end is sealed in a cookie of that browser, so that
 *   any bridge can end it, and a callback that is sent to somebody else signs nobody in.
 * - inbox-sign-in-S3 Whether the person was asked to sign in just now is taken from `auth_time` of the ID token: not from what the issuer
 *   was asked for, since a browser can leave that out on the way.
 */
import { hash, randomBytes } from 'node:crypto';
import { isRecord, own } from '@midcall/core/json';
import { onlyCookie, seeOther } from '@midcall/core/page';
import type { Clock } from '@midcall/core/time';
import type { Sealer } from '@midcall/server';
import type { Provider } from '@midcall/server/connect';
import { claimedGroups } from '../store/index.ts';

/** What signing in needs. */
export interface InboxSignInParts {
  readonly issuer: Provider;
  /** Where the authorization server sends the browser back to, as it was registered there. */
  readonly redirect: URL;
  readonly sealer: Sealer;
  /** The claim of ID tokens that lists a person's groups; absent if none counts. */
  readonly groupsClaim: string | undefined;
  readonly clock: Pick<Clock, 'now'>;
}

/** A person who has signed in. */
export interface SignedInPerson {
  readonly issuer: string;
  readonly subject: string;
  /** As the issuer calls them; untrusted. */
  readonly name: string;
  /** The groups of the claim that counts; absent if none does. */
  readonly groups?: readonly string[];
  /** True if the issuer says that it asked them to sign in after they began, and did not rely on an earlier sign-in. */
  readonly wasAsked: boolean;
  /** Where they wanted to go: a path below that of the session, without a slash at its beginning. */
  readonly to: string;
}

/** What a sign-in was begun for. */
export interface BegunSignIn {
  /** As in {@link SignedInPerson.to}. */
  readonly to: string;
  /** True if the issuer was to ask the person, also if they are signed in there. */
  readonly again: boolean;
}

/** The longest a person may take to sign in, in milliseconds. */
const awayMs = 10 * 60_000;
/** How far the clock of the issuer may be from this one, in milliseconds. */
const skewMs = 60_000;
/**
 * Seconds after which the issuer has to ask again, however long its own sessions are. An issuer that is told any such limit has to say
 * `auth_time` (OpenID Connect Core 1.0, 3.1.2.1), so this one is long.
 */
const longestSignedIn = 30 * 24 * 60 * 60;

const purpose = 'inbox-sign-in';
const random = (): string => randomBytes(32).toString('base64url');
const cookieFor = (state: string): string => `midcall-sign-in-${hash('sha256', state, 'base64url').slice(0, 12)}`;

export class InboxSignIn {
  readonly #parts: InboxSignInParts;

  constructor(parts: InboxSignInParts) {
    this.#parts = parts;
  }

  /** The path that the authorization server sends browsers back to. */
  get path(): string {
    return this.#parts.redirect.pathname;
  }

  /**
   * Sends a browser to the authorization server.
   * @param to - where to go once the person has signed in, as in {@link SignedInPerson.to}
   * @param again - true to have the issuer ask the person, also if they are signed in there
   * @throws ProviderError if the authorization server cannot be reached or used; its message may be shown
   */
  async begin(to: string, again: boolean): Promise<Response> {
    const { issuer, redirect, sealer, clock } = this.#parts;
    const [state, verifier, nonce] = [random(), random(), random()];
    const url = await issuer.client.authorizationUrl({
      redirectUri: redirect.href,
      state,
      verifier,
      nonce,
      scopes: this.#scopes,
      parameters: {
        ...{ max_age: String(longestSignedIn), ...issuer.parameters },
        // Some issuers know only one of them.
        ...(again && { prompt: 'login', max_age: '0' }),
      },
    });
    const begun = clock.now();
    const flow = { state, verifier, nonce, begun, until: begun + awayMs, to, again };
    return seeOther(url.href, [this.#cookie(cookieFor(state), sealer.seal(flow, purpose), awayMs)]);
  }

  /**
   * Ends a sign-in in the browser that began it.
   * @returns the person, whether they were to be asked again, and the header that removes the cookie; undefined if no sign-in of this
   *   browser is in progress
   * @throws ProviderError if the authorization server refuses; its message may be shown
   */
  async end(
    request: Request,
  ): Promise<{ readonly person: SignedInPerson; readonly again: boolean; readonly forget: string } | undefined> {
    const { issuer, redirect, groupsClaim, clock } = this.#parts;
    const flow = this.#flow(request);
    if (!flow || !(Number(flow['until']) > clock.now())) return undefined;
    const state = String(flow['state']);
    const returned = new URL(redirect);
    returned.search = new URL(request.url).search;
    const {
      subject,
      name: called,
      claims,
    } = await issuer.client.exchange(returned, {
      state,
      verifier: String(flow['verifier']),
      nonce: String(flow['nonce']),
      scopes: this.#scopes,
    });
    if (!subject) return undefined;
    const to = String(flow['to']);
    const asked = own(claims, 'auth_time');
    const wasAsked =
      typeof asked === 'number' &&
      asked * 1_000 >= Number(flow['begun']) - skewMs &&
      asked * 1_000 <= clock.now() + skewMs;
    const groups = groupsClaim === undefined ? undefined : claimedGroups(own(claims, groupsClaim));
    return {
      person: { ...subject, name: called ?? subject.subject, ...(groups && { groups }), wasAsked, to },
      again: flow['again'] === true,
      forget: this.#cookie(cookieFor(state), '', 0),
    };
  }

  /** What a sign-in of this browser that cannot be ended was begun for; undefined if that is not known. */
  begun(request: Request): BegunSignIn | undefined {
    const flow = this.#flow(request);
    return flow && { to: String(flow['to']), again: flow['again'] === true };
  }

  /** What this browser keeps of the sign-in that a request is to end. */
  #flow(request: Request): Readonly<Record<string, unknown>> | undefined {
    const states = new URL(request.url).searchParams.getAll('state');
    const state = states.length === 1 ? states[0]! : undefined;
    const sealed = state === undefined ? undefined : onlyCookie(request, cookieFor(state));
    const opened = sealed === undefined ? undefined : this.#parts.sealer.open(sealed, purpose);
    const flow = opened?.ok && isRecord(opened.payload) ? opened.payload : undefined;
    return flow?.['state'] === state ? flow : undefined;
  }

  get #scopes(): readonly string[] {
    return [...new Set(['openid', ...this.#parts.issuer.scopes])];
  }

  #cookie(name: string, value: string, ms: number): string {
    const { protocol, pathname } = this.#parts.redirect;
    const secure = protocol === 'https:' ? '; Secure' : '';
    return `${name}=${value}; Path=${pathname}; Max-Age=${Math.floor(ms / 1000)}; HttpOnly; SameSite=Lax${secure}`;
  }
}
