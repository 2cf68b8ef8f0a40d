export { Inbox, type InboxEvent } from './inbox.ts';
export { checkReply } from './reply-check.ts';
