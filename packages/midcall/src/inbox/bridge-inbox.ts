/** The inboxes of a bridge over HTTP: one for each principal, on one store, with their pages at `/inbox`. */
import { MidcallError } from '@midcall/core/errors';
import type { Inbox } from '@midcall/host';
import { createSealer, type Wake } from '@midcall/server';
import type { Provider } from '@midcall/server/connect';
import type { PersonDesk } from '../bridge/desk/index.ts';
import { InboxSite } from './inbox-site.ts';
import { PrincipalInbox } from './principal-inbox.ts';
import { inboxKeys, openInbox } from './store/index.ts';

/** What the inboxes of a bridge need. */
export interface BridgeInboxOptions {
  /** The path of a SQLite file, or the `postgres://` address that several bridges share. */
  readonly where: string;
  readonly issuer: Provider;
  /** Where the authorization server sends browsers back to; `/inbox/signed-in` of `publicUrl` if absent. */
  readonly redirect: URL | undefined;
  readonly publicUrl: URL;
  /** Wakes the other bridges; they look by themselves if absent. */
  readonly wake?: Wake;
  /** The id of a principal, as its calls have it. */
  readonly principalOf: (person: { readonly issuer: string; readonly subject: string }) => string;
  readonly warn: (message: string) => void;
  readonly onError: (error: unknown) => void;
}

/** The inboxes of a bridge that runs. */
export interface BridgeInbox {
  /** Where people find their inboxes. */
  readonly url: string;
  makeInbox(principal: string, questions: Inbox): PersonDesk;
  pages(request: Request): Promise<Response | undefined>;
  /** Writes how the last questions ended, and closes the store. */
  stop(): Promise<void>;
}

/**
 * Opens the store of the inboxes.
 * @throws MidcallError `server/setup` if the authorization server sends browsers to another place than this bridge, and what
 *   opening the store throws
 */
export async function openBridgeInbox(options: BridgeInboxOptions): Promise<BridgeInbox> {
  const { where, issuer, redirect, publicUrl, wake, principalOf, warn, onError } = options;
  if (redirect && (redirect.origin !== publicUrl.origin || !redirect.pathname.startsWith('/inbox/')))
    throw new MidcallError(
      'server/setup',
      `The redirect in --auth must be an address below ${new URL('/inbox/', publicUrl)}, such as ${new URL('/inbox/signed-in', publicUrl)}.`,
    );
  const store = await openInbox({ where, onError, ...(wake && { wake }) });
  const sealer = createSealer(inboxKeys(where));
  const site = new InboxSite({ store, issuer, redirect, publicUrl, sealer, principalOf, onError });
  return {
    url: site.link(),
    makeInbox: (principal, questions) =>
      new PrincipalInbox({
        store,
        principal,
        questions,
        link: question => site.link(question),
        isWatched: () => site.isWatched(principal),
        warn,
      }),
    pages: request => site.handle(request),
    async stop() {
      site.close();
      await store.stop();
    },
  };
}
