/** Where the inboxes of a bridge are stored. */
import { resolve } from 'node:path';
import { dataPath } from '../install/index.ts';
import { hasKey, must, usage } from './usage.ts';

/**
 * @param where - as on the command line: a SQLite file, the `postgres://` address of a database, or true for the usual file
 * @returns the path or the address
 * @throws MidcallError `cli/usage` for an address that is none, and for one without a key in the environment. It may contain a
 *   password, so no error repeats it
 */
export function inboxPlace(where: string | true): string {
  const isAddress = where !== true && /^[a-z][a-z0-9+.-]*:\/\//iu.test(where);
  if (isAddress && !(/^postgres(?:ql)?:\/\//iu.test(where) && URL.canParse(where)))
    throw usage('--inbox must be a file, or an address such as postgres://user:password@host:5432/database.');
  if (where === '') throw usage('--inbox must be a file, or an address that begins with postgres://.');
  must(
    !isAddress || hasKey(),
    'Inboxes in Postgres need a key that all bridges share, in MIDCALL_KEY or MIDCALL_KEY_FILE. Make one with: openssl rand -base64 32',
  );
  if (isAddress) return where;
  return where === true ? dataPath('inbox.db') : resolve(where);
}
