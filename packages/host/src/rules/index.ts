export {
  type ApprovedCall,
  activeGrants,
  type CallGrant,
  type ConsentStorage,
  revokeGrant,
} from './consent-storage.ts';
export type { CallVerdict } from './judge-call.ts';
export { isForInbox, longestGrantMs, type Rule } from './rule.ts';
export { Rules } from './rules.ts';
