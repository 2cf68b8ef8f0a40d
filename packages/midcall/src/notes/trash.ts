/**
 * Deleted notes are in a hidden folder of the same root, with one folder per deletion, named after its time, and below it the
 * note's own path. So a deletion is one rename, needs no further record, and is restored by the reverse rename. Pure.
 */

/** The hidden folder, in every root. */
export const trashFolder = '.trash';

/** A note's place in the trash, relative to its root. */
export function trashPath(relative: string, now: number): string {
  return `${trashFolder}/${new Date(now).toISOString().replaceAll(':', '-')}/${relative}`;
}

/** The path that a note in the trash came from, and when it was deleted; undefined for a file that is not from a deletion. */
export function readTrashPath(inTrash: string): { readonly from: string; readonly deletedAt: string } | undefined {
  const [folder, stamp, ...rest] = inTrash.split('/');
  const parts = /^(\d{4}-\d{2}-\d{2}T)(\d{2})-(\d{2})-(\d{2}\.\d{3}Z)$/u.exec(stamp ?? '');
  if (folder !== trashFolder || !parts || rest.length === 0) return undefined;
  const [, day, hour, minute, second] = parts;
  const deletedAt = `${day}${hour}:${minute}:${second}`;
  return Number.isNaN(Date.parse(deletedAt)) ? undefined : { from: rest.join('/'), deletedAt };
}
