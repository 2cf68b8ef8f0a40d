/**
 * The tokens of one server for one principal: sent with every request, renewed when they end, and got from a person, or from the
 * authorization server itself, where there are none.
 *
 * - authorizer-Z1 A token is sent to its server's origin alone, and whatever belongs to one authorization server to no other.
 * - authorizer-Z2 A refresh token is presented once, whatever processes find the access token ended.
 * - authorizer-Z3 One person is asked once for what any number of requests wait for, in any number of processes.
 * - authorizer-Z4 A server that refuses what it was just given is not given more: the request fails, and says so.
 */
import { MidcallError } from '@midcall/core/errors';
import { own } from '@midcall/core/json';
import { visible } from '@midcall/core/text';
import type { Clock } from '@midcall/core/time';
import { computeScopeUnion, refreshAuthorization } from '@modelcontextprotocol/client';
import { limitedFetch } from '../connection/limited-fetch.ts';
import { type Challenge, challengeOf } from './challenge.ts';
import { type Discovered, discover } from './discovery.ts';
import { fetchTokens } from './fetch-tokens.ts';
import { type Grant, isFresh, withoutTokens, withTokens } from './grant.ts';
import { knownClient } from './registration.ts';
import type { ServerAuth } from './server-auth.ts';
import type { AskSignIn } from './sign-in.ts';
import { oauthCode, tokenProblem } from './token-problem.ts';
import type { GrantVault, VaultKey } from './vault.ts';

/** What the tokens of a server stand on. */
export interface AuthorizerOptions {
  readonly serverUrl: URL;
  readonly auth: ServerAuth;
  readonly vault: GrantVault;
  readonly principal: string;
  /** What this host calls itself at a registration. */
  readonly name: string;
  readonly fetch: typeof fetch;
  readonly clock: Clock;
  /** Asks the person; undefined while nobody may be asked, such as while the server is being connected to. */
  readonly ask: () => AskSignIn | undefined;
}

/** Milliseconds an authorization server may take for one answer. */
const answerMs = 20_000;
/** Bytes of one answer of it. */
const mostBytes = 1024 * 1024;
/** Milliseconds between two looks for a sign-in of another process. */
const lookMs = 1_000;
/** Milliseconds in which nobody is asked again for what a sign-in has just not given. */
const futileMs = 60_000;
/** How often one request asks the person for more. */
const mostSignIns = 2;

/** The tokens of one server for one principal. */
export class Authorizer {
  readonly #options: AuthorizerOptions;
  readonly #key: VaultKey;
  readonly #asking: typeof fetch;
  #grant: Grant | undefined;
  #read: Promise<void> | undefined;
  #renewing: Promise<string | undefined> | undefined;
  #signingIn: Promise<void> | undefined;
  /** What was refused right after a sign-in, so that the next request does not ask for the same again (authorizer-Z4). */
  #futile: { readonly refused: string; readonly until: number } | undefined;
  /** What a person has to sign in for, where a request found that out and nobody could be asked. */
  needed: Challenge | undefined;

  constructor(options: AuthorizerOptions) {
    const { serverUrl, principal, fetch } = options;
    this.#options = options;
    this.#key = { principal, server: `${serverUrl.origin}${serverUrl.pathname}` };
    const limited = limitedFetch(fetch, mostBytes, () => {});
    this.#asking = (input, init) => limited(input, { ...init, signal: AbortSignal.timeout(answerMs) });
  }

  /** Sends a request to the server with a token, and again with another one where that is what it takes. */
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
      // Nobody waits for an answer to anything but a request.
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
   * @throws MidcallError `host/unauthorized` where nobody is signed in then
   */
  async signIn(challenge: Challenge, ask: AskSignIn, refused = this.#grant?.tokens?.access_token): Promise<void> {
    this.needed = undefined;
    this.#signingIn ??= this.#signIn(challenge, ask, refused).finally(() => {
      this.#signingIn = undefined;
    });
    return this.#signingIn;
  }

  /** Forgets the sign-in, in every process. The authorization server is not told. */
  async signOut(): Promise<void> {
    this.#grant = await this.#options.vault.change(this.#key, async grant => grant && withoutTokens(grant));
  }

  async #token(): Promise<string | undefined> {
    const { vault, clock } = this.#options;
    this.#read ??= vault.read(this.#key).then(
      grant => {
        this.#grant = grant;
      },
      error => {
        this.#read = undefined;
        throw error;
      },
    );
    await this.#read;
    const grant = this.#grant;
    if (!grant?.tokens) return undefined;
    const { access_token: token } = grant.tokens;
    return isFresh(grant, clock.now()) ? token : ((await this.#renewed(token, { wants: 'token' })) ?? token);
  }

  /** Another token than the one that is of no use, without a person; undefined where there is none. */
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
      if (auth.flow === 'client-credentials') return this.#ownTokens(challenge, grant);
      return grant?.tokens?.refresh_token === undefined ? grant : this.#refreshed(grant, challenge);
    });
    return this.#grant?.tokens?.access_token;
  }

  /** Client credentials (RFC 6749, 4.4). */
  async #ownTokens(challenge: Challenge, grant: Grant | undefined): Promise<Grant | undefined> {
    const { auth, clock } = this.#options;
    const found = await this.#discover(challenge);
    if (!found) return grant;
    const client = knownClient(found, auth, undefined, clock.now())!;
    const scope = challenge.scope ?? auth.scopes?.join(' ') ?? found.scopesSupported;
    try {
      const form = { grant_type: 'client_credentials', ...(scope !== undefined && { scope }) };
      const tokens = await fetchTokens(found, client.information, form, this.#asking);
      return withTokens({ issuer: found.issuer }, tokens, clock.now());
    } catch (error) {
      throw tokenProblem(`The request for a token at ${printable(found.issuer)}`, error, [auth.clientSecret ?? '']);
    }
  }

  /** The refresh token is presented by whoever has the vault (authorizer-Z2), and to its own issuer alone (authorizer-Z1). */
  async #refreshed(grant: Grant, challenge: Challenge): Promise<Grant> {
    const { auth, clock } = this.#options;
    const found = await this.#discover(challenge);
    if (found?.issuer !== grant.issuer) return grant;
    const client = knownClient(found, auth, grant.client, clock.now());
    if (!client) return withoutTokens(grant);
    const refreshToken = grant.tokens!.refresh_token!;
    try {
      const tokens = await refreshAuthorization(found.issuer, {
        metadata: found.metadata,
        clientInformation: client.information,
        refreshToken,
        fetchFn: this.#asking,
        ...(found.resource !== undefined && { resource: found.resource }),
      });
      const { scope = grant.tokens!.scope } = tokens;
      return withTokens(grant, { ...tokens, ...(scope !== undefined && { scope }) }, clock.now());
    } catch (error) {
      const code = oauthCode(error);
      if (code === undefined || code === 'server_error' || code === 'temporarily_unavailable')
        throw tokenProblem(`The renewal of the sign-in at ${printable(found.issuer)}`, error, [refreshToken]);
      const { client: _, ...rest } = withoutTokens(grant);
      return code === 'invalid_client' ? rest : withoutTokens(grant);
    }
  }

  async #signIn(challenge: Challenge, ask: AskSignIn, refused: string | undefined): Promise<void> {
    const { auth, vault, name, serverUrl, clock } = this.#options;
    if (auth.flow === 'client-credentials') throw stillRefused(challenge);
    const found = await this.#discover(challenge);
    if (!found) throw notOAuth();
    const stored = await vault.read(this.#key);
    if (stored?.tokens && stored.tokens.access_token !== refused && isFresh(stored, clock.now())) {
      this.#grant = stored;
      return;
    }
    const before = stored?.issuer === found.issuer ? stored : undefined;
    const scope = scopeFor(challenge, found, auth, before);
    const grant: Grant = { issuer: found.issuer, ...(scope !== undefined && { scope }) };
    // Most starts need neither, and hosts wait for a bridge to start.
    const signIn =
      auth.flow === 'device-code'
        ? (await import('./device-sign-in.ts')).signInByDevice
        : (await import('./code-sign-in.ts')).signInByCode;
    try {
      await signIn({
        found,
        auth,
        serverUrl,
        name,
        client: before?.client,
        scope,
        more: challenge.wants === 'scope',
        fetch: this.#asking,
        now: () => clock.now(),
        after: (ms, fn) => clock.after(ms, fn),
        ask: (request, over) => this.#asked(ask, request, over, refused),
        keepClient: async client => void (await vault.change(this.#key, async () => ({ ...before, ...grant, client }))),
        keepTokens: async (client, tokens) => {
          mustBeBearer(found.issuer, tokens.token_type);
          this.#grant = await vault.change(this.#key, async () =>
            withTokens({ ...grant, client }, tokens, clock.now()),
          );
        },
      });
    } catch (error) {
      // The authorization server may have forgotten this registration, which it says to nobody but the person.
      if (before?.client?.from === 'registration') await this.#dropClient();
      throw error;
    }
  }

  /** Asks the person, and stops asking where another process has signed them in (authorizer-Z3). */
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
      if (stored?.tokens && stored.tokens.access_token !== refused && isFresh(stored, clock.now())) {
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

  async #dropClient(): Promise<void> {
    await this.#options.vault.change(this.#key, async grant => {
      if (!grant) return grant;
      const { client: _, ...rest } = grant;
      return rest;
    });
  }

  #discover(challenge: Challenge): Promise<Discovered | undefined> {
    const { serverUrl, auth } = this.#options;
    return discover({ serverUrl, challenge, auth, fetch: this.#asking });
  }
}

/** basic/authorization, "Scope Selection Strategy"; with what was asked for before, so that a step up loses nothing. */
function scopeFor(
  challenge: Challenge,
  found: Discovered,
  auth: ServerAuth,
  before: Grant | undefined,
): string | undefined {
  const wanted = challenge.scope ?? auth.scopes?.join(' ') ?? found.scopesSupported;
  const scope = computeScopeUnion(before?.scope, before?.tokens?.scope, wanted);
  const offline = found.metadata.scopes_supported?.includes('offline_access') === true;
  return scope !== undefined && offline ? computeScopeUnion(scope, 'offline_access') : scope;
}

function withToken(init: RequestInit | undefined, token: string | undefined): RequestInit {
  const headers = new Headers(init?.headers);
  if (token !== undefined) headers.set('authorization', `Bearer ${token}`);
  return { ...init, headers };
}

/** True for a JSON-RPC request. */
function isRequest({ method = 'GET', body }: RequestInit = {}): boolean {
  if (method !== 'POST' || typeof body !== 'string') return false;
  try {
    const message: unknown = JSON.parse(body);
    return own(message, 'method') !== undefined && own(message, 'id') !== undefined;
  } catch {
    return false;
  }
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
      ? 'The server refuses the token that it was just given (HTTP 401). Its authorization server does not issue what it takes.'
      : `The server still wants more scopes than the sign-in gave (HTTP 403)${scope === undefined ? '' : `: ${printable(scope)}`}. Your account may not have them.`,
  );

const notOAuth = (): MidcallError =>
  new MidcallError(
    'host/unauthorized',
    'The server takes no call without a token, and says nowhere how to get one. Send one as a header.',
  );

const printable = (text: string): string => visible(text, { max: 300 });
