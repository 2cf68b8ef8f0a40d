/**
 * The file that names the service to import notes from. Sign-ins are stored beside it, encrypted, in `<file>.vault`, with the
 * key in `<file>.key`.
 */

import { isConfidential } from '@midcall/core/url';
import { provider, vault } from '@midcall/server/connect';
import { sqliteStore } from '@midcall/server/stores/sqlite';
import { z } from 'zod';
import type { Importing } from './import.ts';
import { readService, usage } from './service-file.ts';

const shape = z.strictObject({
  id: z.string(),
  name: z.string().optional(),
  address: z.url().describe('Where the service lists a person’s notes.'),
  issuer: z.url(),
  clientId: z.string().optional(),
  clientSecret: z.string().optional(),
  scopes: z.array(z.string()).default([]),
  port: z.number().int().min(1).max(65_535).optional(),
});

/** The content of the file, ready for use. */
export interface ImportConfig {
  readonly importing: Importing;
  /** The loopback port of the pages, if the provider has to know the callback address in advance. */
  readonly port: number | undefined;
}

/** @throws MidcallError `cli/usage` for a file that cannot be read or is invalid; `server/setup` for a bad key */
export function readImportConfig(path: string): Promise<ImportConfig> {
  return readService(path, shape, async ({ id, name, address, issuer, clientId, clientSecret, scopes, port }) => {
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
