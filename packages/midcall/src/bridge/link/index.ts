export { anySchema, HostLink, moreOf, openRequest } from './host-link.ts';
export { awaitHost, capabilitiesIn, type Declared, declaredIn, passedExtensions } from './host-transport.ts';
export { passWhole, restOf, upstreamError } from './host-wire.ts';
