/**
 * The JSON files in which an operator describes a service: the one to import notes from, and the authorization server. They are
 * read and checked, with no part of a secret in any error.
 */
import { readFile, stat } from 'node:fs/promises';
import { MidcallError } from '@midcall/core/errors';
import type { Store } from '@midcall/core/store';
import { isConfidential } from '@midcall/core/url';
import type { KeySource } from '@midcall/server';
import { type Bearer, bearer, provider, type SignIn, signIn, vault } from '@midcall/server/connect';
import { sqliteStore } from '@midcall/server/stores/sqlite';
import { z } from 'zod';
import type { Importing } from './import.ts';
import { oneLine } from './one-line.ts';

/** An error about this file. */
const usage = (path: string, text: string): MidcallError =>
  new MidcallError('cli/usage', `'${oneLine(path, 300)}' ${text}`);

/**
 * Reads a file and makes something of it.
 * @param use - may throw a TypeError for an unusable option
 * @throws MidcallError `cli/usage` for a file that cannot be read or is invalid
 */
async function readService<S extends z.ZodType, T>(
  path: string,
  shape: S,
  use: (read: z.infer<S>) => Promise<T>,
): Promise<T> {
  let text: string;
  let mode: number;
  try {
    ({ mode } = await stat(path));
    text = await readFile(path, 'utf8');
  } catch {
    throw usage(path, 'cannot be read.');
  }
  // It may contain the secret of a client.
  if (process.platform !== 'win32' && (mode & 0o027) !== 0)
    throw usage(path, 'may be opened by others, or changed by its group. Run chmod 600 on it.');
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw usage(path, 'is not JSON.');
  }
  const parsed = shape.safeParse(value);
  if (!parsed.success) {
    // The path and the rule, never the value, which may be the client secret.
    const { path: field, code } = parsed.error.issues[0]!;
    throw usage(path, `does not describe a service: ${field.join('.') || 'it'} is wrong (${code}).`);
  }
  try {
    return await use(parsed.data);
  } catch (error) {
    if (error instanceof TypeError) throw usage(path, `does not describe a service: ${error.message}`);
    throw error;
  }
}

const importShape = z.strictObject({
  id: z.string(),
  name: z.string().optional(),
  address: z.url().describe('Where the service lists a person’s notes.'),
  issuer: z.url(),
  clientId: z.string().optional(),
  clientSecret: z.string().optional(),
  scopes: z.array(z.string()).default([]),
  port: z.number().int().min(1).max(65_535).optional(),
});

/** The file that names the service to import notes from, ready for use. */
export interface ImportConfig {
  readonly importing: Importing;
  /** The loopback port of the pages, if the provider has to know the callback address in advance. */
  readonly port: number | undefined;
}

/**
 * Reads the file that names the service to import notes from. Sign-ins are stored beside it, encrypted, in `<file>.vault`, with the
 * key in `<file>.key`.
 * @throws MidcallError `cli/usage` for a file that cannot be read or is invalid; `server/setup` for a bad key
 */
export function readImportConfig(path: string): Promise<ImportConfig> {
  return readService(path, importShape, async ({ id, name, address, issuer, clientId, clientSecret, scopes, port }) => {
    const url = new URL(address);
    if (!isConfidential(url)) {
      throw usage(path, 'names an address that is not https: a token sent there could be intercepted.');
    }
    const service = provider({
      id,
      issuer,
      scopes,
      ...(clientId !== undefined && { clientId }),
      ...(name !== undefined && { name }),
      ...(clientSecret !== undefined && { clientSecret }),
    });
    const store = await sqliteStore(`${path}.vault`);
    const credentials = vault({ store, key: { file: `${path}.key`, create: true } });
    return { importing: { provider: service, vault: credentials, address: url }, port };
  });
}

const signInShape = z.strictObject({
  issuer: z.url(),
  clientId: z.string(),
  clientSecret: z.string().optional(),
  name: z.string().optional(),
  scopes: z.array(z.string()).default([]).describe('What a token needs to call this server.'),
  otherPerson: z.enum(['login', 'select_account']).optional(),
});

/** The file that names the authorization server, ready for use. */
export interface SignInConfig {
  readonly store: Store;
  readonly key: KeySource;
  readonly signIn: SignIn;
  /** The guard of the endpoint at this address. */
  guard(resource: URL): Bearer;
}

/**
 * Reads the file that names the authorization server of a notes server over HTTP: it issues the tokens of the calls and signs people
 * in on the pages. Open questions, pages and sessions are stored beside it, sealed, in `<file>.store`, with the key in
 * `<file>.key`, so that they survive a restart.
 * @throws MidcallError `cli/usage` for a file that cannot be read or is invalid; `server/setup` for a bad key
 */
export function readSignInConfig(path: string): Promise<SignInConfig> {
  return readService(path, signInShape, async ({ issuer, clientId, clientSecret, name, scopes, otherPerson }) => {
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
