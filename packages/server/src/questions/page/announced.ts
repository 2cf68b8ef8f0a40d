/** A page that was opened for a question, and how the person learns of it. */
import { defined } from '@midcall/core/json';
import type { PersonCheck } from '../../request/index.ts';
import type { WaitingWords } from '../outgoing.ts';
import { quoted } from '../quoted.ts';

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

/** What the model is told about a call that waits for a page. Pure. */
export function pageWords(message: string, { announce, url, note }: Announced): WaitingWords {
  const lines = [...quoted(message), `> ${url}`, ...(note === undefined ? [] : [`> ${note}`])];
  const how = 'Show the person these words and the link exactly as it is, and wait. Do not open the link yourself:';
  return {
    who: 'This call is waiting for the person, who answers on a web page and not through you.',
    ...(announce === 'link' && { passOn: { how, lines, page: { message, url, ...defined({ note }) } } }),
    reached: 'The page was opened for them already. Tell them that the call waits for it, and wait.',
    when: 'When they say that they are done',
    open: 'The page can be answered',
    unfinished: 'The person has not finished the page in time. Ask again when they have.',
  };
}
