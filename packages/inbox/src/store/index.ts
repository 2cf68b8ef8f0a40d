export { claimedGroups, groupsKind, type InboxGroups } from './groups.ts';
export type {
  Asked,
  Claimed,
  Deliveries,
  Device,
  InboxAsk,
  InboxStore,
  Passkey,
  PasskeyGrant,
  PasskeyKey,
  Passkeys,
  People,
  Person,
  PushKeys,
  QuestionOwner,
  RecordFilter,
  RecordLine,
  RecordOfInbox,
  RuleAsk,
  Session,
  Sessions,
  StoredApprovals,
  Subscription,
  ToldTarget,
} from './inbox-store.ts';
export { type InboxStoreOptions, openInboxStore, openStore, type StoreHome } from './open-store.ts';
export { inboxKeys } from './sealed.ts';
