/** `@midcall/host`: the answering side. */
export { isMidcallError, MidcallError, type MidcallErrorCode } from '@midcall/core/errors';
export type { ProcessMark } from '@midcall/core/node';
export type { Root } from '@midcall/core/roots';
export type { ModelReply, SamplingModel, SamplingRequest, SamplingResult } from '@midcall/core/sampling';
export type { StopOptions } from '@midcall/core/stop';
export type { Store } from '@midcall/core/store';
export { type VisibleOptions, visible } from '@midcall/core/text';
export type { Clock } from '@midcall/core/time';
export type { AgentReply } from './agents/agent-reply.ts';
export { type AgentCall, type AgentCallOptions, type AgentTool, agentTools } from './agents/agent-tools.ts';
export type { Notice } from './asking/asking.ts';
export { attach } from './attach/attach.ts';
export type { AttachEvent, Attachment, AttachOptions, CallRequest, ServerIntroduction } from './attach/attachment.ts';
export { outputValidator } from './attach/output-validator.ts';
export { Audit, type AuditLog, type AuditOptions, type AuditVerdict, verifyAudit } from './audit/audit.ts';
export type { AuditEntry, HostEvent } from './audit/audit-entry.ts';
export { auditFile } from './audit/audit-file.ts';
export type { ServerAuth } from './authorization/server-auth.ts';
export type { AskSignIn, SignInRequest } from './authorization/sign-in.ts';
export {
  type Grant,
  type GrantVault,
  memoryVault,
  type RegisteredClient,
  type VaultKey,
} from './authorization/vault.ts';
export { vaultFolder } from './authorization/vault-folder.ts';
export type { Era } from './base/era.ts';
export type { CallProgress } from './calls/calls.ts';
export type { CallEvent, CallOutcome, CallTask, RunOptions } from './calls/runner.ts';
export type { Catalogue, ListName, ListProblem } from './connection/catalogue.ts';
export {
  type CallHandle,
  Connection,
  type ConnectionEvent,
  type ConnectionState,
  type ServerInfo,
} from './connection/connection.ts';
export type { ConnectionOptions } from './connection/connection-options.ts';
export { type ServerOpener, serverOpener } from './connection/server-opener.ts';
export { StartedServer } from './connection/started-server.ts';
export type { PausableTransport, TransportOptions } from './connection/transport.ts';
export type { WireFrame, WireWatch } from './connection/wire-watch.ts';
export { type FileLockOptions, withFileLock } from './files/file-lock.ts';
export { storeFile } from './files/store-file.ts';
export { Inbox, type InboxEvent, type InboxOptions, type Owner } from './inbox/inbox.ts';
export { type DecisionStorage, type DecisionsFileOptions, decisionsFile } from './policy/decisions-file.ts';
export type { Decision, Limits, Subject, Verdict } from './policy/judge.ts';
export { Policy, type PolicyOptions } from './policy/policy.ts';
export { foldAlike } from './question/alike-calls.ts';
export { type ArgumentRow, argumentRows } from './question/argument-rows.ts';
export type { ElicitationMode } from './question/elicitation.ts';
export {
  type GrantChoice,
  type GrantEnd,
  type GrantOffer,
  type GrantScope,
  wouldPass,
} from './question/grant-choice.ts';
export type {
  AskedModel,
  Asker,
  CallApproval,
  CallContext,
  CallQuestion,
  Ending,
  FormQuestion,
  Presenter,
  Question,
  Receipt,
  Reply,
  RootsQuestion,
  SamplingMessageView,
  SamplingPrompt,
  SamplingReplyQuestion,
  SamplingRequestQuestion,
  SamplingWishes,
  SignInQuestion,
  UrlFinishQuestion,
  UrlQuestion,
  Via,
} from './question/question.ts';
export { mask, maskedArguments, secretNames, secretsOf } from './question/secrets.ts';
export {
  machineDisk,
  type OfferedRoot,
  OfferedRoots,
  type OfferedRootsOptions,
  type RootsDisk,
  type RootsMemory,
  type RootsState,
  rootsFile,
} from './roots/offered-roots.ts';
export { type DetectedWorkspace, detectWorkspace } from './roots/workspace.ts';
export {
  type ApprovedCall,
  activeGrants,
  type CallGrant,
  type ConsentContent,
  type ConsentStorage,
  consentFile,
  revokeGrant,
} from './rules/consent-storage.ts';
export type { CallVerdict, JudgedCall, OnRule } from './rules/judge-call.ts';
export { type ListedTool, proposeRules } from './rules/propose-rules.ts';
export type { Annotated, Rule } from './rules/rule.ts';
export { Rules, type RulesFileOptions, type RulesOptions, rulesFile } from './rules/rules.ts';
export type { SamplingLimits, SamplingSpent } from './sampling/budget.ts';
export type { SamplingAccount } from './sampling/flow.ts';
export type { AnyClient } from './sdk-seam/client-members.ts';
export type { ForwardedAnswer, ForwardedRequest, ForwardOptions } from './sdk-seam/forwarded-requests.ts';
export {
  commandTarget,
  readServerEntries,
  type ServerEntry,
  type ServerTarget,
  type TaskServer,
  urlTarget,
} from './servers/server-entry.ts';
export { serverName } from './servers/server-name.ts';
export { type FollowTasksOptions, followTasks, type TaskQuestion } from './tasks/follow-tasks.ts';
export { isFollowed, type StoredTask, type TaskStorage, tasksFile } from './tasks/tasks-file.ts';
export { judgeUrl, type UrlJudgement, type UrlOptions, type UrlWarning } from './url/judge.ts';
