/** Shows numbers that are sent as the person's browser writes them. The exact one stands beside it, unless it is the same. */

let format: Intl.NumberFormat | undefined;

function localize(root: Document): void {
  for (const each of root.querySelectorAll<HTMLDataElement>('data[data-number]')) {
    format ??= new Intl.NumberFormat(navigator.language, { maximumSignificantDigits: 21 });
    const text = format.format(Number(each.value));
    if (each.textContent !== text) each.textContent = text;
    const exact = each.nextElementSibling as HTMLElement;
    const isSame = text === each.value;
    if (exact.hidden !== isSame) exact.hidden = isSame;
  }
}

/** Starts with this page, and does the same with every one that replaces it, before it is shown. */
export function startNumbers(): void {
  document.addEventListener('midcall:fetched', event => localize((event as CustomEvent<Document>).detail));
  localize(document);
}
