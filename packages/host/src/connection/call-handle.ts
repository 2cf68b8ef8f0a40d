import type { CallOutcome } from '../calls/index.ts';

/** A call that was started. */
export interface CallHandle {
  readonly id: string;
  /** Never rejects. */
  readonly outcome: Promise<CallOutcome>;
  /** Stops it; its open questions are withdrawn. */
  cancel(): void;
}
