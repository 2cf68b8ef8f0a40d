/** A third party that people connect to: a few lines of configuration, checked when it is built. */

import { needed } from '@midcall/core/errors';
import {
  anything,
  checkOptions,
  func,
  having,
  type Kind,
  type Kinds,
  listOf,
  oneOf,
  positive,
  required,
  text,
} from '@midcall/core/options';
import { hides } from '@midcall/core/text';
import { type Clock, nowKind, systemClock } from '@midcall/core/time';
import {
  isSafeEndpoint,
  type OAuthClient,
  type OAuthClientOptions,
  type ProviderMetadata,
  type Requests,
} from './oauth-client.ts';

/** The operator's configuration of a provider. */
export interface ProviderOptions {
  /**
   * Identifies the provider in links, in the vault and on pages: lower-case letters, digits and hyphens, at most 32 characters.
   */
  readonly id: string;
  /** The name that people know it by; the id if absent. */
  readonly name?: string;
  /** The issuer, exactly as the provider writes it: https, or http on loopback. */
  readonly issuer: string;
  /**
   * The client id the operator registered for this server. If absent, the server describes itself at an address of its own,
   * which is then its client id, or registers itself, whichever the provider offers, in this order.
   */
  readonly clientId?: string;
  /** Absent for a public client. */
  readonly clientSecret?: string;
  /** How the secret is sent; `basic` if absent. */
  readonly clientAuth?: 'basic' | 'post';
  /** The scopes to request if a page does not name its own. */
  readonly scopes?: readonly string[];
  /** The API that the tokens are for (RFC 8707), if the provider requires it. */
  readonly resource?: string;
  /** Extra parameters for the authorization endpoint, such as `access_type: 'offline'`. */
  readonly parameters?: Readonly<Record<string, string>>;
  /** Needed if the provider publishes no metadata (RFC 8414 names). */
  readonly metadata?: ProviderMetadata;
  /** Milliseconds one request to the provider may take; 20,000 if absent. */
  readonly timeoutMs?: number;
  /** The `fetch` to use; the global one if absent. */
  readonly fetch?: typeof fetch;
  /** The current time, and timers; this machine's clock if absent. */
  readonly clock?: Pick<Clock, 'now'>;
}

/** A provider, as other factories take it. */
export const providerKind: Kind = {
  words: 'what provider(…) made',
  fits: value => having('', 'inspect').fits((value as Provider | null | undefined)?.client),
};

const kinds: Kinds<ProviderOptions> = {
  id: required(text),
  name: text,
  issuer: required(text),
  clientId: text,
  clientSecret: text,
  clientAuth: oneOf('basic', 'post'),
  scopes: listOf(text),
  resource: text,
  parameters: anything,
  metadata: anything,
  timeoutMs: positive,
  fetch: func,
  clock: nowKind,
};

/** A provider, ready for `oauth(…)` and for the vault. Printing it does not reveal its secret. */
export interface Provider {
  readonly id: string;
  readonly name: string;
  readonly issuer: string;
  readonly scopes: readonly string[];
  readonly parameters: Readonly<Record<string, string>>;
  /** Milliseconds after which a renewal that was begun can no longer be in progress. */
  readonly renewalTimeoutMs: number;
  /** The requests to it. */
  readonly client: OAuthClient;
}

/** Set by us for every authorization request; the operator's value would weaken or break it. */
const reserved = new Set([
  'client_id',
  'response_type',
  'response_mode',
  'redirect_uri',
  'state',
  'nonce',
  'scope',
  'code_challenge',
  'code_challenge_method',
  'resource',
  'request',
  'request_uri',
]);

/**
 * @throws TypeError for a bad option, naming it but never its value if that may be secret
 * @example
 * ```ts
 * const quill = provider({
 *   id: 'quill',
 *   issuer: 'https://quill.example.com',
 *   clientId: 'library',
 *   clientSecret: secretOfClient,
 *   scopes: ['notes.read'],
 * });
 * ```
 */
export function provider(options: ProviderOptions): Provider {
  checkOptions('provider', options, kinds);
  const { id, name = id, clientId, scopes = [], parameters = {}, timeoutMs = 20_000, clock = systemClock } = options;
  const check = (holds: boolean, text: string): void => {
    if (!holds) throw new TypeError(`provider: ${text}`);
  };
  check(
    /^[a-z0-9](?:[a-z0-9-]{0,30}[a-z0-9])?$/u.test(id),
    'id must be at most 32 lower-case letters, digits and hyphens.',
  );
  check(
    name !== '' && [...name].length <= 60 && !/\n/u.test(name) && !hides(name),
    `name of '${id}' must be one line of at most 60 characters.`,
  );
  check(URL.canParse(options.issuer), `issuer of '${id}' must be a web address.`);
  const issuer = new URL(options.issuer);
  check(isSafeEndpoint(issuer), `issuer of '${id}' must be an https address (http only on loopback).`);
  check(issuer.search === '' && issuer.hash === '', `issuer of '${id}' must not have a query or a fragment.`);
  check(clientId !== '', `clientId of '${id}' is empty.`);
  check(
    clientId !== undefined || (options.clientSecret === undefined && options.clientAuth === undefined),
    `clientSecret and clientAuth of '${id}' belong to a clientId; give that as well.`,
  );
  check(options.clientSecret !== '', `clientSecret of '${id}' is empty; leave it out for a public client.`);
  // scope-token of RFC 6749, section 3.3.
  check(
    scopes.every(scope => /^[\x21\x23-\x5b\x5d-\x7e]+$/u.test(scope)),
    `a scope of '${id}' has a character that no scope may have.`,
  );
  const conflicting = Object.keys(parameters).find(key => reserved.has(key));
  check(conflicting === undefined, `parameters of '${id}' may not set ${conflicting}.`);

  const client = oauthClient({
    name,
    issuer,
    issuerName: options.issuer,
    registered:
      clientId === undefined
        ? undefined
        : {
            id: clientId,
            ...(options.clientSecret !== undefined && { secret: options.clientSecret }),
            ...(options.clientAuth !== undefined && { auth: options.clientAuth }),
          },
    metadata: options.metadata && { ...options.metadata, issuer: options.issuer },
    resource: options.resource,
    fetch: options.fetch,
    timeoutMs,
    clock,
  });
  return Object.freeze({
    id,
    name,
    issuer: options.issuer,
    scopes: Object.freeze([...scopes]),
    parameters: Object.freeze({ ...parameters }),
    // Discovery twice, keys, the request itself, and as much again for a process that was held up.
    renewalTimeoutMs: 8 * timeoutMs,
    client,
  });
}

/**
 * An OAuth client whose library, which takes long to load, is loaded at its first request.
 * @returns a client whose every function fails with MidcallError `server/setup` if the packages it needs are not installed
 */
function oauthClient(options: OAuthClientOptions): OAuthClient {
  let loaded: Promise<Requests> | undefined;
  const load = async (): Promise<Requests> => {
    const library = () => import('./certified-client.ts');
    const both = ['openid-client', 'oauth4webapi'];
    const second = () => needed('OAuth', 'oauth4webapi', library, both);
    const { certifiedClient } = await needed('OAuth', 'openid-client', second, both);
    return certifiedClient(options);
  };
  const client = (): Promise<Requests> => (loaded ??= load());
  return {
    registered: options.registered !== undefined,
    ready: async () => void (await client()),
    takes: async () => await (await client()).takes(),
    register: async offer => await (await client()).register(offer),
    authorizationUrl: async request => await (await client()).authorizationUrl(request),
    exchange: async (callback, expected) => await (await client()).exchange(callback, expected),
    refresh: async (...args) => await (await client()).refresh(...args),
    revoke: async tokens => await (await client()).revoke(tokens),
    inspect: async (token, audience) => await (await client()).inspect(token, audience),
  };
}
