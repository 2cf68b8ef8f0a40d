/** The secret path that all pages of this desk lie below. Kept for this origin alone, which no other port shares. */

const key = 'midcall-desk';

/** The path of a page of the desk. */
export const base = (): string => `/${window.location.pathname.split('/')[1]}`;

/** Notes the path, so that this browser finds its way back to it. */
export const keepBase = (): void => localStorage.setItem(key, base());

/** There is no desk at the path noted last. */
export const forgetBase = (): void => localStorage.removeItem(key);

/** The path noted last; undefined if there is none. */
export function keptBase(): string | undefined {
  const stored = localStorage.getItem(key);
  return stored !== null && /^\/[\w-]+$/.test(stored) ? stored : undefined;
}
