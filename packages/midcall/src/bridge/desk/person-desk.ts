/** The desk of the person at this machine, as a bridge uses it. */
import type { Connection, Question } from '@midcall/host';
import type { HostWait } from '@midcall/host/web';

/**
 * Whether the person sees a question at the desk: true; false if there is no way; or, if nothing can be opened for them, a
 * sentence that says how they get there. It is told to the model, so it holds no link.
 */
export type Shown = boolean | string;

export interface PersonDesk {
  /**
   * Shows a server and its calls on the desk, for as long as there is one.
   * @param host - the name of the host that uses it, in its own words
   */
  join(connection: Connection, host?: string): void;
  /** Makes sure that the person sees an open question. */
  show(question: Question, connection: Connection): Promise<Shown>;
  /** Tells the person whether the host that made a call still waits for their answer. */
  tellWait(callId: string, wait: HostWait): void;
  close(): Promise<void>;
}
