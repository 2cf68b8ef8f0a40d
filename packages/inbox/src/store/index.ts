export { claimedGroups, groupsKind, type InboxGroups } from './groups.ts';
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
  StoredApprovals,
} from './inbox-store.ts';
export { type InboxStoreOptions, openInboxStore, openStore, type StoreHome } from './open-store.ts';
export { inboxKeys } from './sealed.ts';
