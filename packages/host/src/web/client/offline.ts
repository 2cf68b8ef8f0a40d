/** On the page that is shown while no desk or inbox answers: opens what was asked for as soon as one does. */

const lookEveryMs = 2_000;
/** A file that no worker stores. */
const here = import.meta.url;
const sign = new URL('../icon.svg', here).pathname;

async function look(): Promise<void> {
  try {
    await fetch(sign, { cache: 'no-store' });
  } catch {
    window.setTimeout(() => void look(), lookEveryMs);
    return;
  }
  // The last look: another would break off the page that a slow network is bringing.
  window.location.reload();
}

window.setTimeout(() => void look(), lookEveryMs);
