export {
  type InterceptedTransport,
  type Interception,
  interceptTransport,
  type JsonRpcMessage,
} from './intercept-transport.ts';
export { endedWhenProbed, negotiationReason, notOfferedRevision } from './negotiation-failure.ts';
