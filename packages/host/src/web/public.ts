export type { DeskOptions, RunningDesk } from './desk.ts';
export { startDesk } from './desk.ts';
export type { DeskCalls } from './workspace/calls.ts';
export type { Decisions } from './workspace/decisions.ts';
export type { Duration } from './workspace/durations.ts';
export type { Announcement } from './workspace/live.ts';
export type { DeskServers } from './workspace/servers.ts';
export type {
  CallView,
  ModelsView,
  NoticeView,
  OfferView,
  QuestionView,
  RootView,
  ServerView,
} from './workspace/views.ts';
export type { WorkspaceParts } from './workspace/workspace.ts';
export { Workspace } from './workspace/workspace.ts';
