/** Where a person is asked what their host cannot show: the desk of the person at this machine, or an inbox. As a bridge uses it. */
import type { Connection, Question } from '@midcall/host';
import type { HostWait } from '@midcall/host/web';

/** Whether the person sees a question; false if there is no way for them to see it. What is said of it is told to the model, so it holds no secret. */
export type Shown =
  | false
  /** They see it. `place`: where, as the end of a sentence; `others`: who has to agree, such as `2 of finance`, if not the person. */
  | { readonly seen: true; readonly place: string; readonly others?: string }
  /**
   * They do not see it yet. `way`: a sentence that says how they get there; `why`: why they do not see it, as the end of a sentence;
   * `comes`: true if they will come across it without being told, so that a call that can wait does wait.
   */
  | { readonly seen: false; readonly way: string; readonly why?: string; readonly comes?: true };

export interface PersonDesk {
  /**
   * Shows a server and its calls on the desk, for as long as there is one.
   * @param host - the name of the host that uses it, in its own words
   */
  join(connection: Connection, host?: string): void;
  /**
   * Makes sure that the person sees an open question.
   * @param host - the name of the host whose call asks it, in its own words; absent if it belongs to no call
   */
  show(question: Question, connection: Connection, host?: string): Promise<Shown>;
  /** Tells the person whether the host that made a call still waits for their answer. */
  tellWait(callId: string, wait: HostWait): void;
  close(): Promise<void>;
}
