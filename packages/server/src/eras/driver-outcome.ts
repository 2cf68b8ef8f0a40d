/** How a driver's part of a call ends: as the engine says, or with the call continuing in another request. */
import type { InputRequiredResult } from '@modelcontextprotocol/server';
import type { Journal, OpenAsk, Outcome } from '../engine/index.ts';
import type { ApartAsk, Outgoing, ResultAsk } from '../questions/index.ts';
import type { Departure } from '../sdk-seam/index.ts';

/** How `runByPush` and `runByRounds` end. */
export type DriverOutcome<R> =
  | Exclude<Outcome<R, Outgoing>, { kind: 'needs' }>
  | InputRequired
  | Left
  | Parked
  | OutOfRounds
  | GoesOnElsewhere;

/** A round of questions ends the request; the client's retry brings the answers. */
export interface InputRequired {
  readonly kind: 'input-required';
  readonly result: InputRequiredResult;
  readonly departure: Departure;
  /** Questions new in this round; the others were sent before. */
  readonly asks: readonly OpenAsk<Outgoing>[];
}

/** No question of the round is asked over the protocol or apart from the client: one leaves in the result; see ./leave.ts. */
export interface Left {
  readonly kind: 'left';
  readonly asks: readonly OpenAsk<ResultAsk>[];
  readonly journal: Journal;
}

/** Another process continues the call. */
export interface GoesOnElsewhere {
  readonly kind: 'handed-over';
}

/** The client's rounds are used up: the request ends here, and the call continues with a ticket; see ./park.ts. */
export interface OutOfRounds {
  readonly kind: 'out-of-rounds';
  /** The questions that are still to be asked; none of them has left. */
  readonly asks: readonly OpenAsk<Outgoing>[];
  readonly journal: Journal;
}

/** The request ends here, and the call continues with a ticket once the person has answered; see ./park.ts. */
export interface Parked {
  readonly kind: 'parked';
  readonly asks: readonly OpenAsk<ApartAsk>[];
  readonly journal: Journal;
}
