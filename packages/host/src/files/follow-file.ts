/** What a file says, read again whenever it has changed. */
import { statSync } from 'node:fs';

/** Identifies one state of a file; every write makes a new file. */
function markOf(path: string): string {
  try {
    const { ino, mtimeNs, size } = statSync(path, { bigint: true });
    return `${ino} ${mtimeNs} ${size}`;
  } catch (error) {
    return String((error as NodeJS.ErrnoException).code);
  }
}

/**
 * @param read - reads the file; its result is the same object until the file changes
 * @param onError - called once for each state of the file that cannot be read; what was read before still applies
 * @returns reads what applies now. It throws what `read` throws if that fails at the first look
 */
export function followFile<T>(path: string, read: () => T, onError: (error: unknown) => void): () => T {
  let last: { readonly mark: string; readonly value: T } | undefined;
  return () => {
    const mark = markOf(path);
    if (last?.mark === mark) return last.value;
    try {
      last = { mark, value: read() };
    } catch (error) {
      if (!last) throw error;
      last = { mark, value: last.value };
      onError(error);
    }
    return last.value;
  };
}
