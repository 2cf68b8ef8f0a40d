/** The inboxes of a bridge over HTTP: one for each principal. */
import type { Inbox } from '@midcall/host';
import type { InboxService } from '@midcall/inbox';
import type { PersonDesk } from '../desk/index.ts';
import { PrincipalInbox } from './principal-inbox.ts';

/** @returns what gives each principal of a bridge an inbox. `warn` is told what went wrong with the store */
export const principalInboxes =
  ({ store, link, isWatched }: InboxService, warn: (message: string) => void) =>
  (principal: string, questions: Inbox): PersonDesk =>
    new PrincipalInbox({ store, principal, questions, link, isWatched: () => isWatched(principal), warn });
