/**
 * Stores credentials for the server's own calls: what people entered on a secret page, and what providers granted. Encrypted at
 * rest, each under one person and one name; nobody's credentials can be listed, and none of it reaches a client, a model, a log
 * or an address. vault-V1 to vault-V4 are in slots.ts.
 *
 * - vault-V5 `token` returns undefined whenever the person must sign in, whatever the reason; it throws only if asking the
 *   person would not help. A person who was asked for a scope and did not grant it is not asked again: so a handler that asks
 *   whenever there is no token does not ask endlessly.
 */
import { MidcallError } from '@midcall/core/errors';
import { anything, checkOptions, notNegative, required, storeKind } from '@midcall/core/options';
import type { Store } from '@midcall/core/store';
import { boundedStore } from '@midcall/core/store';
import { type Clock, clockKind, systemClock } from '@midcall/core/time';
import { isPrincipal, type Principal } from '../../base/index.ts';
import { createSealer, type KeySource, keyRing } from '../../state/index.ts';
import { type Flows, flows } from '../oauth/flows.ts';
import { type Identities, identities } from '../oauth/identities.ts';
import type { Provider } from '../oauth/provider.ts';
import { ProviderError } from '../oauth/provider-error.ts';
import { lacking, type OAuthTokens, readSignIn, type StoredSignIn } from '../oauth/tokens.ts';
import { refresh } from './refresh.ts';
import { slots } from './slots.ts';

/** The options of a vault. */
export interface VaultOptions {
  readonly store: Store;
  /**
   * The keys that encrypt, the newest first; `MIDCALL_KEY` or `MIDCALL_KEY_FILE` if absent. Values sealed with an older key are
   * sealed again when they are read.
   */
  readonly key?: KeySource;
  /** The current time, and timers; this machine's clock if absent. */
  readonly clock?: Clock;
  /**
   * Milliseconds a call waits for another process that is renewing the same sign-in; 30,000 if absent: longer than a provider
   * may take to answer, and shorter than clients wait for a call.
   */
  readonly refreshWaitMs?: number;
  /** How long before its expiry an access token is renewed, in milliseconds; 60,000 if absent. */
  readonly renewEarlyMs?: number;
}

/** An access token for a call to the provider's API. Printing it does not reveal its value. */
export interface AccessToken {
  readonly value: string;
  readonly scopes: readonly string[];
  /** Milliseconds since the epoch; absent if the provider does not say. */
  readonly expiresAt?: number;
}

/** What is known about a sign-in, without its tokens. */
export interface SignedIn {
  readonly scopes: readonly string[];
  /** The scopes that were requested and not granted. */
  readonly refused: readonly string[];
  /** Milliseconds since the epoch. */
  readonly since: number;
}

/** The outcome of `forget`. */
export type Forgotten =
  /** There was nothing. */
  | 'nothing'
  /** Removed here, and ended at the provider. */
  | 'revoked'
  /** Removed here; the provider offers no revocation, or did not carry it out: it may still list the permission. */
  | 'removed';

/** A sign-in in progress at a provider. */
export interface OAuthFlow {
  readonly pageId: string;
  readonly provider: string;
  readonly redirectUri: string;
  readonly verifier: string;
  readonly scopes: readonly string[];
  /** The server's identity when it began, as JSON. */
  readonly client: string;
  readonly [key: string]: string | readonly string[];
}

/** Credentials by person and name, sealed in a store: secrets, and sign-ins with providers. */
export interface Vault {
  /**
   * A person's access token at a provider, renewed if it has expired.
   * @param options - `scopes`: what the call needs, the provider's scopes if absent; for one that was never requested the
   *   person must sign in again
   * @returns undefined if the person must sign in, with `oauth(provider)`
   * @throws MidcallError `connect/scopes` if a scope was requested and not granted; `connect/provider` if the provider cannot
   *   be asked now; `store/corrupt`; `connect/identity` without a principal
   */
  token(
    owner: Principal | undefined,
    provider: Provider,
    options?: { readonly scopes?: readonly string[] },
  ): Promise<AccessToken | undefined>;
  /** What is stored about a person's sign-in at a provider; makes no request. */
  signedIn(owner: Principal | undefined, provider: Provider): Promise<SignedIn | undefined>;
  /** Sign-ins in progress; for the `oauth` page. */
  readonly flows: Flows<OAuthFlow, Pick<OAuthFlow, 'pageId'>>;
  /** The server's identity at providers where the operator did not register it; for the `oauth` page. */
  readonly identities: Identities;
  /**
   * Stores what a provider granted, replacing an older sign-in.
   * @param asked - the scopes that were requested; those that were granted if absent
   */
  keepSignIn(
    owner: Principal | undefined,
    provider: Provider,
    tokens: OAuthTokens,
    asked?: readonly string[],
  ): Promise<void>;
  /** Stores a secret under a name of the server's, replacing an older one. */
  put(owner: Principal | undefined, name: string, secret: string): Promise<void>;
  /** @returns undefined if there is none */
  get(owner: Principal | undefined, name: string): Promise<string | undefined>;
  /** Removes a sign-in, and revokes it at the provider if that is supported; or a secret, by its name. */
  forget(owner: Principal | undefined, what: Provider | string): Promise<Forgotten>;
}

/**
 * @throws MidcallError `server/setup` for a key that cannot be used; TypeError for an option out of range
 * @example
 * ```ts
 * const keeper = vault({ store, key });
 * const token = await keeper.token(call.principal, quill); // undefined if they have not connected
 * ```
 */
export function vault(options: VaultOptions): Vault {
  checkOptions('vault', options, {
    store: required(storeKind),
    key: anything,
    clock: clockKind,
    refreshWaitMs: notNegative,
    renewEarlyMs: notNegative,
  });
  const { clock = systemClock, refreshWaitMs = 30_000, renewEarlyMs = 60_000 } = options;
  const store = boundedStore(options.store, clock);
  const sealer = createSealer(keyRing(options.key));
  const vaultSlots = slots(store, sealer);
  const renewals = refresh({ store, slots: vaultSlots, clock, waitMs: refreshWaitMs });
  const atProvider = (provider: Provider): string => `oauth ${provider.id} ${provider.issuer}`;
  const secretSlot = (name: string): string => `secret ${name}`;

  return {
    flows: flows(store, sealer, 'oauth-flow', 'A connection in progress'),
    identities: identities(store, sealer),
    async token(someone, provider, { scopes = provider.scopes } = {}) {
      const owner = checkedPrincipal(someone);
      const slot = atProvider(provider);
      const current = await renewals.read(owner, slot);
      const tokens = current?.signIn.tokens;
      if (!current || !tokens) return undefined;
      const missing = lacking(tokens.scopes, scopes);
      if (missing.length > 0 && missing.every(scope => current.signIn.refused?.includes(scope))) {
        throw notAllowed(provider, missing);
      }
      if (missing.length > 0) return undefined;
      if (tokens.expiresAt === undefined || tokens.expiresAt - renewEarlyMs > clock.now()) return accessToken(tokens);
      try {
        const renewed = await renewals.renew(owner, slot, provider, current);
        return renewed && lacking(renewed.scopes, scopes).length === 0 ? accessToken(renewed) : undefined;
      } catch (error) {
        if (error instanceof ProviderError && tokens.expiresAt > clock.now()) return accessToken(tokens);
        throw error;
      }
    },
    async signedIn(someone, provider) {
      const current = await renewals.read(checkedPrincipal(someone), atProvider(provider));
      const { tokens, refused = [], since = 0 } = current?.signIn ?? {};
      return tokens && { scopes: tokens.scopes, refused, since };
    },
    async keepSignIn(someone, provider, tokens, requested = []) {
      const owner = checkedPrincipal(someone);
      const slot = atProvider(provider);
      const before = readSignIn((await vaultSlots.read(owner, slot).catch(() => undefined))?.value)?.tokens;
      const refused = lacking(tokens.scopes, requested);
      const signIn: StoredSignIn = { tokens, ...(refused.length > 0 && { refused }), renewed: 0, since: clock.now() };
      await vaultSlots.replace(owner, slot, signIn);
      // It is stored, whatever becomes of the claims on what it replaces.
      if (before) await renewals.release(before).catch(() => {});
    },
    async put(someone, name, secret) {
      await vaultSlots.replace(checkedPrincipal(someone), secretSlot(name), secret);
    },
    async get(someone, name) {
      const owner = checkedPrincipal(someone);
      const current = await vaultSlots.read(owner, secretSlot(name));
      if (typeof current?.value !== 'string') return undefined;
      if (current.outdated) await vaultSlots.renew(owner, secretSlot(name), current, current.value);
      return current.value;
    },
    async forget(someone, what) {
      const owner = checkedPrincipal(someone);
      if (typeof what === 'string') {
        return (await vaultSlots.clear(owner, secretSlot(what))) === undefined ? 'nothing' : 'removed';
      }
      const cleared = await vaultSlots.clear(owner, atProvider(what));
      if (!cleared) return 'nothing';
      const tokens = readSignIn(cleared.value)?.tokens;
      if (!tokens) return 'removed';
      // Nobody could revoke the tokens later.
      await renewals.release(tokens).catch(() => {});
      return (await what.client.revoke(tokens).catch(() => false)) ? 'revoked' : 'removed';
    },
  };
}

function checkedPrincipal(someone: Principal | undefined): Principal {
  if (isPrincipal(someone)) return someone;
  if (someone)
    throw new MidcallError(
      'connect/identity',
      'The owner of a credential must be { issuer, subject }, two texts that are not empty: anything else could be anybody.',
    );
  throw new MidcallError(
    'connect/identity',
    'Nobody is signed in here, so no credential can be kept for anybody. Give midcall() a `principal`.',
  );
}

function notAllowed({ name }: Provider, missing: readonly string[]): MidcallError {
  const scopes = missing.map(scope => `‘${scope}’`).join(', ');
  return new MidcallError(
    'connect/scopes',
    `${name} was asked to allow ${scopes} and did not. To ask again, forget the sign-in at ${name} and connect anew.`,
  );
}

/** A token whose value appears neither in logs nor in JSON. */
function accessToken({ accessToken: value, scopes, expiresAt }: OAuthTokens): AccessToken {
  const visible = { scopes, ...(expiresAt !== undefined && { expiresAt }) };
  return Object.defineProperties({ ...visible } as AccessToken, {
    value: { value, enumerable: false },
    toJSON: { value: () => visible, enumerable: false },
  });
}
