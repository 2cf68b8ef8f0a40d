/** Says that something is on its way, once that takes longer than a moment. */

/** After how many milliseconds it is said. */
const sayAfterMs = 300;

type What = 'sending' | 'opening';

/** What is on its way and takes its time, latest last. */
const slow: What[] = [];

function say(): void {
  const line = document.getElementById('busy');
  if (line) line.textContent = line.dataset[slow.at(-1) ?? ''] ?? '';
}

/** Something is on its way. @returns ends it */
export function busy(what: What): () => void {
  let isSlow = false;
  const timer = window.setTimeout(() => {
    isSlow = true;
    slow.push(what);
    say();
  }, sayAfterMs);
  return () => {
    window.clearTimeout(timer);
    if (!isSlow) return;
    isSlow = false;
    slow.splice(slow.indexOf(what), 1);
    say();
  };
}
