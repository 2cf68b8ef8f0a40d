import type { PersonNotifications } from './notifications.ts';
import type { PersonPasskeys } from './passkeys.ts';
import type { PersonQuestions } from './questions.ts';

/** Who looks at the pages: a person with a session. The caller has checked that, and Host, Origin and Sec-Fetch-Site. */
export interface Visitor {
  readonly questions: PersonQuestions;
  /** As the issuer calls them; shown. */
  readonly name: string;
  /** The path of all pages of this session, without a slash at its end. */
  readonly base: string;
  /** The token that every form of these pages contains; they check it. */
  readonly csrf: string;
  /** Absent: questions that need a passkey cannot be answered on these pages. */
  readonly passkeys?: PersonPasskeys;
  /**
   * Ends this session, or all of this person.
   * @returns a redirect to where the browser goes, which removes the cookie
   */
  signOut(everywhere: boolean): Promise<Response>;
  /** Absent where nobody is notified. */
  readonly notifications?: PersonNotifications;
}
