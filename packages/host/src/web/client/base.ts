/** The secret path of all pages of a session, and where a browser stores it: for this origin only, which no other port shares. */
import { forgetItem, storedItem, storeItem } from './storage.ts';

/** The path of the page that was loaded: a page that replaces it later may be outside the session. */
const own = document.body.dataset['base'] ?? '';

/** The path of all pages of the session. */
export const base = (): string => own;

/** Posts to the desk by itself, and not by a form of it. @param path - below that of all pages */
export function postToDesk(path: string, fields: Readonly<Record<string, string>>): Promise<Response> {
  const csrf = document.body.dataset['csrf'] ?? '';
  return fetch(`${base()}${path}`, { method: 'POST', body: new URLSearchParams({ csrf, ...fields }) });
}

/** Where the path of the desk, or of a person's inbox, is stored. */
type Key = 'midcall-desk' | 'midcall-inbox';

/** Stores the path, so that this browser finds its way back to it. */
export const storeBase = (key: Key): void => storeItem('localStorage', key, base());

/** Forgets the path: there is no session. */
export const forgetBase = (key: Key): void => forgetItem('localStorage', key);

/** The path that was stored last; undefined if there is none. */
export function storedBase(key: Key): string | undefined {
  const stored = storedItem('localStorage', key);
  return stored !== null && /^(?:\/[\w.~-]+)+$/.test(stored) ? stored : undefined;
}

/** True if this page lies below a path. */
export const isBelow = (path: string): boolean => `${location.pathname}/`.startsWith(`${path}/`);
