/** Inboxes of people on one store, with their pages at `/inbox`. */
import { MidcallError } from '@midcall/core/errors';
import { checkOptions } from '@midcall/core/options';
import { systemClock } from '@midcall/core/time';
import { isConfidential } from '@midcall/core/url';
import { type ApprovalInbox, createSealer } from '@midcall/server';
import type { Provider } from '@midcall/server/connect';
import { Notifier, personNotifications, poster, type WebhookOptions, webhook } from './notify/index.ts';
import { canHavePasskeys, type Enrolment, InboxSite } from './site/index.ts';
import {
  groupsKind,
  type InboxAsk,
  type InboxGroups,
  type InboxStore,
  type InboxStoreOptions,
  inboxKeys,
  openStore,
} from './store/index.ts';

/** What {@link openInbox} takes. */
export interface InboxServiceOptions extends InboxStoreOptions {
  /** The authorization server at which people sign in: `provider()` of `@midcall/server/connect`. */
  readonly issuer: Provider;
  /** Where browsers reach the server that serves the pages, such as `https://mcp.example`. */
  readonly publicUrl: URL;
  /** Where the authorization server sends browsers back to; `/inbox/signed-in` of `publicUrl` if absent. */
  readonly redirect?: URL | undefined;
  /** Who the members of the groups are that servers ask: `approvers('finance')`. */
  readonly groups?: InboxGroups | undefined;
  /**
   * How people come to a first passkey: by having signed in, or only by an invitation (`midcall inboxes invite`); `signed-in` if absent.
   */
  readonly enrolment?: Enrolment | undefined;
  /** Another program that is told that a question waits for somebody, and where; not what it is. */
  readonly webhook?: WebhookOptions | undefined;
  /**
   * Hosts of push services that may be of this machine or its network, such as `push.internal` or `127.0.0.1:8090`. Browsers supply the
   * addresses of theirs, so that all others have to be public ones.
   */
  readonly allowedTargets?: readonly string[] | undefined;
}

/** The inboxes of people, and their pages; `midcall({ inbox })` asks people there. */
export interface InboxService extends ApprovalInbox {
  /** @param options - `isOwn`: it is asked for this process alone, and withdrawn when that is gone */
  ask(ask: InboxAsk, options?: { readonly isOwn?: boolean }): Promise<{ readonly url: string }>;
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
 * @throws TypeError for groups that are not what they may be; MidcallError `server/setup` if the authorization server sends browsers
 *   to another place than these pages; and what opening the store throws: see {@link openInboxStore}
 * @example
 * ```ts
 * const inbox = await openInbox({ where: 'inbox.db', issuer: company, publicUrl: new URL('https://mcp.example') });
 * const answer = async (request: Request) => (await inbox.pages(request)) ?? new Response('Not found.', { status: 404 });
 * ```
 */
export async function openInbox(options: InboxServiceOptions): Promise<InboxService> {
  const {
    issuer,
    redirect,
    publicUrl,
    groups,
    enrolment = 'signed-in',
    webhook: hook,
    allowedTargets,
    ...stored
  } = options;
  checkOptions('openInbox', { groups }, { groups: groupsKind });
  const { where, key, clock = systemClock, onError = () => {} } = stored;
  if (redirect && (redirect.origin !== publicUrl.origin || !redirect.pathname.startsWith('/inbox/')))
    throw new MidcallError(
      'server/setup',
      `The redirect of the issuer must be an address below ${new URL('/inbox/', publicUrl)}, such as ${new URL('/inbox/signed-in', publicUrl)}.`,
    );
  const posts = poster({ clock, allowedTargets: allowedTargets ?? [] });
  const tellWebhook = hook && webhook(hook, posts);
  const store = await openStore(stored, {
    ...{ groups: groups ?? {}, issuer: issuer.issuer, home: publicUrl.href },
    hasWebhook: hook !== undefined,
  });
  const { deliveries } = store;
  // Elsewhere, browsers have neither service workers nor push.
  const pushKeys = isConfidential(publicUrl)
    ? async () => ({ ...(await deliveries.keys()), contact: contactOf(publicUrl) })
    : undefined;
  // Whatever happens to the keys of the inbox later, browsers stay subscribed.
  if (pushKeys) {
    await deliveries.keys().catch(async error => {
      await store.stop();
      throw error;
    });
  }
  const notifications = { deliveries, poster: posts, pushKeys, testing: new Set<string>() };
  const sealer = createSealer(inboxKeys(where, key));
  const site = new InboxSite({
    store,
    issuer,
    redirect,
    publicUrl,
    sealer,
    enrolment,
    onError,
    groupsClaim: groups?.claim,
    notifications: principal => personNotifications(principal, notifications),
  });
  const isWatched = (principal: string): boolean => site.isWatched(principal);
  const link = (question: string): string => site.link(question);
  const notifier = new Notifier({
    ...{ deliveries, clock, poster: posts, webhook: tellWebhook, pushKeys, link, isWatched, onError },
  });
  const { look, withdraw, listen } = store.approvals;
  return {
    url: site.link(),
    store: {
      ...store,
      async ask(asked) {
        await store.ask(asked);
        notifier.asked();
      },
    },
    link,
    isWatched,
    pages: request => site.handle(request),
    ...{ look, withdraw, listen },
    whyNot: async ask =>
      ask.assurance === 'present' && !canHavePasskeys(publicUrl)
        ? `Passkeys need inboxes at an https address with a name, or at http://localhost; these are at ${publicUrl.origin}.`
        : store.approvals.whyNot(ask),
    async ask(ask, how) {
      await store.approvals.ask(ask, how);
      notifier.asked();
      return { url: site.link(ask.id) };
    },
    async stop() {
      site.close();
      await notifier.stop();
      await store.stop();
    },
  };
}

/** Whom a push service may write to about what it gets from here. */
const contactOf = ({ protocol, origin }: URL): string => (protocol === 'https:' ? origin : 'mailto:nobody@localhost');
