/**
 * What a browser stores of our pages, or does not: it may be told to store nothing, or have no room left. The pages work without it;
 * what could not be stored, one page knows for as long as it is open.
 */

type Where = 'localStorage' | 'sessionStorage';

const unstored = new Map<string, string>();

/** Uses the storage. @returns undefined if the browser refuses: even naming the storage is an error then */
function attempt<T>(use: () => T): T | undefined {
  try {
    return use();
  } catch {
    return undefined;
  }
}

/** Stores a value. */
export function storeItem(where: Where, key: string, value: string): void {
  unstored.set(key, value);
  attempt(() => {
    window[where].setItem(key, value);
    unstored.delete(key);
  });
}

/** Forgets it. */
export function forgetItem(where: Where, key: string): void {
  attempt(() => window[where].removeItem(key));
  unstored.delete(key);
}

/** What was stored last; null if there is nothing. */
export const storedItem = (where: Where, key: string): string | null =>
  unstored.get(key) ?? attempt(() => window[where].getItem(key)) ?? null;
