export { openUrl } from '@midcall/core/node';
export { visible } from '@midcall/core/text';
export type { Notice } from './attach/asking.ts';
export type { AuditVerdict } from './audit/audit.ts';
export { Audit } from './audit/audit.ts';
export type { AuditEntry, HostEvent } from './audit/audit-entry.ts';
export type { CallProgress } from './calls/calls.ts';
export type { CallOutcome, CallTask } from './calls/runner.ts';
export type { Catalogue } from './connection/catalogue.ts';
export { commandWords } from './connection/command-words.ts';
export type { ConnectionEvent } from './connection/connection.ts';
export { Connection } from './connection/connection.ts';
export type { ListName, ListProblem } from './connection/list-problem.ts';
export type { ServerEntry } from './connection/server-entry.ts';
export { commandTarget, originOf, urlTarget } from './connection/server-entry.ts';
export { readServerList } from './connection/server-list.ts';
export { withFileLock } from './files/file-lock.ts';
export { ownerFile } from './files/owner-file.ts';
export type { InboxEvent } from './inbox/inbox.ts';
export { Inbox } from './inbox/inbox.ts';
export type { Rule } from './policy/judge.ts';
export type { KeptRules } from './policy/kept-rules.ts';
export { Policy } from './policy/policy.ts';
export { appUri } from './question/app-uri.ts';
export type {
  CallContext,
  Ending,
  FormQuestion,
  Presenter,
  Question,
  Receipt,
  Reply,
  RootsQuestion,
  SamplingPrompt,
  SamplingReplyQuestion,
  SamplingRequestQuestion,
  SignInQuestion,
  UrlFinishQuestion,
  UrlQuestion,
} from './question/question.ts';
export { mask, maskedArguments, secretNames, secretsOf, secretWarnings } from './question/secrets.ts';
export type { OfferedRoot } from './roots/offered-roots.ts';
export { OfferedRoots } from './roots/offered-roots.ts';
export type { SamplingAccount } from './sampling/flow.ts';
export { wishLines } from './sampling/wishes.ts';
export type { KeptTask, KeptTasks } from './tasks/kept-tasks.ts';
export { isFollowed } from './tasks/kept-tasks.ts';
export type { Members } from './views/json-value.ts';
export { jsonIn, tableColumns } from './views/json-value.ts';
export { isLongText } from './views/long-text.ts';
export type { MarkdownRule, MarkdownToken } from './views/markdown-reader.ts';
export { hostOf, isMarkdown, markdownReader } from './views/markdown-reader.ts';
export { expandTemplate, templateNames } from './views/resource-template.ts';
export { saidAlready } from './views/said-already.ts';
export { spelledNumber } from './views/spelled-number.ts';
export { momentStyles, spelledMoment, type WrittenMoment, writtenMoment } from './views/written-moment.ts';
