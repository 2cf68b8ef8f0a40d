export type { Asked, InboxStore, Person, RecordFilter, RecordLine } from './inbox-store.ts';
export { type InboxStoreOptions, openInbox } from './open-inbox.ts';
export { inboxKeys } from './sealed.ts';
