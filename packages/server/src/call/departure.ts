/** What is known of a round that left, for whoever goes on with its call. */
export interface Departure {
  readonly flow: string;
  /** Rounds so far. */
  readonly round: number;
  /** When the first of its questions is due, in milliseconds since the epoch; undefined if only pages are waited for. */
  readonly dueAt: number | undefined;
  /** What fires when a question is taken back, by the key of the question. */
  readonly withdrawals: readonly (readonly [key: string, withdrawn: AbortSignal])[];
}
