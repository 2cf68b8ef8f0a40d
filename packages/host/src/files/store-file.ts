/**
 * A store in one JSON file that only its owner can read, for a host on one machine: every change reads the file and replaces it
 * atomically under a lock, so that several processes can share it and a crash leaves the old content or the new. It is meant
 * for the hundreds of entries of a host, not for the millions of a server.
 */
import { isRecord } from '@midcall/core/json';
import { checkEntry, checkKey, type Store } from '@midcall/core/store';
import { type Clock, systemClock } from '@midcall/core/time';
import { type OwnerFile, ownerFile } from './owner-file.ts';

interface Entry {
  readonly value: string;
  /** Milliseconds since the epoch; forever if absent. */
  readonly until?: number;
}
type Entries = ReadonlyMap<string, Entry>;

/**
 * Keeps a host's open questions, rounds and calls of agents in a JSON file. It contains what servers asked and returned,
 * unchanged and readable only by the file's owner.
 * @param path - the file; made, with its folder, when something is written
 * @param options - `clock`: this machine's if absent
 * @throws MidcallError `cli/usage`, from every method, if the file holds something else
 */
export function storeFile(path: string, { clock = systemClock }: { readonly clock?: Clock } = {}): Store {
  const file: OwnerFile<{ readonly entries: readonly (readonly [string, Entry])[] }> = ownerFile(
    path,
    'a store',
    isContent,
  );
  const alive = (content: { readonly entries: readonly (readonly [string, Entry])[] } | undefined): Entries =>
    new Map((content?.entries ?? []).filter(([, { until }]) => until === undefined || until > clock.now()));
  let last: Promise<unknown> = Promise.resolve();
  /** Makes one change after the other. `make` returns the new entries; undefined if nothing changes. */
  const change = (make: (entries: Map<string, Entry>) => boolean): Promise<boolean> => {
    let changed = false;
    const next = last.then(async () => {
      await file.change(content => {
        const entries = new Map(alive(content));
        changed = make(entries);
        return changed ? { entries: [...entries] } : undefined;
      });
      return changed;
    });
    last = next.catch(() => {});
    return next;
  };
  return {
    async get(key) {
      checkKey(key);
      await last;
      return alive(await file.read()).get(key)?.value;
    },
    async set(key, value, options) {
      checkEntry(key, value, options);
      const { ttlMs, ifAbsent, ifEquals } = options ?? {};
      return change(entries => {
        const before = entries.get(key);
        if (ifAbsent ? before : ifEquals !== undefined && before?.value !== ifEquals) return false;
        entries.set(key, { value, ...(ttlMs !== undefined && { until: clock.now() + ttlMs }) });
        return true;
      });
    },
    async delete(key) {
      checkKey(key);
      await change(entries => entries.delete(key));
    },
    async take(key) {
      checkKey(key);
      let value: string | undefined;
      await change(entries => {
        value = entries.get(key)?.value;
        return entries.delete(key);
      });
      return value;
    },
  };
}

function isContent(value: unknown): value is { readonly entries: readonly (readonly [string, Entry])[] } {
  if (!isRecord(value) || !Array.isArray(value['entries'])) return false;
  return value['entries'].every(
    (each: unknown) => Array.isArray(each) && each.length === 2 && typeof each[0] === 'string' && isEntry(each[1]),
  );
}

function isEntry(value: unknown): value is Entry {
  if (!isRecord(value) || typeof value['value'] !== 'string') return false;
  return value['until'] === undefined || typeof value['until'] === 'number';
}
