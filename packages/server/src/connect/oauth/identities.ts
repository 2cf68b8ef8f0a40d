/**
 * Who this server is at each provider.
 *
 * - identities-I1 In this order: as the operator registered it; by the address of its client id metadata document, if the
 *   provider reads one and this server can be reached; registered by request (RFC 7591).
 * - identities-I2 A registration by request is made once for all processes that share the store, stored sealed, and made again
 *   when the provider no longer knows it.
 */
import { hash } from 'node:crypto';
import type { Store } from '@midcall/core/store';
import { openOrWarn, type Sealer } from '../../state/index.ts';
import { type ClientIdentity, type ClientOffer, isReadable, registeredRedirect } from './identity.ts';
import type { Provider } from './provider.ts';
import { ProviderError } from './provider-error.ts';

/** Who this server is at providers; for the `oauth` page. */
export interface Identities {
  /**
   * @param warn - writes to the operators' log
   * @returns undefined if the operator registered this server
   * @throws ProviderError if the provider accepts no server that the operator has not registered
   */
  at(provider: Provider, offer: ClientOffer, warn: (message: string) => void): Promise<ClientIdentity | undefined>;
  /** Removes a registration that the provider no longer knows. */
  forget(provider: Provider, offer: ClientOffer): Promise<void>;
}

const PURPOSE = 'oauth-client';
/** Providers delete old registrations silently; after this time a new one is made. */
const REGISTRATION_MS = 30 * 24 * 60 * 60_000;

export function identities(store: Store, sealer: Sealer): Identities {
  const keyOf = ({ id, issuer }: Provider, { redirectUri }: ClientOffer): string => {
    const text = JSON.stringify(['midcall.client', id, issuer, registeredRedirect(redirectUri)]);
    return `${PURPOSE}:${hash('sha256', text, 'base64url')}`;
  };
  const stored = async (key: string, warn: (message: string) => void): Promise<ClientIdentity | undefined> => {
    const text = await store.get(key);
    if (text === undefined) return undefined;
    return openOrWarn(sealer, PURPOSE, key, text, 'A registration at a provider', warn) as ClientIdentity | undefined;
  };
  return {
    async at(provider, offer, warn) {
      const { client, name } = provider;
      if (client.registered) return undefined;
      const takes = await client.takes();
      if (takes.document && isReadable(offer)) return { id: offer.document.href };
      const key = keyOf(provider, offer);
      const before = await stored(key, warn);
      if (before) return before;
      if (!takes.registration) {
        throw new ProviderError(
          `${name} does not know this server, and registers none by itself: the operator has to register it there and configure its clientId.`,
          'unsent',
        );
      }
      const { identity, lifeMs = REGISTRATION_MS } = await client.register(offer);
      const sealed = sealer.seal(identity, PURPOSE, key);
      const ttlMs = Math.max(1, Math.floor(Math.min(lifeMs, REGISTRATION_MS)));
      if (await store.set(key, sealed, { ttlMs, ifAbsent: true })) return identity;
      // Another process was first, or the stored one was sealed with a key that is gone.
      const first = await stored(key, warn);
      if (!first) await store.set(key, sealed, { ttlMs });
      return first ?? identity;
    },
    async forget(provider, offer) {
      if (!provider.client.registered) await store.delete(keyOf(provider, offer));
    },
  };
}
