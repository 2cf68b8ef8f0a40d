/** A line in which lines are pasted, or broken by Shift and Enter, becomes a box: a browser would make one line of them. */

/** Puts a box in the place of a line. @param text - put in at the cursor */
function makeBox(line: HTMLInputElement, text: string): void {
  const box = document.createElement('textarea');
  for (const { name, value } of line.attributes)
    if (!['type', 'value', 'list', 'data-lines'].includes(name)) box.setAttribute(name, value);
  box.className = 'one-line';
  box.dataset['oneLine'] = 'text';
  const [start, end] = [line.selectionStart ?? line.value.length, line.selectionEnd ?? line.value.length];
  box.value = line.value;
  line.replaceWith(box);
  box.setRangeText(text, start, end, 'end');
  box.focus();
  box.dispatchEvent(new Event('input', { bubbles: true }));
}

const lineOf = (target: EventTarget | null): HTMLInputElement | undefined =>
  target instanceof HTMLInputElement && target.dataset['lines'] !== undefined ? target : undefined;

/** True if a key sends what is in a box of one line. One that may hold JSON is none from where that begins. */
export function sendsLine(event: KeyboardEvent): boolean {
  const { target: box, key, shiftKey, ctrlKey, metaKey, isComposing } = event;
  if (key !== 'Enter' || shiftKey || ctrlKey || metaKey || isComposing) return false;
  if (!(box instanceof HTMLTextAreaElement) || box.dataset['oneLine'] === undefined || box.value.includes('\n'))
    return false;
  return box.dataset['oneLine'] === 'text' || (box.value.trim() !== '' && !/^\s*(?:[{["]|\/[/*])/.test(box.value));
}

/** Starts listening. */
export function startLines(): void {
  document.addEventListener('paste', event => {
    const line = lineOf(event.target);
    const text = event.clipboardData?.getData('text/plain').replace(/\r\n?/g, '\n') ?? '';
    if (!line || !/\n./.test(text)) return;
    event.preventDefault();
    makeBox(line, text);
  });
  document.addEventListener('keydown', event => {
    const line = event.key === 'Enter' && event.shiftKey ? lineOf(event.target) : undefined;
    if (!line) return;
    event.preventDefault();
    makeBox(line, '\n');
  });
}
