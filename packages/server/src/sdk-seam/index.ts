export { type AskingMethod, askingMethods, type RawParams } from './asking-method.ts';
export { begun } from './begun.ts';
export { type OpenRequest, requestUntil, sendToClient, type Taker } from './client-request.ts';
export type { Departure } from './departure.ts';
export { dropMalformedAnswers } from './malformed-answers.ts';
export {
  answer,
  arrangeTools,
  departureOf,
  type Earlier,
  type Ending,
  type Final,
  type Settler,
  wrapServer,
} from './request-slot.ts';
export { asThrown, checkSendable } from './sendable.ts';
export { nameOf } from './server-name.ts';
export { SessionTransport } from './session-transport.ts';
export { tapReceived, tapSent } from './tapped-transport.ts';
export {
  asksForTasks,
  type ListenRequest,
  refusalOf,
  serveSubscriptions,
  subscribeAt,
  TaskStreams,
  type TaskSubscription,
} from './task-subscription.ts';
