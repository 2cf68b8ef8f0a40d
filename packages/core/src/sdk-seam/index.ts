export {
  type InterceptedTransport,
  type Interception,
  interceptTransport,
  type JsonRpcMessage,
} from './intercept-transport.ts';
export { negotiationReason, notOfferedRevision } from './negotiation-failure.ts';
