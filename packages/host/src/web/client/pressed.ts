/** A page that moves under a pressed pointer makes the click miss its button: what would move it waits for the release. */

let isPressed = false;

/** Comes when no button of the pointer, and no finger, is held down. */
export function whenReleased(): Promise<void> {
  if (!isPressed) return Promise.resolve();
  return new Promise(resolve => {
    for (const type of ['pointerup', 'pointercancel'])
      document.addEventListener(type, () => resolve(), { once: true, capture: true });
  });
}

/** Starts listening. */
export function startPressed(): void {
  document.addEventListener('pointerdown', () => (isPressed = true), true);
  for (const type of ['pointerup', 'pointercancel']) document.addEventListener(type, () => (isPressed = false), true);
}
