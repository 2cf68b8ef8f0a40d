/**
 * On a page of the inbox without a session: leads to the session of this browser, or forgets it if this is its path, since the
 * session is over then.
 */
import { forgetBase, isBelow, keptBase } from './base.ts';

const stored = keptBase('midcall-inbox');
const question = new URLSearchParams(location.search).get('question');

if (stored !== undefined && isBelow(stored)) forgetBase('midcall-inbox');
else if (stored !== undefined)
  location.replace(`${stored}${question === null ? '/' : `/questions/${encodeURIComponent(question)}`}`);
