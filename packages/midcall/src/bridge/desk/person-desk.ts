/** The desk of the person at this machine, as a bridge uses it. */
import type { Connection, Question } from '@midcall/host';
import type { Shown } from './shown.ts';

export interface PersonDesk {
  /**
   * Shows a server and its calls on the desk, for as long as there is one.
   * @param host - the name of the host that uses it, in its own words
   */
  join(connection: Connection, host?: string): void;
  /** Makes sure that the person sees an open question. */
  show(question: Question, connection: Connection): Promise<Shown>;
  close(): Promise<void>;
}
