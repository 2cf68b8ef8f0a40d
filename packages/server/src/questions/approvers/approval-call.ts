import type { Json } from '../../base/index.ts';
import type { ApprovalInbox } from '../../request/index.ts';
import type { CallRef } from '../../state/index.ts';

/** The call that a question in an inbox belongs to. */
export interface ApprovalCall {
  readonly inbox: ApprovalInbox;
  readonly call: CallRef;
  /** The server's name, as the inbox shows it. */
  readonly server: string;
  /** The arguments, as they arrived. */
  readonly arguments: Json;
}
