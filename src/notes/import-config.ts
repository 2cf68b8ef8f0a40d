/**
 * The file that names the service notes are imported from, and where its sign-ins are kept: beside it, encrypted, in
 * `<file>.vault`, with the key in `<file>.key`.
 */
import { readFile } from 'node:fs/promises';
import { z } from 'zod';
import { provider, vault } from '../connect/index.ts';
import { MidcallError } from '../errors.ts';
import { sqliteStore } from '../stores/sqlite.ts';
import type { Importing } from './import.ts';
import { plain } from './plain.ts';

const shape = z.strictObject({
  id: z.string(),
  name: z.string().optional(),
  address: z.url().describe('Where the service lists a person’s notes.'),
  issuer: z.url(),
  clientId: z.string(),
  clientSecret: z.string().optional(),
  scopes: z.array(z.string()).default([]),
  port: z.number().int().min(1).max(65_535).optional(),
});

/** What the file says, ready to be used. */
export interface ImportConfig {
  readonly importing: Importing;
  /** The loopback port of the pages, where the provider wants to know the callback address beforehand. */
  readonly port: number | undefined;
}

/** @throws MidcallError `cli/usage` for a file that cannot be read or says something else; `server/setup` for a bad key */
export async function readImportConfig(path: string): Promise<ImportConfig> {
  const shown = `'${plain(path, 300)}'`;
  const usage = (text: string): MidcallError => new MidcallError('cli/usage', `${shown} ${text}`);
  let read: z.infer<typeof shape>;
  try {
    const parsed = shape.safeParse(JSON.parse(await readFile(path, 'utf8')));
    // The path and the rule, never the value: it may be the client secret.
    if (!parsed.success) {
      const { path: field, code } = parsed.error.issues[0]!;
      throw usage(`is no description of a service: ${field.join('.') || 'it'} is wrong (${code}).`);
    }
    read = parsed.data;
  } catch (error) {
    if (error instanceof MidcallError) throw error;
    throw usage(error instanceof SyntaxError ? 'is not JSON.' : 'cannot be read.');
  }
  const { id, name, address, issuer, clientId, clientSecret, scopes, port } = read;
  const url = new URL(address);
  const loopback = /^(?:localhost|127(?:\.\d+){3}|\[::1\])$/u.test(url.hostname);
  if (url.protocol !== 'https:' && !(url.protocol === 'http:' && loopback)) {
    throw usage('names an address that is not https: a token sent there could be read on the way.');
  }
  try {
    const service = provider({
      id,
      issuer,
      clientId,
      scopes,
      ...(name !== undefined && { name }),
      ...(clientSecret !== undefined && { clientSecret }),
    });
    const store = await sqliteStore(`${path}.vault`);
    const kept = vault({ store, key: { file: `${path}.key`, create: true } });
    return { importing: { provider: service, vault: kept, address: url }, port };
  } catch (error) {
    if (error instanceof TypeError) throw usage(`is no description of a service: ${error.message}`);
    throw error;
  }
}
