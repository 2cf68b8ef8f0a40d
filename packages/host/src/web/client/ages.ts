/** Keeps the ages on the page counting, without anything moving around them. */

const units: readonly (readonly [number, string])[] = [
  [86_400, 'd'],
  [3_600, 'h'],
  [60, 'min'],
  [1, 's'],
];

/** Seconds, to one unit. */
function spelled(seconds: number): string {
  const [size, name] = units.find(([least]) => seconds >= least) ?? [1, 's'];
  return `${Math.floor(seconds / size)} ${name}`;
}

function tick(): void {
  const now = Date.now();
  for (const age of document.querySelectorAll<HTMLElement>('time[data-since]')) {
    const text = spelled(Math.max(0, Math.floor((now - Number(age.dataset['since'])) / 1000)));
    if (age.textContent !== text) age.textContent = text;
  }
}

/** Starts counting. */
export function startAges(): void {
  window.setInterval(tick, 1000);
  document.addEventListener('midcall:shown', tick);
}
