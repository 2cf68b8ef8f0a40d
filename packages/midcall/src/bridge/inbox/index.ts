export { principalInboxes } from './bridge-inbox.ts';
