export { openUrl } from '@midcall/core/node';
export { visible } from '@midcall/core/text';
export type { Notice } from './asking/index.ts';
export type { AuditEntry, AuditVerdict, HostEvent } from './audit/index.ts';
export { Audit } from './audit/index.ts';
export type { CallOutcome, CallProgress, CallTask } from './calls/index.ts';
export type { Catalogue, ConnectionEvent, ListName, ListProblem } from './connection/index.ts';
export { Connection } from './connection/index.ts';
export { fileChanges, ownerFile } from './files/index.ts';
export type { InboxEvent } from './inbox/index.ts';
export { checkReply, Inbox } from './inbox/index.ts';
export type { Decision, DecisionStorage } from './policy/index.ts';
export { Policy } from './policy/index.ts';
export type {
  CallContext,
  CallQuestion,
  Ending,
  FormQuestion,
  GrantChoice,
  GrantEnd,
  GrantOffer,
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
} from './question/index.ts';
export {
  appUri,
  areAlike,
  argumentRows,
  foldAlike,
  mask,
  maskedArguments,
  secretNames,
  secretsOf,
  secretWarnings,
  wouldPass,
} from './question/index.ts';
export type { OfferedRoot } from './roots/index.ts';
export { OfferedRoots } from './roots/index.ts';
export { activeGrants, type CallGrant, type ConsentStorage, revokeGrant } from './rules/index.ts';
export type { SamplingAccount } from './sampling/index.ts';
export { wishLines } from './sampling/index.ts';
export type { ListedServer, MissingValue, ServerEntry } from './servers/index.ts';
export {
  commandTarget,
  commandWords,
  hostConfigs,
  originOf,
  readServerList,
  serverName,
  urlTarget,
} from './servers/index.ts';
export type { StoredTask, TaskStorage } from './tasks/index.ts';
export { isFollowed } from './tasks/index.ts';
export type { MarkdownRule, MarkdownToken, Members } from './views/index.ts';
export {
  expandTemplate,
  hostOf,
  isLongText,
  isMarkdown,
  jsonIn,
  markdownReader,
  mayHaveLines,
  momentStyles,
  saidAlready,
  spelledMoment,
  spelledNumber,
  tableColumns,
  templateNames,
  type WrittenMoment,
  writtenMoment,
} from './views/index.ts';
