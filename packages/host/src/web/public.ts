export type { DeskOptions, RunningDesk } from './desk.ts';
export { startDesk } from './desk.ts';
export type { DeskMemory, DeskRecord, SecretBox } from './keeping/desk-file.ts';
export { deskFile } from './keeping/desk-file.ts';
export type { PreferencesRecord } from './workspace/preferences.ts';
export type { Theme } from './workspace/theme.ts';
export type { ModelsView } from './workspace/views.ts';
export type { WorkspaceParts } from './workspace/workspace.ts';
