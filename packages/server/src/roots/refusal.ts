/**
 * The errors of this folder. Each names the path as given, the boundary, and what the person can do; none says whether
 * something exists outside. A link that leaves, dangles or loops gets the same words as a path that is outside, so that
 * its target cannot be probed.
 */
import { MidcallError, type MidcallErrorCode } from '@midcall/core/errors';
import { quotePath } from './quote-path.ts';
import { codeOf } from './system.ts';

/** What a refusal may reveal: the allowed folders, and how to grant more. */
export interface AllowedFolders {
  readonly roots: readonly { readonly path: string }[];
  /** A sentence that says how the person can grant more. */
  readonly grant: string;
}

/** The allowed folders as a phrase. */
function boundaryText(roots: readonly { readonly path: string }[]): string {
  const first = roots.slice(0, 5).map(root => quotePath(root.path));
  return roots.length > 5 ? `${first.join(', ')} and ${roots.length - 5} more` : first.join(', ');
}

export const outside = (path: string, bounds: AllowedFolders): MidcallError =>
  new MidcallError(
    'roots/outside',
    `${quotePath(path)} does not lead to anything inside the allowed folders (${boundaryText(bounds.roots)}). ${bounds.grant}`,
  );

export const notFound = (path: string): MidcallError =>
  new MidcallError('roots/not-found', `There is nothing at ${quotePath(path)}.`);

export const exists = (path: string): MidcallError =>
  new MidcallError('roots/exists', `${quotePath(path)} already exists. Choose another name, or remove it first.`);

export const invalid = (path: string, why: string): MidcallError =>
  new MidcallError('roots/invalid', `${quotePath(path)} ${why}`);

export const vanished = (path: string): MidcallError =>
  new MidcallError(
    'roots/revoked',
    `The folder ${quotePath(path)} is no longer where it was. Put it back, or grant another.`,
  );

export const revoked = (what: string): MidcallError =>
  new MidcallError('roots/revoked', `${what} is no longer among the allowed folders. Ask for the files again.`);

export const closed = (): MidcallError =>
  new MidcallError('roots/revoked', 'These files were closed with the call they belong to. Ask for the files again.');

const reasons: Record<string, readonly [MidcallErrorCode, string]> = {
  EEXIST: ['roots/exists', 'already exists'],
  ENOTEMPTY: ['roots/invalid', 'is not empty; remove the tree, or what is in it first'],
  ENOTDIR: ['roots/invalid', 'is not a directory, or runs through a file'],
  EISDIR: ['roots/invalid', 'is a directory'],
  ENAMETOOLONG: ['roots/invalid', 'is too long for the file system'],
  EINVAL: ['roots/invalid', 'cannot be used that way'],
  ENOENT: ['roots/not-found', 'is not there'],
  EACCES: ['roots/io', 'may not be used by this process (permission denied)'],
  EPERM: ['roots/io', 'may not be changed by this process (not permitted)'],
  EROFS: ['roots/io', 'is on a read-only file system'],
  ENOSPC: ['roots/io', 'does not fit: the disk is full'],
  EDQUOT: ['roots/io', 'does not fit: the quota is used up'],
  EBUSY: ['roots/io', 'is in use'],
  EXDEV: ['roots/io', 'lies on another file system; copy it, then remove the original'],
  EMFILE: ['roots/io', 'cannot be opened: this process has too many files open'],
  ENFILE: ['roots/io', 'cannot be opened: the system has too many files open'],
};

/** A system error as one of ours; ours pass through. The system's own text may contain paths, so it is dropped. */
export function fromSystem(path: string, error: unknown): MidcallError {
  if (error instanceof MidcallError) return error;
  const code = codeOf(error);
  const [ownCode, why] = (code && reasons[code]) || (['roots/io', `failed (${code ?? 'unknown error'})`] as const);
  return new MidcallError(ownCode, `${quotePath(path)} ${why}.`);
}
