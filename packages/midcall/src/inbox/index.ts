export { type BridgeInbox, openBridgeInbox } from './bridge-inbox.ts';
export { type InboxStore, openInbox, type Person, type RecordFilter } from './store/index.ts';
