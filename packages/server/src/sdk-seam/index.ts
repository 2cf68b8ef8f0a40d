export { type AnyMcpServer, type AnyServerFactory, recognize } from './any-server.ts';
export { type AskingMethod, askingMethods, type RawParams } from './asking-method.ts';
export { ClientRequests, onConnect } from './client-requests.ts';
export { type Departure, departureOf, noteDeparture } from './departure.ts';
export { frontOf, type Respond, requestUntil } from './front.ts';
export { asThrown, checkSendable } from './sendable.ts';
export { nameOf, readToolArguments, servesRounds } from './server-members.ts';
export { SessionTransport } from './session-transport.ts';
export { stopListening, tapReceived, tapSent } from './tapped-transport.ts';
export {
  asksForTasks,
  type ListenRequest,
  refusalOf,
  serveSubscriptions,
  subscribeAt,
  TaskStreams,
  type TaskSubscription,
} from './task-subscription.ts';
export { arrangeTools } from './tool-list.ts';
export { type WireError, wireError } from './wire-error.ts';
