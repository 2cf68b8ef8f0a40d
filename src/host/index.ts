export type { OpenUrlOptions, Spawn } from '../open-url.ts';
export { openUrl } from '../open-url.ts';
export type { VisibleOptions } from '../visible.ts';
export { hides, visible } from '../visible.ts';
export type { Notice } from './asking.ts';
export type { AttachEvent, Attachment, AttachOptions, CallRequest } from './attach.ts';
export { attach } from './attach.ts';
export type { AuditEntry, AuditEvent, AuditOptions, AuditSink, AuditVerdict } from './audit.ts';
export { Audit, argumentsDigest, verifyAudit } from './audit.ts';
export { auditFile } from './audit-file.ts';
export type { CallEvent, CallOutcome, CallProgress, RunOptions } from './call-runner.ts';
export type { Clock } from './clock.ts';
export { systemClock } from './clock.ts';
export { commandWords } from './command-words.ts';
export type {
  CallHandle,
  Catalogue,
  ConnectionEvent,
  ConnectionOptions,
  ConnectionState,
  ServerInfo,
} from './connection.ts';
export { Connection } from './connection.ts';
export type { ElicitationMode } from './elicitation.ts';
export type { InboxEvent, InboxOptions } from './inbox.ts';
export { Inbox } from './inbox.ts';
export type { KeptRules, RulesFileOptions } from './kept-rules.ts';
export { rulesFile } from './kept-rules.ts';
export { lastSaid } from './last-said.ts';
export { isLongText } from './long-text.ts';
export type { Limits, PolicyOptions, Rule, Subject, Verdict } from './policy.ts';
export { Policy } from './policy.ts';
export type {
  Asker,
  CallContext,
  Ending,
  Era,
  FormQuestion,
  Presenter,
  Question,
  Receipt,
  Reply,
  RootsQuestion,
  SamplingMessageView,
  SamplingReplyQuestion,
  SamplingRequestQuestion,
  UrlFinishQuestion,
  UrlQuestion,
  Via,
} from './question.ts';
export { expandTemplate, templateNames } from './resource-template.ts';
export type { RootsDisk, RootsMemory, Workspace } from './roots-disk.ts';
export { detectWorkspace, machineDisk, rootsFile } from './roots-disk.ts';
export type { OfferedRoot, RootsManagerOptions, RootsState } from './roots-manager.ts';
export { RootsManager } from './roots-manager.ts';
export type { SamplingLimits, SamplingSpent } from './sampling-budget.ts';
export type { SamplingAccount } from './sampling-flow.ts';
export type { ServerEntry, ServerTarget } from './server-entry.ts';
export { commandTarget, originOf, readServerEntries, urlTarget } from './server-entry.ts';
export type { TransportOptions } from './transport.ts';
export { openTransport } from './transport.ts';
export type { UrlJudgement, UrlOptions, UrlWarning } from './url.ts';
export { judgeUrl } from './url.ts';
