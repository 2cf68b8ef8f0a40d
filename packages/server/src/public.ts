/** `@midcall/server`: handlers that ask the person, on either revision. */
export type { MidcallErrorCode } from '@midcall/core/errors';
export { isMidcallError, MidcallError } from '@midcall/core/errors';
export type {
  Answer,
  Assurance,
  By,
  CancelReason,
  Channel,
  Choice,
  Content,
  Field,
  Form,
  FormInput,
  FormValue,
  RawField,
  RawForm,
  Shorthand,
  ShorthandRecord,
  StandardForm,
  TitledChoices,
  Vote,
  WireSchema,
} from '@midcall/core/form';
export { form } from '@midcall/core/form';
export type {
  ModelReply,
  SamplingMessage,
  SamplingModel,
  SamplingRequest,
  SamplingResult,
  SamplingTool,
  ToolLoopStep,
} from '@midcall/core/sampling';
export { advanceToolLoop, answerToolUse, samplingTool, startToolLoop, textOf } from '@midcall/core/sampling';
export type { StopOptions } from '@midcall/core/stop';
export type { Store } from '@midcall/core/store';
export type { Clock } from '@midcall/core/time';
export type { Json } from './base/digest.ts';
export { type Principal, principalId, readPrincipalId } from './base/principal.ts';
export type { Wake } from './base/wake.ts';
export type { RunOutcome } from './engine/deferred.ts';
export type { JobRun, Jobs } from './jobs/jobs.ts';
export { type Midcall, midcall } from './midcall.ts';
export type { Observation, Observer } from './observe/observe.ts';
export type { WaitingCall } from './observe/waiting-calls.ts';
export { type NotDone, notDone, whyNot } from './questions/why-not.ts';
export type {
  PromptAnswer,
  PromptConfig,
  ResourceAnswer,
  ResourceConfig,
  ToolAnswer,
  ToolConfig,
} from './registration.ts';
export {
  type ApprovalAsk,
  type ApprovalInbox,
  type ApprovalOutcome,
  type ApprovalStanding,
  type Approvers,
  type ApproversOptions,
  approvers,
} from './request/approvals.ts';
export type {
  AboutClient,
  AboutRequest,
  Call,
  Can,
  ElicitAsk,
  Jsonified,
  LogLevel,
  SampleAsk,
  SampleWithToolsAsk,
  StepContext,
  StepOptions,
  StepRetry,
  ToolSamplingResult,
} from './request/call.ts';
export type { MidcallOptions, PrincipalOf } from './request/config.ts';
export type { Details } from './request/details.ts';
export type {
  Consent,
  GatewayCall,
  GatewayOptions,
  GatewayQuestion,
  Handled,
  Passed,
} from './request/gateway-call.ts';
export type {
  Page,
  PageAsk,
  PageLink,
  PageOutcome,
  PageService,
  Pages,
  PagesHost,
  PersonCheck,
  UrlAsk,
} from './request/pages.ts';
export type { TaskMode, ToolCards } from './request/request.ts';
export type { FieldMessages, Validation } from './request/validation.ts';
export type {
  CheckedForms,
  WizardAsk,
  WizardCondition,
  WizardContent,
  WizardForm,
  WizardForms,
  WizardValidate,
} from './request/wizard-ask.ts';
export type { AnyMcpServer, AnyServer, AnyServerFactory } from './sdk-seam/any-server.ts';
export type { AuditEvent, AuditSink, CallRef, ErrorSink, PageEvent, RequestOutcome } from './state/audit.ts';
export { type KeyRing, type KeyRingOptions, type KeySource, keyRing, type SealKey } from './state/keys.ts';
export { createSealer, type Opened, type Sealer, type SealerOptions } from './state/seal.ts';
