export { channels, withdrawOpen } from './all.ts';
export type { ApprovalCall } from './approvers/approval-call.ts';
export { type AskerOptions, asker } from './asker.ts';
export { cardOfPage, cardSeen, hasCard } from './card/card.ts';
export { CARD_TOOL, CARD_URI, cardResource, forApps, notTaken, reported, withCard } from './card/card-app.ts';
export { checkProgress, checkStep } from './check-ask.ts';
export { answeredBy } from './ladder.ts';
export { lazySampler } from './lazy-sampler.ts';
export { gatewayQuestion } from './native/gateway-question.ts';
export {
  type ApartAsk,
  askedEvent,
  type CallRun,
  type ClientAsk,
  leavingTo,
  type Outgoing,
  type ResultAsk,
  type WaitingWords,
} from './outgoing.ts';
export type { PageCall } from './page/page-call.ts';
export { fromClient, type Recording, readRecording, unanswered } from './recording.ts';
