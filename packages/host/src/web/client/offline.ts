/** On the page that is shown while no desk or inbox answers: opens what was asked for as soon as one does. */

const lookEveryMs = 2_000;
/** A file that no worker stores. */
const here = import.meta.url;
const sign = new URL('../icon.svg', here).pathname;

async function look(): Promise<void> {
  try {
    await fetch(sign, { cache: 'no-store' });
  } catch {
    return;
  }
  window.location.reload();
}

window.setInterval(() => void look(), lookEveryMs);
