/**
 * The tokens of one server for one principal: sent with every request, renewed when they expire, and obtained from a person, or
 * from the authorization server itself, if there are none.
 *
 * - authorizer-Z1 A token is sent only to its server's origin; credentials for one authorization server are sent to no other.
 * - authorizer-Z2 A refresh token is presented once, however many processes find the access token expired.
 * - authorizer-Z3 A person is asked once, however many requests wait for the sign-in, in however many processes.
 * - authorizer-Z4 A server that refuses a token that was just issued gets no other: the request fails, and says so.
 */
import { MidcallError } from '@midcall/core/errors';
import { limitedFetch } from '@midcall/core/fetch';
import { fromJson, isRecord } from '@midcall/core/json';
import { visible } from '@midcall/core/text';
import type { Clock } from '@midcall/core/time';
import { computeScopeUnion } from '@modelcontextprotocol/client';
import { isRequest } from '../sdk-seam/index.ts';
import { type Challenge, challengeOf, type Discovered, discover, printable, withinScopes } from './discovery.ts';
import { ownTokens, refreshed, revoked } from './renewal.ts';
import type { ServerAuth } from './server-auth.ts';
import type { AskSignIn } from './sign-in.ts';
import { type Grant, type GrantVault, isFresh, isSendable, type VaultKey, withoutTokens, withTokens } from './vault.ts';

/** Options of the tokens of a server. */
export interface AuthorizerOptions {
  readonly serverUrl: URL;
  readonly auth: ServerAuth;
  readonly vault: GrantVault;
  readonly principal: string;
  /** The name this host registers under. */
  readonly name: string;
  readonly fetch: typeof fetch;
  readonly clock: Clock;
  /** Asks the person; undefined while nobody may be asked, such as while the connection is being made. */
  readonly ask: () => AskSignIn | undefined;
}

/** How many milliseconds an authorization server may take for one answer. */
const answerMs = 20_000;
/** The largest answer of an authorization server, in bytes. */
const mostBytes = 1024 * 1024;
/** Milliseconds between two checks for a sign-in by another process. */
const lookMs = 1_000;
/**
 * How many milliseconds a sign-in that was read is used before the vault is read again; meanwhile, the end of a sign-in in
 * another process is not noticed.
 */
const rereadMs = 5_000;
/** How many milliseconds nobody is asked again for what a sign-in has just failed to give. */
const futileMs = 60_000;
/** How many times one request may ask the person for more. */
const mostSignIns = 2;

/** The tokens of one server for one principal. */
export class Authorizer {
  readonly #options: AuthorizerOptions;
  readonly #key: VaultKey;
  readonly #asking: typeof fetch;
  #grant: Grant | undefined;
  #read: Promise<void> | undefined;
  /** When to look into the vault again: another process may have signed out. */
  #readAgainAt = 0;
  #renewing: Promise<string | undefined> | undefined;
  #signingIn: Promise<void> | undefined;
  /** What was refused right after a sign-in, so that the next request does not ask for the same again (authorizer-Z4). */
  #futile: { readonly refused: string; readonly until: number } | undefined;
  /** What a person has to sign in for, if a request needed it while nobody could be asked. */
  needed: Challenge | undefined;

  constructor(options: AuthorizerOptions) {
    const { serverUrl, principal, fetch } = options;
    this.#options = options;
    this.#key = { principal, server: `${serverUrl.origin}${serverUrl.pathname}` };
    const limited = limitedFetch(fetch, { mostBytes });
    this.#asking = async (input, init) =>
      withoutEmptyMembers(await limited(input, { ...init, signal: AbortSignal.timeout(answerMs) }));
  }

  /** Sends a request to the server with a token, and again with another token if that is needed. */
  readonly fetch: typeof fetch = async (input, init) => {
    const { serverUrl, fetch, ask, clock } = this.#options;
    const url = new URL(input instanceof Request ? input.url : input);
    if (url.origin !== serverUrl.origin) return fetch(input, init);
    let renewed = false;
    for (let signIns = 0; ; ) {
      const token = await this.#token();
      const response = await fetch(input, withToken(init, token));
      const challenge = challengeOf(response);
      if (!challenge) return response;
      if (challenge.wants === 'token' && !renewed) {
        renewed = true;
        const other = await this.#renewed(token, challenge);
        if (other !== undefined) {
          await response.body?.cancel();
          continue;
        }
      }
      const asks = ask();
      if (!asks) this.needed = challenge;
      // Only a request has somebody who waits for its answer.
      if (!asks || !isRequest(init)) return response;
      const refused = JSON.stringify([challenge.wants, challenge.scope]);
      const isFutile = this.#futile?.refused === refused && clock.now() < this.#futile.until;
      if (isFutile || signIns >= mostSignIns || (signIns > 0 && challenge.wants === 'token')) {
        if (!isFutile) this.#futile = { refused, until: clock.now() + futileMs };
        throw stillRefused(challenge);
      }
      signIns += 1;
      await response.body?.cancel();
      await this.signIn(challenge, asks, token);
    }
  };

  /**
   * Has the person sign in, or joins the sign-in that is open (authorizer-Z3).
   * @param refused - the token that was refused
   * @throws MidcallError `host/unauthorized` if nobody is signed in afterwards
   */
  async signIn(challenge: Challenge, ask: AskSignIn, refused = this.#grant?.tokens?.access_token): Promise<void> {
    this.needed = undefined;
    this.#signingIn ??= this.#signIn(challenge, ask, refused).finally(() => {
      this.#signingIn = undefined;
    });
    return this.#signingIn;
  }

  /** True if a person has signed in, here or in another process, and may sign out. */
  async isSignedIn(): Promise<boolean> {
    const { vault, auth } = this.#options;
    return auth.flow !== 'client-credentials' && (await vault.read(this.#key))?.tokens !== undefined;
  }

  /**
   * Forgets the sign-in: at once here, within {@link rereadMs} in other processes, and permanently if the authorization server
   * revokes tokens.
   * @returns false if the authorization server could not be told, so that the tokens remain valid until they expire
   */
  async signOut(): Promise<boolean> {
    const { vault, auth, clock } = this.#options;
    let before: Grant | undefined;
    this.#grant = await vault.change(this.#key, async grant => {
      before = grant;
      return grant && withoutTokens(grant);
    });
    this.#futile = undefined;
    if (!before?.tokens) return true;
    try {
      const discovered = await this.#discover({ wants: 'token' });
      return await revoked(before, { discovered, auth, fetch: this.#asking, clock });
    } catch {
      return false;
    }
  }

  async #token(): Promise<string | undefined> {
    const { vault, clock } = this.#options;
    if (clock.now() >= this.#readAgainAt) {
      this.#readAgainAt = clock.now() + rereadMs;
      this.#read = vault.read(this.#key).then(
        grant => {
          this.#grant = grant;
        },
        error => {
          this.#readAgainAt = 0;
          throw error;
        },
      );
    }
    await this.#read;
    const grant = this.#grant;
    if (!grant?.tokens) return undefined;
    const { access_token: token } = grant.tokens;
    if (isFresh(grant, clock.now())) return token;
    const usable = (await this.#renewed(token, { wants: 'token' })) ?? token;
    return isSendable(usable) ? usable : undefined;
  }

  /** A token other than the rejected one, obtained without a person; undefined if there is none. */
  #renewed(ended: string | undefined, challenge: Challenge): Promise<string | undefined> {
    this.#renewing ??= this.#renew(ended, challenge).finally(() => {
      this.#renewing = undefined;
    });
    return this.#renewing.then(token => (token === ended ? undefined : token));
  }

  async #renew(ended: string | undefined, challenge: Challenge): Promise<string | undefined> {
    const { vault, clock, auth } = this.#options;
    const stored = await vault.read(this.#key);
    if (!stored?.tokens && auth.flow !== 'client-credentials') return undefined;
    this.#grant = await vault.change(this.#key, async grant => {
      // Another process was faster.
      if (grant?.tokens && grant.tokens.access_token !== ended && isFresh(grant, clock.now())) return grant;
      if (auth.flow !== 'client-credentials' && grant?.tokens?.refresh_token === undefined) return grant;
      const discovered = await this.#discover(challenge);
      const parts = { discovered, auth, scope: challenge.scope, fetch: this.#asking, clock };
      return auth.flow === 'client-credentials' ? ownTokens(grant, parts) : refreshed(grant!, parts);
    });
    return this.#grant?.tokens?.access_token;
  }

  async #signIn(challenge: Challenge, ask: AskSignIn, refused: string | undefined): Promise<void> {
    const { auth, vault, name, serverUrl, clock } = this.#options;
    if (auth.flow === 'client-credentials') throw stillRefused(challenge);
    const discovered = await this.#discover(challenge);
    if (!discovered) throw notOAuth();
    const stored = await vault.read(this.#key);
    if (this.#isSignedInSince(refused, stored)) {
      this.#grant = stored;
      return;
    }
    const before = stored?.issuer === discovered.issuer ? stored : undefined;
    const scope = scopeFor(challenge, discovered, auth, before);
    const grant: Grant = { issuer: discovered.issuer, ...(scope !== undefined && { scope }) };
    // Loaded on demand: most starts need neither, and hosts wait while a bridge starts.
    const signIn =
      auth.flow === 'device-code'
        ? (await import('./device-sign-in.ts')).signInByDevice
        : (await import('./code-sign-in.ts')).signInByCode;
    try {
      await signIn({
        discovered,
        auth,
        serverUrl,
        name,
        client: before?.client,
        scope,
        more: challenge.wants === 'scope',
        fetch: this.#asking,
        clock,
        ask: (request, over) => this.#asked(ask, request, over, refused),
        keepClient: async client =>
          void (await vault.change(this.#key, async now =>
            this.#isSignedInSince(refused, now) ? now : { ...before, ...grant, client },
          )),
        keepTokens: async (client, tokens) => {
          mustBeBearer(discovered.issuer, tokens.token_type);
          this.#grant = await vault.change(this.#key, async () =>
            withTokens({ ...grant, client }, tokens, clock.now()),
          );
        },
      });
    } catch (error) {
      // The authorization server may have forgotten this registration, which it tells only the person.
      if (before?.client?.from === 'registration') await this.#dropClient(refused);
      throw error;
    }
  }

  /** Asks the person, and stops asking if another process signs them in (authorizer-Z3). */
  async #asked(
    ask: AskSignIn,
    request: Parameters<AskSignIn>[0],
    over: AbortSignal,
    refused: string | undefined,
  ): ReturnType<AskSignIn> {
    const { vault, clock } = this.#options;
    const elsewhere = new AbortController();
    let callOff = (): void => {};
    let stopped = false;
    const look = async (): Promise<void> => {
      const stored = await vault.read(this.#key).catch(() => undefined);
      if (stopped) return;
      if (this.#isSignedInSince(refused, stored)) {
        this.#grant = stored;
        elsewhere.abort({ how: 'completed' });
      } else callOff = clock.after(lookMs, () => void look());
    };
    callOff = clock.after(lookMs, () => void look());
    try {
      return await ask(request, AbortSignal.any([over, elsewhere.signal]));
    } finally {
      stopped = true;
      callOff();
    }
  }

  async #dropClient(refused: string | undefined): Promise<void> {
    await this.#options.vault.change(this.#key, async grant => {
      if (!grant || this.#isSignedInSince(refused, grant)) return grant;
      const { client: _, ...rest } = grant;
      return rest;
    });
  }

  /** True if another process has signed in since the token was refused: what it stored stays. */
  #isSignedInSince(refused: string | undefined, stored: Grant | undefined): boolean {
    const token = stored?.tokens?.access_token;
    return token !== undefined && token !== refused && isFresh(stored!, this.#options.clock.now());
  }

  #discover(challenge: Challenge): Promise<Discovered | undefined> {
    const { serverUrl, auth } = this.#options;
    return discover({ serverUrl, challenge, auth, fetch: this.#asking });
  }
}

/** An answer without members that are null or empty, which some authorization servers send for what they leave out. */
async function withoutEmptyMembers(response: Response): Promise<Response> {
  if (!/\bjson\b/i.test(response.headers.get('content-type') ?? '')) return response;
  const text = await response.text();
  const { status, headers } = response;
  const withBody = (body: string): Response => new Response(body, { status, headers: new Headers(headers) });
  const answer = fromJson(text);
  if (!isRecord(answer)) return withBody(text);
  return withBody(
    JSON.stringify(Object.fromEntries(Object.entries(answer).filter(([, value]) => value !== null && value !== ''))),
  );
}

/** basic/authorization, "Scope Selection Strategy"; with what was asked for before, so that a step up loses nothing. */
function scopeFor(
  challenge: Challenge,
  discovered: Discovered,
  auth: ServerAuth,
  before: Grant | undefined,
): string | undefined {
  const requestedScope = challenge.scope ?? auth.scopes?.join(' ') ?? discovered.scopesSupported;
  // What is needed now comes first: what does not fit is not asked for.
  const union = computeScopeUnion(requestedScope, before?.scope, before?.tokens?.scope);
  const scope = union && withinScopes(union);
  const offline = discovered.metadata.scopes_supported?.includes('offline_access') === true;
  return scope !== undefined && offline ? computeScopeUnion(scope, 'offline_access') : scope;
}

function withToken(init: RequestInit | undefined, token: string | undefined): RequestInit {
  const headers = new Headers(init?.headers);
  if (token !== undefined) headers.set('authorization', `Bearer ${token}`);
  return { ...init, headers };
}

function mustBeBearer(issuer: string, type: string): void {
  if (type.toLowerCase() === 'bearer') return;
  throw new MidcallError(
    'host/unauthorized',
    `The authorization server ${printable(issuer)} gave a token of type '${visible(type, { max: 40 })}'. Only Bearer tokens are used.`,
  );
}

const stillRefused = ({ wants, scope }: Challenge): MidcallError =>
  new MidcallError(
    'host/unauthorized',
    wants === 'token'
      ? 'The server refuses the token that it was just given (HTTP 401). Its authorization server does not issue tokens that it accepts.'
      : `The server still wants more scopes than the sign-in gave (HTTP 403)${scope === undefined ? '' : `: ${printable(scope)}`}. Your account may not have them.`,
  );

const notOAuth = (): MidcallError =>
  new MidcallError(
    'host/unauthorized',
    'The server accepts no calls without a token, and does not say how to get one. Send one in a header.',
  );
