export { withheld } from './upstream.ts';
export type { Sample, UpstreamCall } from './upstream-calls.ts';
export { callInDoubt, UpstreamSession, type UpstreamSessionOptions } from './upstream-session.ts';
