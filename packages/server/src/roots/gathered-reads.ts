/**
 * Reads requested together, e.g. of every note in a folder. Those in the same directory share its opening, which is most of the
 * cost of a small read.
 *
 * - A directory is opened only after all reads that share it were requested, and nothing else in this process runs until it is
 *   closed again: each read sees a directory that had the name while the read was in progress.
 * - Its files are opened like any child of an open directory, without following a link. Anything missing, or a link, is read as
 *   a single read would be, and so is everything if the directory cannot be opened.
 */
import type { Folder, Platform, ResolvedPath } from './platform.ts';
import type { Now } from './steps.ts';
import { direct } from './system.ts';
import * as turns from './time-slice.ts';

/** Says when there is time for work. */
export type Turns = Pick<typeof turns, 'timeSlice' | 'hasTime'>;

interface PendingRead {
  readonly resolved: ResolvedPath;
  /** Reads it, from its open directory if one is given. */
  readonly read: (above: Folder | undefined) => void;
}

export class GatheredReads {
  readonly #platform: Platform;
  readonly #turns: Turns;
  /** The reads that wait, by directory, in the order in which they were requested. */
  readonly #pending = new Map<string, PendingRead[]>();
  #underWay = false;

  /** @param pacing - says when there is time for work */
  constructor(platform: Platform, pacing: Turns = turns) {
    this.#platform = platform;
    this.#turns = pacing;
  }

  /**
   * Reads as soon as this turn has time for it.
   *
   * @param read - called with the open directory of the name, if there is one
   */
  join<T>(resolved: ResolvedPath, read: (above: Folder | undefined) => Now<T>): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      const pending: PendingRead = {
        resolved,
        read: above => {
          try {
            resolve(read(above));
          } catch (error) {
            reject(error);
          }
        },
      };
      const directory = `${resolved.root.at}/${parentOf(resolved)}`;
      const others = this.#pending.get(directory);
      if (others) others.push(pending);
      else this.#pending.set(directory, [pending]);
      if (this.#underWay) return;
      this.#underWay = true;
      queueMicrotask(() => void this.#go());
    });
  }

  async #go(): Promise<void> {
    for (const [directory, reads] of this.#pending) {
      const wait = this.#turns.timeSlice();
      if (wait) await wait;
      const left = this.#readSome(reads);
      this.#pending.delete(directory);
      if (left.length > 0) this.#pending.set(directory, left);
    }
    this.#underWay = false;
  }

  /** Reads while there is time, at least one. @returns those that were not read */
  #readSome(reads: readonly PendingRead[]): PendingRead[] {
    const before = reads.length;
    const above = before > 1 ? this.#open(reads[0]!.resolved) : undefined;
    let count = 0;
    try {
      do reads[count++]!.read(above);
      while (count < before && this.#turns.hasTime());
    } finally {
      above?.close();
    }
    return reads.slice(count);
  }

  /** The directory that contains a name; undefined if opening it would block or fails. */
  #open(resolved: ResolvedPath): Folder | undefined {
    if (resolved.root.system !== direct || !resolved.root.live) return undefined;
    try {
      return this.#platform.folder({ ...resolved, rel: parentOf(resolved) }) as Folder;
    } catch {
      return undefined;
    }
  }
}

const parentOf = ({ rel }: ResolvedPath): string => rel.slice(0, Math.max(0, rel.lastIndexOf('/')));
