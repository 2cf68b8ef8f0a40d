export type { AuditEvent, AuditSink, CallRef } from './audit.ts';
export type {
  Call,
  Can,
  ElicitAsk,
  Jsonified,
  Principal,
  StepContext,
  StepOptions,
} from './call.ts';
export type { MidcallOptions } from './config.ts';
export { type HttpOptions, type HttpServing, type McpEndpoint, mcpEndpoint, serveHttp } from './http.ts';
export { type KeyRing, type KeySource, keyRing } from './keys.ts';
export { type Midcall, midcall, type PromptConfig, type ResourceConfig, type ToolConfig } from './midcall.ts';
export type { PrincipalOf } from './principal.ts';
export type { PlainSamplingRequest, ToolSamplingRequest, ToolSamplingResult } from './sampler.ts';
