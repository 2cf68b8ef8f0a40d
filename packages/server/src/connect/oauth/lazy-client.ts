/** An OAuth client whose library, which takes long to load, is loaded at its first request. */
import { needed } from '@midcall/core/errors';
import type { OAuthClient, OAuthClientOptions, Requests } from './oauth-client.ts';

/** @returns a client whose every function fails with MidcallError `server/setup` if the packages it needs are not installed */
export function oauthClient(options: OAuthClientOptions): OAuthClient {
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
