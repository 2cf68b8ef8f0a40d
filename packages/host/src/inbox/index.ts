export { Inbox, type InboxEvent } from './inbox.ts';
