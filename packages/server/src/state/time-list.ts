/**
 * Names, each with a time, that have to be found without knowing them: waiting jobs, and waiting calls. In a sorted set of the
 * store; a store without them has them in a few values, since it cannot be searched.
 */
import type { Store } from '@midcall/core/store';
import { ListedTimes } from './listed-times.ts';
import { SortedTimes } from './sorted-times.ts';

export interface TimeList {
  /** Puts a name on the list, or gives it another time. @throws MidcallError `store/unavailable` */
  put(name: string, at: number): Promise<void>;
  /** Takes a name off the list, with a later change: finding a removed name again is harmless. */
  drop(name: string): void;
  /** Writes pending changes. @throws MidcallError `store/unavailable` */
  flush(): Promise<void>;
  /**
   * @param until - the latest time, in milliseconds since the epoch; every time if absent
   * @returns the names, with their times; none that this process has taken off
   * @throws MidcallError `store/unavailable`
   */
  read(until?: number): Promise<ReadonlyMap<string, number>>;
}

/**
 * @param name - of the list in the store
 * @param past - names whose time is before this may be left out; none if absent
 */
export function timeList(store: Store, name: string, past: () => number = () => Number.NEGATIVE_INFINITY): TimeList {
  const { sortedSets } = store;
  return sortedSets ? new SortedTimes(sortedSets, name, past) : new ListedTimes(store, name, past);
}
