/** The inboxes of a bridge over HTTP: one for each principal. */
import type { Inbox } from '@midcall/host';
import type { InboxService } from '@midcall/inbox';
import type { PersonDesk } from '../desk/index.ts';
import { PrincipalInbox } from './principal-inbox.ts';

/** @returns what gives each principal of a bridge an inbox. `warn` is told what went wrong with the store */
export const principalInboxes =
  (inbox: InboxService, warn: (message: string) => void) =>
  (principal: string, questions: Inbox): PersonDesk => {
    const { store, link, isWatched } = inbox;
    return new PrincipalInbox({
      ...{ store, approvals: inbox, principal, questions, link, warn },
      isWatched: () => isWatched(principal),
    });
  };
