/** What the desk has rendered, as this person's browser shows it. */

/**
 * Reads a page that was fetched. What else runs on pages prepares it before any of it is shown (`midcall:fetched`), so that nothing
 * on screen is written twice.
 */
export function fetched(text: string): Document {
  const next = new DOMParser().parseFromString(text, 'text/html');
  document.dispatchEvent(new CustomEvent('midcall:fetched', { detail: next }));
  return next;
}
