export { type LeftCall, leftCalls } from './calls.ts';
export { durationOf, durations } from './decisions.ts';
export type { DeskConnection, HostWait } from './desk-connection.ts';
export { earlierValues } from './earlier-values.ts';
export { type Action, type Findable, find, type Hit } from './find.ts';
export { Live } from './live.ts';
export { manyOf, offerOf } from './offers.ts';
export { asConfig, secretsOf, targetOf, type Understood, understand, writtenTarget } from './server-form.ts';
export {
  type CallView,
  type DeskView,
  isOpen,
  type ModelsView,
  type NoticeView,
  type OfferKind,
  type OfferView,
  type QuestionView,
  type Refuser,
  refuserOf,
  type ServerView,
  type Session,
  type TryView,
} from './views.ts';
export type { FrameView } from './wire.ts';
export { Workspace, type WorkspaceParts } from './workspace.ts';
