/**
 * Where the processes of one OS user meet: a folder that only this user can enter. Hosts start servers with little of their
 * environment, so a bridge may lack what a terminal has: the usual place of `XDG_RUNTIME_DIR` counts even if the variable is absent,
 * and without that, a folder in the person's home is used.
 */
import { existsSync, lstatSync, mkdirSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { MidcallError } from '@midcall/core/errors';

/** The longest path of a socket on every system, in bytes. */
const longest = 103;

/**
 * Makes the folder if there is none.
 * @returns the path of the desk's socket in it
 * @throws MidcallError `host/refused` if the folder is somebody else's, or open to others
 */
export function deskSocketPath(environment: Readonly<Record<string, string | undefined>> = process.env): string {
  const usual = `/run/user/${process.getuid?.() ?? ''}`;
  const runtime = environment['XDG_RUNTIME_DIR'] || (existsSync(usual) ? usual : undefined);
  const folder = runtime ? join(runtime, 'midcall') : join(homedir(), '.local', 'state', 'midcall', 'run');
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const found = lstatSync(folder);
  const { uid, mode } = found;
  const isOurs = process.getuid === undefined || uid === process.getuid();
  const isPrivate = process.platform === 'win32' || (mode & 0o077) === 0;
  if (!found.isDirectory() || !isOurs || !isPrivate)
    throw new MidcallError(
      'host/refused',
      `${folder} must be a folder that only you can enter (mode 0700), because the desk is reached there. Remove it, or set XDG_RUNTIME_DIR.`,
    );
  const path = join(folder, 'desk.sock');
  if (Buffer.byteLength(path) > longest)
    throw new MidcallError(
      'host/refused',
      `The path of the desk's socket may have ${longest} bytes: ${path} is longer. Set XDG_RUNTIME_DIR to a shorter one.`,
    );
  return path;
}
