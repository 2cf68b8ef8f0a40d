/** Has screen readers say something. */
export function announce(text: string): void {
  const region = document.getElementById('announce');
  if (region) region.textContent = text;
}
