/**
 * Who has the keyboard: the person's page, or an App in its frame. An App can take the focus at any time, also from a frame that is
 * inert or not displayed, so the focus says nothing of the person.
 *
 * - app-use-U1 An App is in use from the moment at which the person presses a pointer in it (`apps/app-documents.ts`), or a key after
 *   they have brought the focus there, until they press either on the page, or the focus comes back to it.
 * - app-use-U2 The focus stays in an App only if the person brought it there: by using the App, by the Tab key, or by what the
 *   page itself does. Otherwise what had it gets it back at once.
 * - app-use-U3 While a secret is typed there is no App on the page: nothing else keeps each key away from it.
 */
import { appsIn } from './teardown.ts';

/** The members of a message of the desk's own script in an App, as `apps/app-documents.ts` writes them. */
const [useMember, eventMember] = ['io.github.midcall/use', 'io.github.midcall/event'] as const;

/** Controls in which a secret is typed, and the button that reveals one. */
const secret = 'input[type=password],.secret-entry *';

/** For how many milliseconds the word of a click in an App may come after the focus that the click has moved. */
const wordMs = 150;

/** How often an App may take the focus by itself before it is used; one that goes to its first field does so once. */
const mostThefts = 5;

const keys = new WeakMap<HTMLIFrameElement, unknown>();
const thefts = new WeakMap<HTMLIFrameElement, number>();

/** The App in use. */
let inUse: HTMLIFrameElement | undefined;
/** The App that got the focus by the Tab key or from the page itself. */
let entered: HTMLIFrameElement | undefined;
/** True from a press of the Tab key until the focus has moved. */
let tabbing = false;
/** The App that the focus was last taken from. */
let refused: HTMLIFrameElement | undefined;
/** What had the focus last on the page itself. */
let had: HTMLElement | undefined;

/** True while the person is in this App. */
export const isUsed = (app: HTMLIFrameElement): boolean => inUse === app && document.activeElement === app;

/** True while a secret is typed. */
export const isTypingSecret = (): boolean => document.activeElement?.matches(secret) === true;

/** Takes the word that the person uses an App. @returns false if the message is not from the desk's own script in the frame */
export function hearUse(app: HTMLIFrameElement, message: Readonly<Record<string, unknown>>): boolean {
  const key = message[useMember];
  if (typeof key !== 'string') return false;
  if (!keys.has(app)) {
    keys.set(app, key);
    return true;
  }
  if (keys.get(app) !== key) return false;
  const byPointer = message[eventMember] === 'pointerdown';
  // A key that comes while the App has taken the focus was meant for the page.
  if (!byPointer && inUse !== app && entered !== app) return true;
  inUse = app;
  thefts.delete(app);
  // The word of this click came so late that the focus was given back.
  if (byPointer && refused === app && !isTypingSecret()) app.focus({ preventScroll: true });
  return true;
}

const focusedApp = (): HTMLIFrameElement | undefined => appsIn(document).find(each => each === document.activeElement);

/** Gives the focus back if an App has taken it by itself. @param stop - removes an App that keeps doing so */
function giveBack(stop: (app: HTMLIFrameElement) => void): void {
  const app = focusedApp();
  if (!app || inUse === app || entered === app) return;
  const count = (thefts.get(app) ?? 0) + 1;
  thefts.set(app, count);
  refused = app;
  app.blur();
  if (had?.isConnected) had.focus({ preventScroll: true });
  else window.focus();
  if (count > mostThefts) stop(app);
}

/** Starts watching the focus. @param stop - removes an App that keeps taking the focus */
export function startAppUse(stop: (app: HTMLIFrameElement) => void): void {
  const onPage = (): void => {
    inUse = undefined;
    entered = undefined;
    tabbing = false;
  };
  const onPress = (): void => {
    refused = undefined;
    onPage();
  };
  document.addEventListener('pointerdown', onPress, true);
  document.addEventListener(
    'keydown',
    event => {
      onPress();
      tabbing = event.key === 'Tab';
    },
    true,
  );
  document.addEventListener('focusin', ({ target }) => {
    tabbing = false;
    if (target instanceof HTMLIFrameElement) entered = target;
    else if (target instanceof HTMLElement) had = target;
  });
  // The focus that goes nowhere, as by a click on a text; if an App takes it, it is there at once.
  document.addEventListener('focusout', () =>
    window.setTimeout(() => {
      if (document.activeElement === document.body) had = undefined;
    }),
  );
  window.addEventListener('focus', onPage);
  window.addEventListener('blur', () => {
    const app = focusedApp();
    const byTab = tabbing;
    tabbing = false;
    if (!app) return;
    if (byTab) entered = app;
    // A click is possible only where the pointer is. Chromium ignores focus that is moved while it is moving: not even a microtask is
    // late enough. If the page itself has moved it, it says so in between.
    window.setTimeout(giveBack, app.matches(':hover') ? wordMs : 0, stop);
  });
}
