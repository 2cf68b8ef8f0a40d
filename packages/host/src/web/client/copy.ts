/** Copies what somebody had typed, from where it is shown. */

async function copy(button: HTMLElement): Promise<void> {
  const rows = [...document.querySelectorAll(`#${CSS.escape(button.dataset['copy'] ?? '')} [data-typed]`)];
  const textOf = (row: Element): string => row.querySelector('dd')?.textContent ?? '';
  const [only] = rows;
  const whole = rows.map(row => `${row.querySelector('dt')?.textContent}: ${textOf(row)}`).join('\n');
  await navigator.clipboard.writeText(only && rows.length === 1 ? textOf(only) : whole);
  const region = document.getElementById('announce');
  const confirmation = button.dataset['copied'] ?? '';
  button.textContent = confirmation;
  if (region) region.textContent = confirmation;
}

/** Copies what is at an address of the desk. */
async function copyFrom(button: HTMLElement): Promise<void> {
  const response = await fetch(button.dataset['copyFrom'] ?? '');
  await navigator.clipboard.writeText(await response.text());
  const confirmation = button.dataset['copied'] ?? '';
  button.textContent = confirmation;
  const region = document.getElementById('announce');
  if (region) region.textContent = confirmation;
}

/** Starts listening. */
export function startCopy(): void {
  document.addEventListener('click', event => {
    const button = (event.target as Element).closest<HTMLElement>('[data-copy]');
    // If copying is not allowed, the text can be selected.
    if (button) void copy(button).catch(() => {});
    const from = (event.target as Element).closest<HTMLElement>('[data-copy-from]');
    if (from) void copyFrom(from).catch(() => {});
  });
}
