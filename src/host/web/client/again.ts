/** On a page that is none of the desk's, such as that of a used start link: leads to the desk where this browser has been there. */
import { keptBase } from './base.ts';

const kept = keptBase();
const question = new URLSearchParams(window.location.search).get('question');
if (kept !== undefined)
  window.location.replace(question === null ? `${kept}/` : `${kept}/questions/${encodeURIComponent(question)}`);
