export { type BridgeInbox, openBridgeInbox } from './bridge-inbox.ts';
