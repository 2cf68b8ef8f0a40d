export type { Decisions } from './decisions.ts';
export type { DeskOptions, RunningDesk } from './desk.ts';
export { startDesk } from './desk.ts';
export type { DeskCalls } from './desk-calls.ts';
export type { DeskServers } from './desk-servers.ts';
export type { Announcement } from './live.ts';
export type { CallView, ModelsView, NoticeView, OfferView, QuestionView, RootView, ServerView } from './views.ts';
export type { WorkspaceParts } from './workspace.ts';
export { Workspace } from './workspace.ts';
