export { type CallProgress, Calls, type RunningCall } from './calls.ts';
export {
  type CallEvent,
  type CallOutcome,
  CallRunner,
  type CallTask,
  cancelledByPerson,
  type RunOptions,
  type SendCall,
  type SendOptions,
  type SentResult,
} from './runner.ts';
export { type AskMethod, askMethods, Tap, type TappedRequest, type TappedRound } from './tap.ts';
