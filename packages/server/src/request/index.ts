export {
  type ApprovalAsk,
  type ApprovalInbox,
  type ApprovalStanding,
  approversKind,
} from './approvals.ts';
export type {
  AboutClient,
  Call,
  ElicitAsk,
  LogLevel,
  SampleAsk,
  SampleWithToolsAsk,
  StepContext,
  StepOptions,
  StepRetry,
  ToolSamplingResult,
} from './call.ts';
export type { ClientView } from './client-view.ts';
export type { Config, MidcallOptions } from './config.ts';
export { type Detached, detach, detachedOf, taskCancelled, whenDetached } from './detached.ts';
export { type Details, detailsDigest, detailsKind, detailsText } from './details.ts';
export {
  APP_TYPE,
  aboutClient,
  declaresTasks,
  elicitationParams,
  formParams,
  isUrlRequired,
  isWireError,
  missingCapability,
  TASKS_EXTENSION,
  tellCompleted,
  tellCompletedLater,
  urlParams,
  urlRequired,
  viewClient,
} from './era.ts';
export type {
  Consent,
  GatewayCall,
  GatewayOptions,
  GatewayQuestion,
  Handled,
  Passed,
} from './gateway-call.ts';
export { belongsTo, CallStops, type Instance, instanceOf } from './instance.ts';
export { isLendable, isPersonal, lend, makeServer } from './lending.ts';
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
} from './pages.ts';
export {
  auditor,
  type CallRequest,
  type Cards,
  callRef,
  canResume,
  type FinalOutcome,
  hasServerLater,
  inRounds,
  outlivesRequest,
  principalKey,
  RESUME,
  type Registered,
  readRequest,
  type TaskMode,
  type ToolCards,
  unread,
  waitingResult,
  waysOut,
} from './request.ts';
export { clientOf, isOverHttp, principalOf, processUser } from './requester.ts';
export {
  type Caller,
  type EndAbandoned,
  enderOf,
  HandedOver,
  isReplayable,
  lostCall,
  markReplayable,
  type PutAsk,
  type Shared,
  type SharedAsk,
  type SharedCall,
  type SharedOutcome,
  type SharedResponse,
  shareCall,
  sharedCallOf,
} from './shared-call.ts';
export type {
  WizardAsk,
  WizardCondition,
  WizardContent,
  WizardForm,
  WizardForms,
  WizardValidate,
} from './wizard-ask.ts';
