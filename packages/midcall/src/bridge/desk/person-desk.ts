/** The desk of the person at this machine, as a bridge uses it. */
import type { Connection, Question } from '@midcall/host';
import type { HostWait } from '@midcall/host/web';
import type { Shown } from './shown.ts';

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
