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
export { isJsonRpcMessage, withoutByteOrderMark } from './json-rpc-message.ts';
export {
  endedWhenProbed,
  invalidListReason,
  invalidResultIssue,
  issueText,
  negotiationReason,
  notOfferedRevision,
  type ResultIssue,
  withoutDump,
} from './sdk-errors.ts';
export { wholeResponse } from './whole-response.ts';
