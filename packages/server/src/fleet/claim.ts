/** A call as stored in Redis, and one replica's claim to run it. */
import type { JSONRPCMessage } from '@modelcontextprotocol/server';
import type { Caller } from '../request/index.ts';

/** A call as it began. */
export interface CallBody {
  readonly message: JSONRPCMessage;
  /** Names the call in the audit and the ledger. */
  readonly flow: string;
  /** Known once its handler has been reached. */
  readonly caller?: Caller;
}

/** A claim to run a call. */
export interface Claim {
  readonly body: CallBody;
  /** How often the call has been claimed. */
  readonly count: number;
  /** The records of earlier holders. */
  readonly fields: ReadonlyMap<string, string>;
}
