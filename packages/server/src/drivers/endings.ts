/** How a request can end, besides what the engine knows, where its call goes on in another one. */
import type { Journal } from '../engine/journal.ts';
import type { OpenAsk } from '../engine/seam.ts';

/** No question of the round can be put to the client; see ../resume/relay.ts. */
export interface Relayed {
  readonly kind: 'relayed';
  readonly asks: readonly OpenAsk[];
  readonly journal: Journal;
}

/** The call ends here, and goes on with a ticket once the pages are finished; see ../resume/park.ts. */
export interface Parked {
  readonly kind: 'parked';
  readonly asks: readonly OpenAsk[];
  readonly journal: Journal;
}
