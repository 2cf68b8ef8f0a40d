/** Inboxes for the people who are asked by servers: where they sign in, see what waits for them, and answer. */
export type { WebhookOptions } from './notify/webhook.ts';
export { type InboxService, type InboxServiceOptions, openInbox } from './open-inbox.ts';
export type { Enrolment } from './site/index.ts';
export type {
  Asked,
  Claimed,
  Deliveries,
  Device,
  InboxAsk,
  InboxGroups,
  InboxStore,
  InboxStoreOptions,
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
} from './store/index.ts';
export { openInboxStore } from './store/index.ts';
