export type { DeskOptions, RunningDesk } from './desk.ts';
export { startDesk } from './desk.ts';
export type { ModelsView } from './workspace/views.ts';
export type { WorkspaceParts } from './workspace/workspace.ts';
