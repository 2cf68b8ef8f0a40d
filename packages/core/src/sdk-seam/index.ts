export { type InterceptedTransport, interceptTransport, type JsonRpcMessage } from './intercept-transport.ts';
export { negotiationReason, notOfferedRevision } from './negotiation-failure.ts';
