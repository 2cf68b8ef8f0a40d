export type { DeskOptions, RunningDesk } from './desk.ts';
export { startDesk } from './desk.ts';
export type { WorkspaceParts } from './workspace.ts';
export { Workspace } from './workspace.ts';
