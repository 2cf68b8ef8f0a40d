export type {
  Asked,
  InboxStore,
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
} from './inbox-store.ts';
export { type InboxStoreOptions, openInboxStore } from './open-store.ts';
export { inboxKeys } from './sealed.ts';
