/** Inboxes for the people who are asked by servers: where they sign in, see what waits for them, and answer. */

export { type InboxService, type InboxServiceOptions, openInbox } from './open-inbox.ts';
export type { Enrolment } from './site/index.ts';
export type {
  Asked,
  InboxGroups,
  InboxStore,
  InboxStoreOptions,
  Passkey,
  PasskeyGrant,
  PasskeyKey,
  Passkeys,
  People,
  Person,
  QuestionOwner,
  RecordFilter,
  RecordLine,
  RecordOfInbox,
  Session,
  Sessions,
  StoredApprovals,
} from './store/index.ts';
export { openInboxStore } from './store/index.ts';
