/**
 * Shows the content of a hidden control for as long as the person wants. It stays shown while the page is updated (see
 * `morph.ts`).
 */

function toggle(button: HTMLElement): void {
  const control = document.getElementById(button.dataset['reveal'] ?? '');
  if (!(control instanceof HTMLInputElement || control instanceof HTMLTextAreaElement)) return;
  const reveal = !control.hasAttribute('data-revealed');
  control.toggleAttribute('data-revealed', reveal);
  if (control instanceof HTMLInputElement) control.type = reveal ? 'text' : 'password';
  button.setAttribute('aria-pressed', String(reveal));
}

/** Starts listening. */
export function startReveal(): void {
  document.addEventListener('click', event => {
    const button = (event.target as Element).closest<HTMLElement>('[data-reveal]');
    if (button) toggle(button);
  });
}
