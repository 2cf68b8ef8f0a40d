/**
 * Takes elements off the page. If an App runs in one, it stays, unseen, until the App has ended what it does: MCP Apps
 * 2026-01-26, *ui/resource-teardown*. A frame cannot be put elsewhere meanwhile, since moving it loads it again.
 *
 * - app-teardown-T1 An App that has said that it is ready is asked to end before its frame goes, and its frame goes when it has
 *   answered, or after `answerMs`. Any other goes at once.
 * - app-teardown-T2 Of an element that is leaving, only the frames and what holds them are left, without attributes, so that
 *   nothing of it is seen, gets the focus, is sent or is found.
 * - app-teardown-T3 An App answers only for itself, by the id of the request.
 * - app-teardown-T4 When the page is left, Apps are asked as early as possible, since nothing can be waited for: at `pagehide`
 *   a browser may deliver nothing more to a frame. Until then they go on, as the person may stay.
 */

/** For how many milliseconds an App may end what it does. */
const answerMs = 500;

/** Apps that have said that they are ready; before that, nothing may be asked of them. */
const ready = new WeakSet<HTMLIFrameElement>();

/** Apps that have been asked to end, each with what resolves when it has. */
const asked = new WeakMap<HTMLIFrameElement, Promise<void>>();

/** The requests that wait for their answers, by their ids. */
const open = new Map<string, { readonly frame: HTMLIFrameElement; readonly end: () => void }>();

const leaving = new WeakSet<Node>();
let lastNumber = 0;

/** The Apps in a part of the page, and the one that it may be. */
export const appsIn = (part: Element | Document): readonly HTMLIFrameElement[] => [
  ...(part instanceof HTMLIFrameElement && part.dataset['src'] !== undefined ? [part] : []),
  ...part.querySelectorAll<HTMLIFrameElement>('iframe[data-src]'),
];

/** An App has said that it is ready. */
export function markReady(app: HTMLIFrameElement): void {
  ready.add(app);
}

/** True for an element that has been taken off the page but for its Apps, and for these. */
export const isLeaving = (node: Node): boolean => leaving.has(node);

/**
 * Asks an App to end, once.
 * @returns resolves when it has, or has had the time for it; undefined if it was never ready
 */
export function askToEnd(app: HTMLIFrameElement, reason: string): Promise<void> | undefined {
  if (!ready.has(app) || asked.has(app)) return asked.get(app);
  lastNumber += 1;
  // Unlike the ids that Apps give their own requests, which some do not tell apart.
  const id = `teardown-${lastNumber}`;
  const ended = new Promise<void>(resolve => {
    const timer = window.setTimeout(() => end(), answerMs);
    const end = (): void => {
      window.clearTimeout(timer);
      open.delete(id);
      resolve();
    };
    open.set(id, { frame: app, end });
  });
  asked.set(app, ended);
  app.contentWindow?.postMessage({ jsonrpc: '2.0', id, method: 'ui/resource-teardown', params: { reason } }, '*');
  return ended;
}

/** An App has answered a request, well or not. */
export function hearAnswer(app: HTMLIFrameElement, id: unknown): void {
  const request = typeof id === 'string' ? open.get(id) : undefined;
  if (request?.frame === app) request.end();
}

/** Removes an element at once, or when the Apps that run in it have ended. */
export function takeAway(node: ChildNode): void {
  const apps = node instanceof HTMLElement ? appsIn(node).filter(app => ready.has(app)) : [];
  if (!(node instanceof HTMLElement) || apps.length === 0) {
    node.remove();
    return;
  }
  // What was typed beside an App is sent while it can be read.
  document.dispatchEvent(new CustomEvent('midcall:leaving'));
  const { activeElement } = document;
  if (activeElement instanceof HTMLElement && node.contains(activeElement)) activeElement.blur();
  hollowOut(node, apps);
  node.hidden = true;
  node.inert = true;
  for (const each of [node, ...apps]) leaving.add(each);
  void Promise.all(apps.map(app => askToEnd(app, 'The page does not show this any more.'))).then(() => node.remove());
}

/** Leaves the Apps of an element, and what holds them. */
function hollowOut(element: Element, apps: readonly HTMLIFrameElement[]): void {
  const holders = new Set<Node>();
  for (const app of apps)
    for (let at: Node = app; at !== element && at.parentNode; at = at.parentNode) holders.add(at.parentNode);
  for (const holder of holders) {
    for (const child of [...holder.childNodes])
      if (!holders.has(child) && !apps.some(app => app === child)) child.remove();
    if (holder instanceof Element) for (const { name } of [...holder.attributes]) holder.removeAttribute(name);
  }
}

function leave(): void {
  for (const app of appsIn(document)) void askToEnd(app, 'The page is being left.');
}

/** Starts asking Apps to end when the page is left; call it after what may hold the person back is set up. */
export function startTeardown(): void {
  window.addEventListener('beforeunload', event => {
    if (!event.defaultPrevented) leave();
  });
  window.addEventListener('pagehide', leave);
}
