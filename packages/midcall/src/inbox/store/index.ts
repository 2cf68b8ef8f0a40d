export type {
  Asked,
  InboxStore,
  People,
  Person,
  QuestionOwner,
  RecordFilter,
  RecordLine,
  RecordOfInbox,
  Session,
  Sessions,
} from './inbox-store.ts';
export { type InboxStoreOptions, openInbox } from './open-inbox.ts';
