/**
 * The operator's side of a boundary, judged when a server starts: directories that cannot be used stop it. What reads and writes
 * files is loaded when a handler asks for files.
 */
import { accessSync, closeSync, constants, openSync, readlinkSync, realpathSync, statSync } from 'node:fs';
import { resolve } from 'node:path';
import { MidcallError } from '@midcall/core/errors';
import { checkOptions, flag, listOf, name, oneOf } from '@midcall/core/options';
import type { Guarantee } from './files.ts';
import { quotePath } from './quote-path.ts';

/** How the client's roots affect what the operator allows. */
export type BoundaryMode = 'narrow' | 'replace' | 'ignore';

/** The options of a boundary. */
export interface BoundaryOptions {
  /** Directories the operator allows, absolute or relative to the working directory. They must exist. None if absent. */
  readonly ceiling?: readonly string[];
  /** `narrow` if absent. */
  readonly mode?: BoundaryMode;
  /** True to refuse to start if only the `checked` guarantee holds. */
  readonly requireStrong?: boolean;
  /** The guarantee to work under; the strongest this machine has if absent. */
  readonly guarantee?: Guarantee;
}

/** A directory the operator named, and its real path when the server started. */
export interface Pinned {
  readonly configured: string;
  readonly real: string;
}

/** What the operator allows. */
export interface Ceiling {
  readonly mode: BoundaryMode;
  readonly guarantee: Guarantee;
  readonly directories: readonly Pinned[];
}

/**
 * @throws TypeError for an option that is unknown or not what it may be; MidcallError roots/invalid if a directory is missing,
 *   roots/weak if `requireStrong` asks for more than this machine can guarantee
 */
export function ceiling(options: BoundaryOptions = {}): Ceiling {
  checkOptions('boundary', options, {
    ceiling: listOf(name),
    mode: oneOf('narrow', 'replace', 'ignore'),
    requireStrong: flag,
    guarantee: oneOf('held', 'checked'),
  });
  return {
    mode: options.mode ?? 'narrow',
    guarantee: chooseGuarantee(options),
    directories: (options.ceiling ?? []).map(directory => pinned(resolve(directory))),
  };
}

function chooseGuarantee({ guarantee, requireStrong }: BoundaryOptions): Guarantee {
  const strong = canHold();
  const chosen = guarantee ?? (strong ? 'held' : 'checked');
  if (chosen === 'held' && !strong)
    throw new MidcallError('roots/weak', 'This machine cannot hold a boundary: that takes Linux with /proc mounted.');
  if (requireStrong && chosen !== 'held') {
    throw new MidcallError(
      'roots/weak',
      '`requireStrong` needs Linux with /proc mounted: elsewhere another process can swap a directory between the check ' +
        'of a path and its use. Run there, or without `requireStrong`.',
    );
  }
  return chosen;
}

/** True if /proc shows the location of a descriptor. */
export function canHold(): boolean {
  if (process.platform !== 'linux') return false;
  let fd: number | undefined;
  try {
    fd = openSync('/', constants.O_RDONLY | constants.O_DIRECTORY);
    return readlinkSync(`/proc/self/fd/${fd}`) === '/';
  } catch {
    return false;
  } finally {
    if (fd !== undefined) closeSync(fd);
  }
}

/** Where an operator's directory leads. @throws MidcallError roots/invalid if it is not a usable directory */
function pinned(configured: string): Pinned {
  let real: string;
  try {
    real = realpathSync.native(configured);
    if (!statSync(configured).isDirectory()) throw Object.assign(new Error('not a directory'), { code: 'ENOTDIR' });
  } catch (error) {
    const isFile = (error as NodeJS.ErrnoException).code === 'ENOTDIR';
    const why = isFile ? 'is not a directory' : 'does not exist or cannot be opened';
    throw new MidcallError(
      'roots/invalid',
      `The directory ${quotePath(configured)} ${why}. Start the server with one that can be used.`,
    );
  }
  if (real.includes('\ufffd'))
    throw new MidcallError('roots/invalid', `The real path of ${quotePath(configured)} is not valid UTF-8.`);
  try {
    accessSync(real, constants.R_OK | constants.X_OK);
  } catch {
    throw new MidcallError('roots/invalid', `The directory ${quotePath(configured)} cannot be read by this process.`);
  }
  return { configured, real };
}
