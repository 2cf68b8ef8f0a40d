/** What is known about a round that was sent, for whoever continues its call. */
export interface Departure {
  readonly flow: string;
  /** The number of rounds so far. */
  readonly round: number;
  /** When the first of its questions is due, in milliseconds since the epoch; undefined if only pages are waited for. */
  readonly dueAt: number | undefined;
  /** The signals that fire when a question is withdrawn, by the key of the question. */
  readonly withdrawals: readonly (readonly [key: string, withdrawn: AbortSignal])[];
}
