export { PrincipalInbox } from './principal-inbox.ts';
