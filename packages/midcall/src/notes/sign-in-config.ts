/**
 * The file that names the authorization server of a notes server over HTTP: it issues the tokens of the calls and signs people
 * in on the pages. Open questions, pages and sessions are stored beside it, sealed, in `<file>.store`, with the key in
 * `<file>.key`, so that they survive a restart.
 */

import type { Store } from '@midcall/core/store';
import type { KeySource } from '@midcall/server';
import { type Bearer, bearer, provider, type SignIn, signIn } from '@midcall/server/connect';
import { sqliteStore } from '@midcall/server/stores/sqlite';
import { z } from 'zod';
import { readService } from './service-file.ts';

const shape = z.strictObject({
  issuer: z.url(),
  clientId: z.string(),
  clientSecret: z.string().optional(),
  name: z.string().optional(),
  scopes: z.array(z.string()).default([]).describe('What a token needs to call this server.'),
  otherPerson: z.enum(['login', 'select_account']).optional(),
});

/** The content of the file, ready for use. */
export interface SignInConfig {
  readonly store: Store;
  readonly key: KeySource;
  readonly signIn: SignIn;
  /** The guard of the endpoint at this address. */
  guard(resource: URL): Bearer;
}

/** @throws MidcallError `cli/usage` for a file that cannot be read or is invalid; `server/setup` for a bad key */
export function readSignInConfig(path: string): Promise<SignInConfig> {
  return readService(path, shape, async ({ issuer, clientId, clientSecret, name, scopes, otherPerson }) => {
    const server = provider({
      id: 'sign-in',
      name: name ?? new URL(issuer).host.slice(0, 60),
      issuer,
      clientId,
      ...(clientSecret !== undefined && { clientSecret }),
    });
    const key: KeySource = { file: `${path}.key`, create: true };
    const store = await sqliteStore(`${path}.store`);
    return {
      store,
      key,
      signIn: signIn(server, { store, key, ...(otherPerson && { otherPerson }) }),
      guard: resource => bearer(server, { resource, scopes }),
    };
  });
}
