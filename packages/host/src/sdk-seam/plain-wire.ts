/**
 * The wire below a transport of the SDK, below everybody who reads the messages. Calls that nobody needs to follow are written to it,
 * and their results are taken from it.
 */
import type { JsonRpcMessage } from '@midcall/core/sdk-seam';

/** What a transport offers for that. */
export interface PlainWire {
  /** True if a message can be written at once. */
  readonly isFree: boolean;
  /** True while somebody watches the messages as they cross the wire. */
  readonly isWatched: () => boolean;
  /** Writes a message. @param text - its JSON */
  write(text: string): void;
  /** The ids of requests that were written so; the next request with one of them is not written again. */
  readonly written: Set<unknown>;
  /** Offered each message of the server first. @returns true if it has taken it */
  taken: ((message: JsonRpcMessage) => boolean) | undefined;
}

/** @returns undefined for a transport that has no such wire */
export const plainWireOf = (transport: object): PlainWire | undefined =>
  'written' in transport && 'taken' in transport ? (transport as PlainWire) : undefined;
