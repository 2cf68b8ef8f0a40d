/** The scripts that browsers run, by the pages that they are for; without their endings. */

/** The desk's own, what runs by itself on pages outside the desk, and the service worker. */
export const deskScripts = ['desk', 'again', 'offline', 'worker'] as const;

/** The scripts of a person's inbox, of the pages for a browser without a session or an inbox there, and the service worker. */
export const personScripts = ['person', 'find-session', 'offline', 'inbox-worker'] as const;

/** All of them. */
export const clientScripts = [...new Set([...deskScripts, ...personScripts])] as const;

/** One of them. */
export type ClientScript = (typeof clientScripts)[number];
