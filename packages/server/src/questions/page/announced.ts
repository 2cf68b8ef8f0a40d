/** A page that was opened for a question, and how the person learns of it. */
import type { PersonCheck } from '../../request/index.ts';

/**
 * `url`: the host's URL mode; `form`: a form in the host that shows the link; `browser`: opened on this machine; `link`: a text
 * for the model; `error`: -32042.
 */
export type Announce = 'url' | 'form' | 'browser' | 'link' | 'error';

/** A page as it was opened and announced. */
export interface Announced {
  readonly announce: Announce;
  readonly pageId: string;
  readonly url: string;
  readonly note?: string;
  readonly code?: string;
  readonly check: PersonCheck;
  readonly elicitationId: string;
  /** When it was opened, in milliseconds since the epoch. */
  readonly at: number;
  /** When it may no longer be answered, in milliseconds since the epoch. */
  readonly dueAt: number;
}
