export type { PlainSamplingRequest, ToolSamplingRequest, ToolSamplingResult } from './asking/sampler.ts';
export { type NotDone, notDone, whyNot } from './asking/why-not.ts';
export type { AuditEvent, AuditSink, CallOutcome, CallRef, ErrorSink, PageEvent } from './audit.ts';
export type {
  AboutClient,
  Call,
  Can,
  ElicitAsk,
  Jsonified,
  Principal,
  StepContext,
  StepOptions,
} from './call.ts';
export type { MidcallOptions } from './config.ts';
export { digest, type Json } from './digest.ts';
export type { GatewayCall, GatewayPage } from './gateway-call.ts';
export {
  type Handled,
  type Midcall,
  midcall,
  type PromptConfig,
  type ResourceConfig,
  type ToolConfig,
} from './midcall.ts';
export type { Observation, Observer } from './observe.ts';
export type { PrincipalOf } from './principal.ts';
export { type KeyRing, type KeyRingOptions, type KeySource, keyRing, type SealKey } from './state/keys.ts';
export { createSealer, type Opened, type Sealer, type SealerOptions } from './state/seal.ts';
export { openUnder, under } from './state/sealed-under.ts';
export type { UrlAnswer, UrlAsk } from './url/ask.ts';
export type {
  Page,
  PageAsk,
  PageLink,
  PageOutcome,
  PageRoad,
  Pages,
  PagesHost,
  PersonCheck,
} from './url/pages.ts';
