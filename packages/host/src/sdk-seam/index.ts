export { AnsweredRequests, neverReached } from './answered-requests.ts';
export type { AnyClient } from './any-client.ts';
export { aroundConnect } from './around-connect.ts';
export { ClientCalls } from './client-calls.ts';
export { replaceDefaultValidator } from './default-validator.ts';
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
export { withinNesting } from './nesting-limit.ts';
export { refusingOddIds } from './odd-ids.ts';
export { placeholders } from './placeholders.ts';
export { rawResultAside, rawResultBack } from './raw-result.ts';
export { sendRootsChanged } from './roots-changed.ts';
export { SessionRenewal } from './session-renewal.ts';
