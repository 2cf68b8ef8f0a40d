export { afterClose } from './after-close.ts';
export { withClientVersion } from './client-version.ts';
export {
  type ApartOptions,
  type InterceptedTransport,
  type Interception,
  interceptTransport,
  type JsonRpcMessage,
  type SendApart,
} from './intercept-transport.ts';
export { invalidListReason, invalidResultIssue, issueText, type ResultIssue, withoutDump } from './invalid-result.ts';
export { isJsonRpcMessage, withoutByteOrderMark } from './json-rpc-message.ts';
export { endedWhenProbed, negotiationReason, notOfferedRevision } from './negotiation-failure.ts';
export { wholeResponse } from './whole-response.ts';
