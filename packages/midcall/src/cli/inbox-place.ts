/** Where the inboxes of a bridge are stored, and the key that seals them. */
import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import type { KeySource } from '@midcall/server';
import { dataPath } from '../install/index.ts';
import { usage } from './usage.ts';

/**
 * @param where - as on the command line: a SQLite file, the `postgres://` address of a database, or true for the usual file
 * @returns `key`: that of the environment; for a file without one, its own, in a file beside it that only its owner can read
 * @throws MidcallError `cli/usage` for an address that is none; it may contain a password, so no error repeats it
 */
export function inboxPlace(where: string | true): { readonly where: string; readonly key: KeySource } {
  const isAddress = where !== true && /^[a-z][a-z0-9+.-]*:\/\//iu.test(where);
  if (isAddress && !(/^postgres(?:ql)?:\/\//iu.test(where) && URL.canParse(where)))
    throw usage('--inbox must be a file, or an address such as postgres://user:password@host:5432/database.');
  if (where === '') throw usage('--inbox must be a file, or an address that begins with postgres://.');
  const { MIDCALL_KEY: key, MIDCALL_KEY_FILE: file } = process.env;
  if (isAddress && !key && !file)
    throw usage(
      'Inboxes in Postgres need a key that all bridges share, in MIDCALL_KEY or MIDCALL_KEY_FILE. Make one with: openssl rand -base64 32',
    );
  const path = isAddress ? where : where === true ? dataPath('inbox.db') : resolve(where);
  if (key) return { where: path, key };
  // Inboxes without their key are not to be given another one, which opens nothing of theirs.
  return { where: path, key: file ? { file } : { file: `${path}.key`, create: !existsSync(path) } };
}
