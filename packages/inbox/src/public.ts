/** Inboxes for the people who are asked by servers: where they sign in, see what waits for them, and answer. */
export { type InboxServiceOptions, type InboxService, openInbox } from './open-inbox.ts';
export type {
  Asked,
  InboxStore,
  InboxStoreOptions,
  People,
  Person,
  QuestionOwner,
  RecordFilter,
  RecordLine,
  RecordOfInbox,
  Session,
  Sessions,
} from './store/index.ts';
export { openInboxStore } from './store/index.ts';
