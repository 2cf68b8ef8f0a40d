/** The browsers that have opened the desk with a link, by their public keys, in a file that only its owner can read. */
import { isRecord } from '@midcall/core/json';
import { ownerFile } from '../../index.ts';

/** A browser's public key: a point of the curve P-256, as a JSON Web Key has it. */
export interface BrowserKey {
  readonly x: string;
  readonly y: string;
}

/** Where a desk stores them. */
export interface BrowserMemory {
  list(): Promise<readonly BrowserKey[]>;
  add(key: BrowserKey): Promise<void>;
}

/** The most browsers that are stored; the oldest go first, and sign in with a link again. */
const mostBrowsers = 100;

const isCoordinate = (value: unknown): boolean => typeof value === 'string' && /^[\w-]{43}$/.test(value);

/** True for what has the form of such a key. */
export const isBrowserKey = (value: unknown): value is BrowserKey =>
  isRecord(value) && isCoordinate(value['x']) && isCoordinate(value['y']);

const areKeys = (value: unknown): value is readonly BrowserKey[] => Array.isArray(value) && value.every(isBrowserKey);

/**
 * Stores them in a file, for {@link DeskOptions.browsers}.
 * @example
 * ```ts
 * const desk = await startDesk({ ...parts, browsers: browsersFile('/home/ada/.config/my-host/browsers.json') });
 * ```
 */
export function browsersFile(path: string): BrowserMemory {
  const file = ownerFile(path, 'the keys of browsers', areKeys);
  return {
    list: async () => (await file.read()) ?? [],
    add: ({ x, y }) =>
      file.change((keys = []) => [...keys.filter(each => each.x !== x), { x, y }].slice(-mostBrowsers)),
  };
}
