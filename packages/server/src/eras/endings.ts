/** Ways in which a request can end, besides those the engine knows, while its call continues in another request. */
import type { Journal } from '../engine/index.ts';
import type { ApartAsk, ModelAsk, OpenQuestion } from '../questions/index.ts';

/** No question of the round can be put to the client, so the model has to ask it; see ../channels/relay/leave.ts. */
export interface Relayed {
  readonly kind: 'relayed';
  readonly asks: readonly OpenQuestion<ModelAsk>[];
  readonly journal: Journal;
}

/** Another process continues the call. */
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

/** The request ends here, and the call continues with a ticket once the person has answered; see ../resume/park.ts. */
export interface Parked {
  readonly kind: 'parked';
  readonly asks: readonly OpenQuestion<ApartAsk>[];
  readonly journal: Journal;
}
