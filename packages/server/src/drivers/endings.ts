/** How a request can end, besides what the engine knows, where its call goes on in another one. */
import type { ApartAsk, ModelAsk, OpenQuestion } from '../channels/outgoing.ts';
import type { Journal } from '../engine/journal.ts';

/** No question of the round can be put to the client: the model is to put it; see ../channels/relay/leave.ts. */
export interface Relayed {
  readonly kind: 'relayed';
  readonly asks: readonly OpenQuestion<ModelAsk>[];
  readonly journal: Journal;
}

/** Another process goes on with the call. */
export interface GoesOnElsewhere {
  readonly kind: 'handed-over';
}

/** The client's rounds are used up: the request ends here, and the call continues with a ticket; see ../resume/park.ts. */
export interface OutOfRounds {
  readonly kind: 'out-of-rounds';
  /** The questions that are still to be asked; none of them has left. */
  readonly asks: readonly OpenQuestion[];
  readonly journal: Journal;
}

/** The request ends here, and the call goes on with a ticket once the person has answered; see ../resume/park.ts. */
export interface Parked {
  readonly kind: 'parked';
  readonly asks: readonly OpenQuestion<ApartAsk>[];
  readonly journal: Journal;
}
