/**
 * The host's side of an App in its frame: JSON-RPC by `postMessage`, as MCP Apps 2026-01-26 defines it, as far as a question or
 * a result needs it.
 *
 * - app-messages-M1 A message counts only if it comes from the window of an App's frame, with an opaque origin.
 * - app-messages-M2 An App fills in the form and never sends it. It does so only while the person uses the App (`app-use.ts`), and
 *   its latest change cannot be sent by a click that was meant for the content before it.
 * - app-messages-M3 An App that sends too much, or keeps taking the focus, is removed, and does not come back with an update.
 * - app-messages-M4 An App with a result is given the arguments and the result, and may call the tools of its server that are for
 *   Apps alone. It is refused everything else: no page is opened, and nothing said in its name.
 * - app-messages-M5 An App that is leaving is refused everything, and is heard only when it says that it has ended.
 */
import { hearUse, isTypingSecret, isUsed, startAppUse } from './app-use.ts';
import { fieldsOf } from './fields.ts';
import { morph } from './morph.ts';
import { fetched } from './page.ts';
import { appsIn, askToEnd, hearAnswer, isLeaving, markReady } from './teardown.ts';

const protocolVersion = '2026-01-26';
/** The most messages an App may send at once, and how many more each second allows. */
const [mostAtOnce, perSecond] = [60, 20];
/** For how many milliseconds a form that an App has changed is not sent. */
const lookMs = 600;
const [leastHeight, mostHeight] = [60, 640];

interface Allowance {
  left: number;
  at: number;
}

const allowances = new WeakMap<HTMLIFrameElement, Allowance>();
const changedAt = new WeakMap<HTMLFormElement, number>();
const waiting = new WeakMap<HTMLIFrameElement, { running: boolean; next: (() => Promise<void>) | undefined }>();

type Message = Readonly<Record<string, unknown>>;

const isObject = (value: unknown): value is Message =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** True while an App may send; counts one message. */
function mayStill(frame: HTMLIFrameElement): boolean {
  const now = performance.now();
  const before = allowances.get(frame) ?? { left: mostAtOnce, at: now };
  const left = Math.min(mostAtOnce, before.left + ((now - before.at) / 1_000) * perSecond) - 1;
  allowances.set(frame, { left, at: now });
  return left >= 0;
}

/** An update changes nothing where an App was put away: it would bring the App back. */
function keepPlace(of: Element, keep: boolean): void {
  const place = of.closest<HTMLElement>('.app');
  if (keep) place?.setAttribute('data-morph', 'keep');
  else place?.removeAttribute('data-morph');
}

/** Stops an App. It is told, but not waited for: its answer would come after everything else that it has sent. */
function stop(frame: HTMLIFrameElement, reason: string, note: string | undefined): void {
  void askToEnd(frame, reason);
  keepPlace(frame, true);
  const said = document.createElement('p');
  said.className = 'help';
  said.setAttribute('role', 'status');
  said.textContent = note ?? '';
  frame.replaceWith(said);
}

function onMessage(event: MessageEvent<unknown>): void {
  const frame = appsIn(document).find(each => each.contentWindow === event.source);
  if (!frame || event.origin !== 'null') return;
  const { data } = event;
  if (isObject(data) && hearUse(frame, data)) return;
  if (!mayStill(frame)) {
    stop(frame, 'It has sent too much.', frame.dataset['stopped']);
    return;
  }
  if (!isObject(data) || data['jsonrpc'] !== '2.0') return;
  const { id, method } = data;
  if (typeof method !== 'string') {
    if ('result' in data || 'error' in data) hearAnswer(frame, id);
    return;
  }
  const params = isObject(data['params']) ? data['params'] : {};
  const post = (message: object): void => frame.contentWindow?.postMessage({ jsonrpc: '2.0', ...message }, '*');
  const isRequest = typeof id === 'string' || typeof id === 'number';
  const answer = (result: object): void => (isRequest ? post({ id, result }) : undefined);
  const refuse = (code: number, message: string): void =>
    isRequest ? post({ id, error: { code, message } }) : undefined;
  if (isLeaving(frame)) {
    refuse(-32000, 'This App is being closed.');
    return;
  }
  switch (method) {
    case 'ui/initialize':
      answer({
        protocolVersion,
        hostInfo: { name: 'midcall-desk', version: '1' },
        hostCapabilities: frame.dataset['call'] === undefined ? {} : { serverTools: {} },
        hostContext: context(),
      });
      return;
    case 'ui/notifications/initialized':
      markReady(frame);
      post({
        method: 'ui/notifications/tool-input',
        params: { arguments: JSON.parse(frame.dataset['arguments'] ?? '{}') },
      });
      void tellResult(frame, post).catch(() => {});
      return;
    case 'ui/notifications/size-changed':
      if (typeof params['height'] === 'number' && Number.isFinite(params['height']))
        frame.style.height = `${Math.min(mostHeight, Math.max(leastHeight, Math.ceil(params['height'])))}px`;
      return;
    case 'ui/request-display-mode':
      answer({ mode: 'inline' });
      return;
    case 'tools/call':
      void callTool(frame, params, answer, refuse).catch(() => refuse(-32603, 'The tool could not be called.'));
      return;
    case 'ping':
      answer({});
      return;
    default:
      if (method === 'ui/update-model-context' && frame.dataset['propose'] !== undefined)
        propose(frame, params['structuredContent'], answer, refuse);
      else refuse(-32601, `This host does not have ${method.slice(0, 100)}.`);
  }
}

/** The result that each App shows, fetched once however often the App says that it is ready. */
const results = new WeakMap<HTMLIFrameElement, Promise<unknown>>();

/** Gives an App the result that it shows; the App of a question has none. */
async function tellResult(frame: HTMLIFrameElement, post: (message: object) => void): Promise<void> {
  const path = frame.dataset['result'];
  if (path === undefined) return;
  const result = results.get(frame) ?? fetch(path).then(response => (response.ok ? response.json() : undefined));
  results.set(frame, result);
  const params = await result;
  if (params !== undefined) post({ method: 'ui/notifications/tool-result', params });
}

/** Calls a tool of its server for an App that shows a result; the desk decides whether it may (apps-A4). */
async function callTool(
  frame: HTMLIFrameElement,
  { name, arguments: args }: Message,
  answer: (result: object) => void,
  refuse: (code: number, message: string) => void,
): Promise<void> {
  const { call: path, token: csrf = '' } = frame.dataset;
  if (path === undefined) {
    refuse(-32601, 'This host does not have tools/call.');
    return;
  }
  const body = new URLSearchParams({ csrf, request: JSON.stringify({ name, arguments: args }) });
  const response = await fetch(path, { method: 'POST', body });
  const got: unknown = response.ok ? await response.json() : undefined;
  if (isObject(got) && isObject(got['result'])) answer(got['result']);
  else {
    const error = isObject(got) && isObject(got['error']) ? got['error'] : {};
    refuse(Number(error['code'] ?? -32603), String(error['message'] ?? 'The tool could not be called.'));
  }
}

function context(): object {
  const dark =
    document.documentElement.dataset['theme'] ??
    (matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light');
  return {
    theme: dark,
    displayMode: 'inline',
    availableDisplayModes: ['inline'],
    containerDimensions: { maxHeight: mostHeight },
    locale: navigator.language,
    platform: 'web',
  };
}

/** Puts a proposal into the form; of several that come while one is in progress, the last one. */
function propose(
  frame: HTMLIFrameElement,
  content: unknown,
  answer: (result: object) => void,
  refuse: (code: number, message: string) => void,
): void {
  const form = frame.closest('form');
  const path = frame.dataset['propose'];
  if (!form || path === undefined || !isObject(content)) {
    refuse(-32602, 'The structuredContent must be an object of field values.');
    return;
  }
  if (!isUsed(frame)) {
    refuse(-32000, 'The person is not in the App.');
    return;
  }
  const queue = waiting.get(frame) ?? { running: false, next: undefined };
  waiting.set(frame, queue);
  queue.next = async () => {
    const body = fieldsOf(form);
    body.set('proposal', JSON.stringify(content));
    const response = await fetch(path, { method: 'POST', body });
    const text = await response.text();
    if (!response.ok) {
      refuse(-32602, response.status === 422 ? text : 'The question is not open any more.');
      return;
    }
    const next = fetched(text).getElementById(form.id);
    if (next && isUsed(frame)) {
      changedAt.set(form, performance.now());
      morph(form, next);
      answer({});
    } else refuse(-32000, 'The person is not in the App.');
  };
  if (!queue.running) void run(queue);
}

async function run(queue: { running: boolean; next: (() => Promise<void>) | undefined }): Promise<void> {
  queue.running = true;
  while (queue.next) {
    const { next } = queue;
    queue.next = undefined;
    await next().catch(() => {});
  }
  queue.running = false;
}

/** A click right after a change was meant for the content before it. */
function onSubmit(event: SubmitEvent): void {
  const changed = changedAt.get(event.target as HTMLFormElement);
  const action = (event.submitter as HTMLButtonElement | null)?.value ?? 'accept';
  if (action !== 'accept' || changed === undefined || performance.now() - changed > lookMs) return;
  event.preventDefault();
  event.stopImmediatePropagation();
}

/** What stands on the page for each App that is set aside, and a frame to load it again. */
const aside = new Map<HTMLElement, HTMLIFrameElement>();

/** Takes an App off the page, with what it has done so far, until no secret is typed any more; nothing moves. */
function setAside(frame: HTMLIFrameElement): void {
  if (isLeaving(frame)) {
    frame.remove();
    return;
  }
  const again = frame.cloneNode() as HTMLIFrameElement;
  again.removeAttribute('src');
  const place = document.createElement('p');
  place.className = 'app-aside help';
  place.style.height = `${frame.offsetHeight}px`;
  place.textContent = frame.dataset['aside'] ?? '';
  aside.set(place, again);
  keepPlace(frame, true);
  frame.replaceWith(place);
}

/** Loads the Apps of the page that are not loaded yet; while a secret is typed, there are none (`app-use.ts`). */
function load(): void {
  if (isTypingSecret()) {
    appsIn(document).forEach(setAside);
    return;
  }
  for (const [place, frame] of aside) {
    keepPlace(place, false);
    place.replaceWith(frame);
  }
  aside.clear();
  for (const frame of document.querySelectorAll<HTMLIFrameElement>('iframe[data-src]:not([src])'))
    frame.src = frame.dataset['src'] ?? '';
}

/** Starts listening to Apps; call it before forms are handled. */
export function startApps(): void {
  window.addEventListener('message', onMessage);
  document.addEventListener('submit', onSubmit, true);
  document.addEventListener('midcall:shown', load);
  document.addEventListener('focusin', load);
  document.addEventListener('focusout', () => window.setTimeout(load));
  startAppUse(frame => stop(frame, 'It keeps taking the focus.', frame.dataset['intruded']));
  load();
}
