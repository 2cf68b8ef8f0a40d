/** On a page outside the desk, such as that of a used start link: redirects to the desk if this browser has used it before. */
import { base, forgetBase, keptBase } from './base.ts';

const storedBase = keptBase();
const question = new URLSearchParams(window.location.search).get('question');
// The desk that was here has ended, and another one has its port.
if (storedBase === base()) forgetBase();
else if (storedBase !== undefined)
  window.location.replace(
    question === null ? `${storedBase}/` : `${storedBase}/questions/${encodeURIComponent(question)}`,
  );
