/** Copies what somebody had typed, from where it is shown, and what is at an address of the desk. */
import { announce } from './announce.ts';

/** What somebody had typed; the one value alone, if there is one. @param id - where it is shown */
function typed(id: string): string {
  const rows = [...document.querySelectorAll(`#${CSS.escape(id)} [data-typed]`)];
  const textOf = (row: Element): string => row.querySelector('dd')?.textContent ?? '';
  if (rows.length === 1) return textOf(rows[0]!);
  return rows.map(row => `${row.querySelector('dt')?.textContent}: ${textOf(row)}`).join('\n');
}

async function copy(button: HTMLElement, text: string | Promise<string>): Promise<void> {
  await navigator.clipboard.writeText(await text);
  const confirmation = button.dataset['copied'] ?? '';
  button.textContent = confirmation;
  announce(confirmation);
}

/** Starts listening. */
export function startCopy(): void {
  document.addEventListener('click', event => {
    const button = (event.target as Element).closest<HTMLElement>('[data-copy],[data-copy-from]');
    if (!button) return;
    const { copy: id, copyFrom } = button.dataset;
    const text = id !== undefined ? typed(id) : fetch(copyFrom ?? '').then(response => response.text());
    // If copying is not allowed, the text can be selected.
    void copy(button, text).catch(() => {});
  });
}
