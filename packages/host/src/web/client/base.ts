/** The secret path of all pages of this desk. Stored for this origin only, which no other port shares. */

const key = 'midcall-desk';

/** The path of a page of the desk. */
export const base = (): string => `/${window.location.pathname.split('/')[1]}`;

/** Stores the path, so that this browser finds its way back to it. */
export const keepBase = (): void => localStorage.setItem(key, base());

/** Forgets the path: there is no desk there. */
export const forgetBase = (): void => localStorage.removeItem(key);

/** The path that was stored last; undefined if there is none. */
export function keptBase(): string | undefined {
  const stored = localStorage.getItem(key);
  return stored !== null && /^\/[\w-]+$/.test(stored) ? stored : undefined;
}
