export { deskDeclares } from './apps/app-documents.ts';
export type { DeskOptions, RunningDesk } from './desk.ts';
export { startDesk } from './desk.ts';
export type { BrowserKey, BrowserMemory } from './keeping/browsers-file.ts';
export { browsersFile } from './keeping/browsers-file.ts';
export type { CallMemory, StoredCall } from './keeping/call-file.ts';
export { callFile } from './keeping/call-file.ts';
export type { DeskMemory, DeskRecord, SecretBox } from './keeping/desk-file.ts';
export { deskFile } from './keeping/desk-file.ts';
export type { ArgumentTemplate, PreferencesRecord, Theme } from './keeping/preferences.ts';
export type { RememberedOffer, RememberedOffers } from './keeping/remembered-offers.ts';
export type { PersonNotice } from './person/notice.ts';
export type { NotifiedDevice, PersonNotifications } from './person/notifications.ts';
export type { PasskeyProblem, PasskeyRequest, PersonPasskeys, ShownPasskey } from './person/passkeys.ts';
export type {
  ApprovalDetails,
  ApprovalView,
  ApprovalVote,
  EndedQuestion,
  OpenQuestion,
  PersonEnding,
  PersonQuestions,
  Present,
} from './person/questions.ts';
export type { Visitor } from './person/visitor.ts';
export type { PersonPages, PersonPagesOptions } from './person-pages.ts';
export { personPages } from './person-pages.ts';
export type { DeskConnection, HostWait } from './workspace/desk-connection.ts';
export { earlierValues } from './workspace/earlier-values.ts';
export type { ModelsView, TryView } from './workspace/views.ts';
export type { WorkspaceParts } from './workspace/workspace.ts';
