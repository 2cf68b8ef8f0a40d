/**
 * A vault in a folder that only its owner can read: one sealed file for each sign-in, and the key beside them.
 *
 * - vault-folder-V1 A file opens only for the principal and the server it was sealed for.
 * - vault-folder-V2 A key or a folder that others can read is refused; so is a file that cannot be opened.
 * - vault-folder-V3 A change excludes other processes, and a crash leaves the state before or after it.
 *
 * Sealing keeps tokens out of searches, backups and listings of the folder. Whoever can read both the key and the files can
 * open them.
 */
import { createCipheriv, createDecipheriv, createHash, randomBytes } from 'node:crypto';
import { link, mkdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { MidcallError } from '@midcall/core/errors';
import { isRecord } from '@midcall/core/json';
import { draftIn, writeWhole } from '@midcall/core/node';
import { type Clock, systemClock } from '@midcall/core/time';
import { withFileLock } from '../files/index.ts';
import { type Grant, type GrantVault, isGrant, type VaultKey } from './vault.ts';

/** How many milliseconds to wait for another process, which may be waiting for an authorization server. */
const lockTimeoutMs = 90_000;

/**
 * Makes a vault. Nothing is written before the first sign-in.
 * @param folder - an absolute path; created if missing, for its owner only
 * @example
 * ```ts
 * const vault = vaultFolder('/home/ada/.config/my-host/sign-ins');
 * const connection = new Connection(entry, { client: about, inbox, authorization: { vault } });
 * ```
 */
export function vaultFolder(folder: string, { clock = systemClock }: { readonly clock?: Clock } = {}): GrantVault {
  let key: Promise<Buffer> | undefined;
  const keyOnce = (): Promise<Buffer> => {
    key ??= readKey(folder).catch(error => {
      key = undefined;
      throw error;
    });
    return key;
  };
  const pathOf = (of: VaultKey): string => join(folder, `${digest(nameOf(of))}.json`);
  const read = async (of: VaultKey): Promise<Grant | undefined> => {
    const path = pathOf(of);
    let text: string;
    try {
      text = await readFile(path, 'utf8');
    } catch (cause) {
      if ((cause as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
      throw new MidcallError('host/refused', `The sign-in in ${path} cannot be read.`, { cause });
    }
    await mustBePrivate(folder);
    const grant = opened(await keyOnce(), nameOf(of), text);
    if (!isGrant(grant))
      throw new MidcallError('host/refused', `The sign-in in ${path} does not open. Remove the file to sign in again.`);
    return grant;
  };
  return {
    read,
    async change(of, make) {
      await mkdir(folder, { recursive: true, mode: 0o700 });
      await mustBePrivate(folder);
      const path = pathOf(of);
      const work = async (): Promise<Grant | undefined> => {
        const before = await read(of);
        const grant = await make(before);
        if (grant === before) return grant;
        if (grant) await writeWhole(path, sealed(await keyOnce(), nameOf(of), grant));
        else await rm(path, { force: true });
        return grant;
      };
      return withFileLock(path, work, { clock, timeoutMs: lockTimeoutMs });
    },
  };
}

const digest = (text: string): string => createHash('sha256').update(text).digest('hex').slice(0, 40);
const nameOf = ({ principal, server }: VaultKey): string => JSON.stringify(['midcall.vault.1', principal, server]);

/** @throws MidcallError `host/refused` if anybody but the owner may read it (vault-folder-V2) */
async function mustBePrivate(path: string): Promise<void> {
  if (process.platform === 'win32') return;
  const { mode } = await stat(path);
  if ((mode & 0o077) === 0) return;
  throw new MidcallError(
    'host/refused',
    `${path} is open to other users of this machine. Take that back with: chmod go= ${path}`,
  );
}

/** The key of the folder; made by the first process that needs it. */
async function readKey(folder: string): Promise<Buffer> {
  const path = join(folder, 'key');
  const draft = await draftIn(folder);
  try {
    await stat(path);
  } catch {
    try {
      await writeFile(draft, `${randomBytes(32).toString('base64url')}\n`, { mode: 0o600, flag: 'wx' });
      await link(draft, path);
    } catch (cause) {
      // Another process was faster: its key is used.
      if ((cause as NodeJS.ErrnoException).code !== 'EEXIST') throw cause;
    } finally {
      await rm(draft, { force: true });
    }
  }
  await mustBePrivate(path);
  const key = Buffer.from((await readFile(path, 'utf8')).trim(), 'base64url');
  if (key.length !== 32)
    throw new MidcallError('host/refused', `${path} is not a key. Remove the folder ${folder} to sign in again.`);
  return key;
}

function sealed(key: Buffer, name: string, grant: Grant): string {
  const nonce = randomBytes(12);
  const cipher = createCipheriv('aes-256-gcm', key, nonce);
  cipher.setAAD(Buffer.from(name));
  const body = Buffer.concat([cipher.update(JSON.stringify(grant), 'utf8'), cipher.final()]);
  const text = Buffer.concat([nonce, body, cipher.getAuthTag()]).toString('base64url');
  return `${JSON.stringify({ version: 1, sealed: text })}\n`;
}

/** @returns undefined if it cannot be opened (vault-folder-V1) */
function opened(key: Buffer, name: string, text: string): unknown {
  try {
    const file: unknown = JSON.parse(text);
    if (!isRecord(file) || file['version'] !== 1 || typeof file['sealed'] !== 'string') return undefined;
    const bytes = Buffer.from(file['sealed'], 'base64url');
    const decipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(0, 12), { authTagLength: 16 });
    decipher.setAAD(Buffer.from(name));
    decipher.setAuthTag(bytes.subarray(-16));
    return JSON.parse(Buffer.concat([decipher.update(bytes.subarray(12, -16)), decipher.final()]).toString('utf8'));
  } catch {
    return undefined;
  }
}
