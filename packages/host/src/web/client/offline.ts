/** On the page that is shown while no desk or inbox answers: opens what was asked for as soon as one does. */

import { inTime } from './time-limit.ts';

const lookEveryMs = 2_000;
/** A file that no worker stores. */
const here = import.meta.url;
const sign = new URL('../icon.svg', here).pathname;

async function look(): Promise<void> {
  const answers = await fetch(sign, { cache: 'no-store', signal: inTime() }).then(
    // A proxy answers too, that nobody is behind it.
    ({ ok }) => ok,
    () => false,
  );
  // The last look: another would break off the page that a slow network is bringing.
  if (answers) window.location.reload();
  else window.setTimeout(() => void look(), lookEveryMs);
}

window.setTimeout(() => void look(), lookEveryMs);
