/** Long lists of choices, filtered as on the desk. */

const rowsOf = (box: HTMLInputElement): readonly HTMLElement[] => [
  ...document.querySelectorAll<HTMLElement>(`[data-filtered="${CSS.escape(box.dataset['filter'] ?? '')}"] > .option`),
];

/** Hides the choices that do not have all words of a box. */
export function filter(box: HTMLInputElement): void {
  const words = box.value.toLowerCase().split(/\s+/).filter(Boolean);
  for (const row of rowsOf(box))
    row.hidden = !words.every(word => (row.textContent ?? '').toLowerCase().includes(word));
}

/** Goes from a box to the first choice that is left, and takes it if it is the only one. */
export function toFiltered(box: HTMLInputElement): void {
  const rows = rowsOf(box).filter(row => !row.hidden);
  const first = rows[0]?.querySelector('input');
  first?.focus();
  if (rows.length === 1 && first?.checked === false) first.click();
}
