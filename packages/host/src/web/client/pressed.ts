/** A page that moves under a pressed pointer makes the click miss its button: what would move it waits for the release. */

let released = Promise.resolve();
let release = (): void => {};

/** Comes when the pointer is not pressed, and no finger touches the page. */
export const whenReleased = (): Promise<void> => released;

/** Starts listening. */
export function startPressed(): void {
  document.addEventListener(
    'pointerdown',
    () => {
      release();
      released = new Promise(resolve => {
        release = resolve;
      });
    },
    true,
  );
  // The menu of the browser may keep the release for itself.
  for (const type of ['pointerup', 'pointercancel', 'contextmenu'])
    document.addEventListener(type, () => release(), true);
}
