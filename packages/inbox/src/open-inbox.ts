/** Inboxes of people on one store, with their pages at `/inbox`. */
import { MidcallError } from '@midcall/core/errors';
import { createSealer } from '@midcall/server';
import type { Provider } from '@midcall/server/connect';
import { type Enrolment, InboxSite } from './site/index.ts';
import { type InboxStore, type InboxStoreOptions, inboxKeys, openInboxStore } from './store/index.ts';

/** What {@link openInbox} takes. */
export interface InboxServiceOptions extends InboxStoreOptions {
  /** The authorization server at which people sign in: `provider()` of `@midcall/server/connect`. */
  readonly issuer: Provider;
  /** Where browsers reach the server that serves the pages, such as `https://mcp.example`. */
  readonly publicUrl: URL;
  /** Where the authorization server sends browsers back to; `/inbox/signed-in` of `publicUrl` if absent. */
  readonly redirect?: URL | undefined;
  /**
   * How people come to a first passkey: by having signed in, or only by an invitation (`midcall inboxes invite`); `signed-in` if absent.
   */
  readonly enrolment?: Enrolment | undefined;
}

/** The inboxes of people, and their pages. */
export interface InboxService {
  /** Where people find their inboxes. */
  readonly url: string;
  readonly store: InboxStore;
  /** Where the person who is asked finds a question. */
  link(question: string): string;
  /** True if a page of this person is open at this process. */
  isWatched(principal: string): boolean;
  /** Answers a request for a page. @returns undefined for an address that is not one of the inboxes */
  pages(request: Request): Promise<Response | undefined>;
  /** Writes how the last questions ended, and closes the store. */
  stop(): Promise<void>;
}

/**
 * Opens the inboxes.
 * @throws MidcallError `server/setup` if the authorization server sends browsers to another place than these pages, and what opening the
 *   store throws: see {@link openInboxStore}
 * @example
 * ```ts
 * const inbox = await openInbox({ where: 'inbox.db', issuer: company, publicUrl: new URL('https://mcp.example') });
 * const answer = async (request: Request) => (await inbox.pages(request)) ?? new Response('Not found.', { status: 404 });
 * ```
 */
export async function openInbox(options: InboxServiceOptions): Promise<InboxService> {
  const { issuer, redirect, publicUrl, enrolment = 'signed-in', ...stored } = options;
  const { where, key, onError = () => {} } = stored;
  if (redirect && (redirect.origin !== publicUrl.origin || !redirect.pathname.startsWith('/inbox/')))
    throw new MidcallError(
      'server/setup',
      `The redirect of the issuer must be an address below ${new URL('/inbox/', publicUrl)}, such as ${new URL('/inbox/signed-in', publicUrl)}.`,
    );
  const store = await openInboxStore(stored);
  const sealer = createSealer(inboxKeys(where, key));
  const site = new InboxSite({ store, issuer, redirect, publicUrl, sealer, enrolment, onError });
  return {
    url: site.link(),
    store,
    link: question => site.link(question),
    isWatched: principal => site.isWatched(principal),
    pages: request => site.handle(request),
    async stop() {
      site.close();
      await store.stop();
    },
  };
}
