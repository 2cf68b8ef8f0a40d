/** A call as it lies in Redis, and the right of one replica to run it. */
import type { JSONRPCMessage } from '@modelcontextprotocol/server';
import type { Caller } from '../call/shared-call.ts';

/** A call as it was begun. */
export interface CallBody {
  readonly message: JSONRPCMessage;
  /** Names the call in the audit and the ledger. */
  readonly flow: string;
  /** Known once its handler has been reached. */
  readonly caller?: Caller;
}

/** A right to run a call. */
export interface Claim {
  readonly body: CallBody;
  /** How often the call was taken. */
  readonly count: number;
  /** What earlier holders left. */
  readonly fields: ReadonlyMap<string, string>;
}
