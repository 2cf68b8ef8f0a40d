/**
 * The card: the App that shows the question of a waiting call in the conversation of a host, and answers with a tool of its
 * server (packages/server/src/questions/card). It loads nothing, and keeps nothing: what it shows comes with the result of
 * the tool.
 *
 * A host may forbid forms in its frames, so nothing is ever submitted: buttons are clicked, and their clicks are handled.
 */
import { checkContent, type Issue, withWayBackField } from '@midcall/core/form';
import type { Html } from '@midcall/core/page';
import { visible } from '@midcall/core/text';
import { sendsLine } from '../../packages/host/src/web/client/lines.ts';
import { morph } from '../../packages/host/src/web/client/morph.ts';
import { startPressed, whenReleased } from '../../packages/host/src/web/client/pressed.ts';
import { contentOf, type Draft, draftOf, untouched, visitedIssues } from '../../packages/host/src/web/form/index.ts';
import { spelledLeft, texts } from '../../packages/host/src/web/texts/index.ts';
import { quoted } from '../../packages/server/src/questions/quoted.ts';
import { filter, toFiltered } from './filter.ts';
import { connectHost, type Host, isObject } from './host.ts';
import { type CardData, cardTexts, line, pageCard, questionCard, type Showing } from './view.ts';

/** The member of `_meta`, and the tool, of packages/server/src/questions/card/card-app.ts. */
const [KEY, TOOL] = ['io.github.midcall/card', 'midcall_answer'] as const;

type Members = Readonly<Record<string, unknown>>;

const root = document.getElementById('card')!;
let host: Host | undefined;
let args: Members = {};
let zone = Intl.DateTimeFormat().resolvedOptions().timeZone;
let open: CardData | undefined;
/** Fields that the person has left; all of them, once they have tried to send. */
let visited = new Set<string>();
let isSending = false;
let problem: string | undefined;
/** How many milliseconds the server's clock is ahead of the device's, which may be wrong. */
let ahead = 0;
/** Tickets that have been answered here: a host may send a result twice. */
const answered = new Set<string>();
/** The form as it was shown first: Esc dismisses at once if nothing was changed. */
let start = '';

const parsed = (markup: Html): DocumentFragment => {
  const template = document.createElement('template');
  template.innerHTML = markup.text;
  return template.content;
};

function put(markup: Html): void {
  const next = root.cloneNode(false) as HTMLElement;
  next.append(parsed(markup));
  morph(root, next);
  // What filters by script is of use here, where there is script.
  for (const box of root.querySelectorAll<HTMLInputElement>('[data-filter]')) {
    box.hidden = false;
    filter(box);
  }
}

const now = (): number => Date.now() + ahead;
const form = (): HTMLFormElement | null => root.querySelector('form');
const entered = (): Draft => draftOf([...new FormData(form()!)] as [string, unknown][]);

function issuesIn(draft: Draft): readonly Issue[] {
  const { fields } = open!.question!;
  const { content, issues } = contentOf(fields, draft);
  const checked = checkContent(fields, content);
  return checked.ok ? issues : [...issues, ...checked.issues];
}

/** @param draft - what the person has entered; if absent, the form is new */
function show(draft?: Draft): void {
  if (!open) return;
  const { question } = open;
  const showing: Omit<Showing, 'draft' | 'issues'> = { args, zone, now: now(), isSending, problem };
  if (!question) {
    put(pageCard(open, { ...showing, draft: new Map(), issues: [] }));
    return;
  }
  const { fields } = question;
  const shown = draft ?? untouched(fields, zone);
  const seen = new Map([...shown, ['visited', [...visited]] as const]);
  put(questionCard(open, { ...showing, draft: shown, issues: visitedIssues(fields, seen, issuesIn(shown)) }));
  if (draft === undefined) start = JSON.stringify([...entered()]);
}

function showLine(text: string, detail?: string): void {
  open = undefined;
  put(line(text, detail));
}

/** What the server tells the card with a result. */
function toldIn(result: Members): Members {
  const told = isObject(result['_meta']) ? result['_meta'][KEY] : undefined;
  return isObject(told) ? told : {};
}

/** Reads what the server gives the card; undefined if that is nothing it can show. */
function cardIn(result: Members): CardData | undefined {
  const meta = toldIn(result);
  if (typeof meta['ticket'] !== 'string' || typeof meta['tool'] !== 'string') return undefined;
  const { question, page } = meta;
  const data = { ...meta, dueAt: Date.parse(String(meta['deadline'])) } as never as CardData;
  if (isObject(page) && typeof page['url'] === 'string') return { ...data, page: page as never };
  if (!isObject(question) || !Array.isArray(question['fields'])) return undefined;
  const fields = withWayBackField(question['fields'], question['wayBack']);
  return { ...data, question: { message: String(question['message']), fields } };
}

/** @param isNext - true if it follows an answer that was given here, so that the focus goes to it */
function take(result: Members, isNext: boolean): boolean {
  const card = cardIn(result);
  // What becomes of an answer that is on its way belongs to the question that is shown.
  if (!card || isSending || answered.has(card.ticket)) return false;
  if (open?.ticket === card.ticket) return true;
  open = card;
  visited = new Set();
  problem = undefined;
  // Another form is another element: nothing of the one before it is kept.
  root.replaceChildren();
  show();
  if (isNext) root.querySelector<HTMLElement>('h2')?.focus({ preventScroll: true });
  void report(card);
  return true;
}

/** Tells the server that the person sees the question, which may have been answered elsewhere. */
async function report({ ticket }: CardData): Promise<void> {
  const result = await host
    ?.request('tools/call', { name: TOOL, arguments: { ticket, shown: true } })
    .catch(() => ({}));
  if (!isObject(result)) return;
  const { isRefused, isAnswered, now: serverNow } = toldIn(result);
  if (typeof serverNow === 'number') ahead = serverNow - Date.now();
  tick();
  if (open?.ticket !== ticket || isSending) return;
  if (isRefused === true) showLine(textOf(result));
  else if (isAnswered === true) showLine(cardTexts.answeredBefore);
}

/** The text of a result, for the person and for the model. */
function textOf({ content, structuredContent }: Members): string {
  const blocks = Array.isArray(content) ? content.filter(isObject) : [];
  const text = blocks.flatMap(({ type, text: said }) => (type === 'text' ? [String(said)] : [])).join('\n');
  return text === '' && structuredContent !== undefined ? JSON.stringify(structuredContent) : text;
}

type Action = keyof typeof cardTexts.how;

/** For the model. */
const did: Readonly<Record<Action, string>> = { accept: 'answered', decline: 'declined', cancel: 'dismissed' };

async function answer(action: Action, content?: Members): Promise<void> {
  if (!open || !host || isSending) return;
  const { ticket, tool, question } = open;
  const draft = question && entered();
  isSending = true;
  problem = undefined;
  show(draft);
  try {
    const sent = { ticket, action, ...(content && { content }) };
    const result = await host.request('tools/call', { name: TOOL, arguments: sent });
    isSending = false;
    const { isRefused, isAnswered, isUnderWay } = toldIn(result);
    if (isUnderWay === true) {
      problem = cardTexts.underWay;
      show(draft);
      return;
    }
    answered.add(ticket);
    if (take(result, true)) return;
    const text = textOf(result);
    const done = question ? cardTexts.how[action] : cardTexts.pageDone;
    showLine(isAnswered === true ? cardTexts.answeredBefore : isRefused === true ? cardTexts.notTaken : done, text);
    root.querySelector<HTMLElement>('.line')?.focus({ preventScroll: true });
    if (isRefused === true || (await tell(action, tool, text)) || open) return;
    showLine(`${done} ${cardTexts.untold}`, text);
  } catch (error) {
    isSending = false;
    problem = cardTexts.unknown(error instanceof Error ? error.message : String(error));
    show(draft);
  }
}

/** Asks something of the host itself. @returns false if the host refuses, which it may also do in its result */
const ask = (method: string, params: Members): Promise<boolean> =>
  host!.request(method, params).then(
    ({ isError }) => isError !== true,
    () => false,
  );

/**
 * Lets the conversation go on. What the tool says is told to the model as context; only if the host takes no context, it is quoted
 * in the message, which has the person's name on it.
 * @returns false if the host takes no message, so that nothing goes on by itself
 */
async function tell(action: Action, tool: string, outcome: string): Promise<boolean> {
  const question = `the question of '${visible(tool, { max: 200 })}'`;
  const context = `The person ${did[action]} ${question}, and the call went on. It ended with this result:\n${outcome}`;
  const told = await ask('ui/update-model-context', { content: [{ type: 'text', text: context }] });
  const text = told
    ? `I ${did[action]} ${question}.`
    : [`I ${did[action]} ${question}. The tool says:`, ...quoted(outcome)].join('\n');
  const block = { type: 'text', text };
  const send = (content: unknown): Promise<boolean> => ask('ui/message', { role: 'user', content });
  // The text of the extension has one block, its schema a list of them.
  return (await send([block])) || send(block);
}

/** Sends the form, if it can be sent. @param back - the control of the way back that was taken, and its choice */
function send(back?: readonly [string, string]): void {
  const { fields } = open!.question!;
  const draft = new Map(entered());
  if (back) draft.set(back[0], [back[1]]);
  visited = new Set(fields.map((_, at) => `f${at}`));
  const wrong = issuesIn(draft);
  if (wrong.length === 0) {
    void answer('accept', contentOf(fields, draft).content);
    return;
  }
  show(draft);
  const first = root.querySelector<HTMLElement>('[aria-invalid=true]');
  (first?.matches('fieldset') ? first.querySelector<HTMLElement>('input') : first)?.focus();
}

async function openPage(url: string): Promise<void> {
  problem = (await ask('ui/open-link', { url })) ? undefined : cardTexts.notOpened;
  show();
}

function act(button: HTMLButtonElement): void {
  const { action, back } = button.dataset;
  if (open?.page && action === 'open') void openPage(open.page.url);
  if (!open || isSending) return;
  if (back !== undefined) send([back, button.value]);
  else if (action === 'finished') void answer('accept');
  else if (action === 'accept') send();
  else if (action === 'decline' || action === 'cancel') void answer(action);
}

/** Esc dismisses; if something was entered, only when it is pressed again. */
function dismiss(): void {
  const warning = document.getElementById('leaving');
  if (warning && warning.textContent === '' && JSON.stringify([...entered()]) !== start)
    warning.textContent = texts.question.escAgain;
  else void answer('cancel');
}

function onKey(event: KeyboardEvent): void {
  if (!open?.question || isSending || event.isComposing) return;
  const at = event.target as HTMLElement;
  const isFilter = at instanceof HTMLInputElement && at.dataset['filter'] !== undefined;
  if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) send();
  else if (isFilter && (event.key === 'Enter' || event.key === 'ArrowDown')) toFiltered(at);
  else if (isFilter && event.key === 'Escape' && at.value !== '') {
    at.value = '';
    filter(at);
  } else if (event.key === 'Enter' && (at instanceof HTMLInputElement || sendsLine(event))) send();
  else if (event.key === 'Escape') dismiss();
  else return;
  event.preventDefault();
}

function onInput({ target, type }: Event): void {
  if (!(target instanceof HTMLElement) || !open?.question) return;
  if (target instanceof HTMLInputElement && target.dataset['filter'] !== undefined) {
    filter(target);
    return;
  }
  const name = (target as HTMLInputElement).name.replace(/\.zone$/, '');
  const warning = document.getElementById('leaving');
  if (warning) warning.textContent = '';
  if (type === 'change') visited.add(name);
  void whenReleased().then(() => open?.question && !isSending && show(entered()));
}

root.addEventListener('click', event => {
  const button = (event.target as Element).closest('button');
  if (!button) return;
  event.preventDefault();
  act(button);
});
root.addEventListener('submit', event => event.preventDefault());
root.addEventListener('input', onInput);
root.addEventListener('change', onInput);
document.addEventListener('keydown', onKey);
startPressed();

function tick(): void {
  const left = document.getElementById('left');
  if (!open || !left || isSending) return;
  const ms = open.dueAt - now();
  left.textContent = spelledLeft(ms);
  left.hidden = left.textContent === '';
  // The form stays: whether an answer is too late, the server decides.
  document.getElementById('late')!.hidden = ms > 0;
}
setInterval(tick, 1_000);

put(line(cardTexts.waiting));
void connectHost({
  input: given => {
    args = given;
    if (open?.question) show(entered());
  },
  result: result => {
    // Until the first request of the host has been answered, there is nobody to report to.
    if (!take(result, false) && !open) showLine(cardTexts.nothing);
  },
  cancelled: () => showLine(cardTexts.cancelled),
  context: ({ theme, timeZone }) => {
    if (theme === 'light' || theme === 'dark') document.documentElement.dataset['theme'] = theme;
    if (typeof timeZone === 'string' && !open) zone = timeZone;
  },
}).then(connected => {
  host = connected;
  const tellSize = (): void => {
    const { width, height } = document.documentElement.getBoundingClientRect();
    host?.notify('ui/notifications/size-changed', { width: Math.ceil(width), height: Math.ceil(height) });
  };
  new ResizeObserver(tellSize).observe(document.documentElement);
  if (open) void report(open);
});
