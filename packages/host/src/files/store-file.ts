/**
 * A store in one JSON file that only its owner can read, for a host on one machine: every change reads the file and replaces it
 * atomically under a lock, so that several processes can share it and a crash leaves the old content or the new. It is meant
 * for the hundreds of entries of a host, not for the millions of a server.
 */
import { isRecord } from '@midcall/core/json';
import { checkEntry, checkKey, checkMembers, checkScore, type Store } from '@midcall/core/store';
import { type Clock, systemClock } from '@midcall/core/time';
import { type OwnerFile, ownerFile } from './owner-file.ts';

interface Entry {
  readonly value: string;
  /** Milliseconds since the epoch; forever if absent. */
  readonly until?: number;
}

/** What the file holds. */
interface Content {
  readonly entries: readonly (readonly [key: string, Entry])[];
  /** Absent without sorted sets. */
  readonly sorted?: readonly (readonly [set: string, readonly Scored[]])[];
}
type Scored = readonly [member: string, score: number];

/** The content of the file as it is changed. */
interface Opened {
  readonly entries: Map<string, Entry>;
  readonly sorted: Map<string, Map<string, number>>;
}

/**
 * Keeps a host's open questions, rounds and calls of agents in a JSON file. It contains what servers asked and returned,
 * unchanged and readable only by the file's owner.
 * @param path - the file; made, with its folder, when something is written
 * @param options - `clock`: this machine's if absent
 * @throws MidcallError `cli/usage`, from every method, if the file holds something else
 * @example
 * ```ts
 * const store = storeFile('/home/ada/.config/my-host/open.json');
 * const inbox = new Inbox({ store });
 * ```
 */
export function storeFile(path: string, { clock = systemClock }: { readonly clock?: Clock } = {}): Store {
  const file: OwnerFile<Content> = ownerFile(path, 'a store', isContent);
  const opened = ({ entries, sorted = [] }: Content = { entries: [] }): Opened => ({
    entries: new Map(entries.filter(([, { until }]) => until === undefined || until > clock.now())),
    sorted: new Map(sorted.map(([set, members]) => [set, new Map(members)])),
  });
  const closed = ({ entries, sorted }: Opened): Content => ({
    entries: [...entries],
    ...(sorted.size > 0 && { sorted: [...sorted].map(([set, scores]) => [set, [...scores]]) }),
  });
  /** Changes that come while the file is being written are then written together. Each tells whether it has changed anything. */
  let pending: ((content: Opened) => boolean)[] = [];
  let written: Promise<void> = Promise.resolve();
  const writePending = (): Promise<void> => {
    const changes = pending;
    pending = [];
    return file.change(content => {
      const next = opened(content);
      return changes.filter(make => make(next)).length > 0 ? closed(next) : undefined;
    });
  };
  const change = (make: (content: Opened) => boolean): Promise<boolean> => {
    let changed = false;
    pending.push(content => {
      changed = make(content);
      return changed;
    });
    if (pending.length === 1) written = written.catch(() => {}).then(writePending);
    return written.then(() => changed);
  };
  const read = async (): Promise<Opened> => {
    await written.catch(() => {});
    return opened(await file.read());
  };
  return {
    async get(key) {
      checkKey(key);
      return (await read()).entries.get(key)?.value;
    },
    async set(key, value, options) {
      checkEntry(key, value, options);
      const { ttlMs, ifAbsent, ifEquals } = options ?? {};
      return change(({ entries }) => {
        const before = entries.get(key);
        if (ifAbsent ? before : ifEquals !== undefined && before?.value !== ifEquals) return false;
        entries.set(key, { value, ...(ttlMs !== undefined && { until: clock.now() + ttlMs }) });
        return true;
      });
    },
    async delete(key) {
      checkKey(key);
      await change(({ entries }) => entries.delete(key));
    },
    async take(key) {
      checkKey(key);
      let value: string | undefined;
      await change(({ entries }) => {
        value = entries.get(key)?.value;
        return entries.delete(key);
      });
      return value;
    },
    sortedSets: {
      async add(set, member, score) {
        checkMembers(set, [member]);
        checkScore(score);
        await change(({ sorted }) => {
          sorted.set(set, (sorted.get(set) ?? new Map()).set(member, score));
          return true;
        });
      },
      async remove(set, members) {
        checkMembers(set, members);
        await change(({ sorted }) => {
          const scores = sorted.get(set);
          const removed = members.filter(member => scores?.delete(member));
          if (scores?.size === 0) sorted.delete(set);
          return removed.length > 0;
        });
      },
      async range(set, max = Number.MAX_SAFE_INTEGER) {
        checkMembers(set, []);
        checkScore(max);
        const scores = [...((await read()).sorted.get(set) ?? [])];
        return scores.filter(([, score]) => score <= max).sort(([, a], [, b]) => a - b);
      },
    },
  };
}

function isContent(value: unknown): value is Content {
  if (!isRecord(value)) return false;
  const { entries, sorted = [] } = value as { readonly entries?: unknown; readonly sorted?: unknown };
  const isScored = (members: unknown): boolean => isListed(members, score => typeof score === 'number');
  return isListed(entries, isEntry) && isListed(sorted, isScored);
}

/** True for a list of names, each with something. */
const isListed = (list: unknown, is: (value: unknown) => boolean): boolean =>
  Array.isArray(list) &&
  list.every((each: unknown) => Array.isArray(each) && each.length === 2 && typeof each[0] === 'string' && is(each[1]));

function isEntry(value: unknown): value is Entry {
  if (!isRecord(value) || typeof value['value'] !== 'string') return false;
  return value['until'] === undefined || typeof value['until'] === 'number';
}
