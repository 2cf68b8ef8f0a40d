export {
  AnsweredRequests,
  describedRefusal,
  isInDoubt,
  isNeverSent,
  neverReached,
  neverSent,
  refusalIn,
  unreadable,
} from './answered-requests.ts';
export { ClientCalls } from './client-calls.ts';
export { type AnyClient, aroundConnect, replaceDefaultValidator, sendRootsChanged } from './client-members.ts';
export { isConnectionGone, isUnreadableOAuthAnswer, redirectTarget } from './error-prose.ts';
export {
  type ForwardedAnswer,
  type ForwardedRequest,
  ForwardedRequests,
  type ForwardOptions,
} from './forwarded-requests.ts';
export { inheritedEnvironment } from './inherited-environment.ts';
export { Introduction } from './introduction.ts';
export { mendLists } from './mended-lists.ts';
export { MessageBuffer } from './message-buffer.ts';
export { numbered } from './numbered.ts';
export { SessionRenewal } from './session-renewal.ts';
export { placeholders, rawResultAside, rawResultBack } from './stand-ins.ts';
export { isInEvents, isRequest, refusingOddIds, withinNesting } from './unread-messages.ts';
