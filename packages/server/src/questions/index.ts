export { channels } from './all.ts';
export { type AskerOptions, asker } from './asker.ts';
export { checkProgress, checkStep } from './check-ask.ts';
export { gatewayQuestion } from './native/gateway-question.ts';
export {
  type ApartAsk,
  type CallRun,
  type ClientAsk,
  leavingTo,
  type ModelAsk,
  type Outgoing,
} from './outgoing.ts';
export type { PageCall } from './page/page-call.ts';
export { withdrawPages } from './page/withdraw-pages.ts';
export { fromClient, type Recording, readRecording, unanswered } from './recording.ts';
export { relayText } from './relay/relay-text.ts';
export { sampler } from './sampler.ts';
