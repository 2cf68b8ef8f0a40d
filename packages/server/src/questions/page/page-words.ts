/** What the model is told about a call that waits for a page. Pure. */
import { defined } from '@midcall/core/json';
import type { WaitingWords } from '../outgoing.ts';
import { quoted } from '../quoted.ts';
import type { Announced } from './announced.ts';

export function pageWords(message: string, { announce, url, note }: Announced): WaitingWords {
  const lines = [...quoted(message), `> ${url}`, ...(note === undefined ? [] : [`> ${note}`])];
  const how = 'Show the person these words and the link exactly as it is, and wait. Do not open the link yourself:';
  return {
    where: 'on a web page',
    ...(announce === 'link' && { passOn: { how, lines, page: { message, url, ...defined({ note }) } } }),
    reached: 'The page was opened for them already. Tell them that the call waits for it, and wait.',
    open: 'The page can be answered',
    unfinished: 'The person has not finished the page in time. Ask again when they have.',
  };
}
