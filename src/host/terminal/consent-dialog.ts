/** Everything that is not a form: opening pages, lending the model, telling directories. */
import {
  type Question,
  type Reply,
  type RootsQuestion,
  type SamplingReplyQuestion,
  type SamplingRequestQuestion,
  type UrlFinishQuestion,
  type UrlJudgement,
  type UrlQuestion,
  visible,
} from '../index.ts';
import { editText } from './edit-text.ts';
import type { Editor } from './editor.ts';
import { heading, quoted } from './frame.ts';
import type { Prompter } from './prompter.ts';

const dismiss: Reply = { action: 'dismiss' };
const decline: Reply = { action: 'decline' };

export interface ConsentOptions {
  readonly signal: AbortSignal;
  /** Opens a page; false where none could be opened. */
  readonly openUrl: (href: string) => Promise<boolean>;
  /** For texts of several lines. */
  readonly editor: Editor | undefined;
}

/** Asks a question that is not a form. Giving nothing dismisses it. */
export function consentDialog(
  question: Exclude<Question, { kind: 'form' }>,
  prompter: Prompter,
  options: ConsentOptions,
): Promise<Reply> {
  switch (question.kind) {
    case 'url':
      return urlDialog(question, prompter, options);
    case 'url-finish':
      return finishDialog(question, prompter, options);
    case 'sampling-request':
      return requestDialog(question, prompter, options);
    case 'sampling-reply':
      return replyDialog(question, prompter, options);
    case 'roots':
      return rootsDialog(question, prompter, options);
  }
}

/** A URL in full, with what is known about it. */
export function urlLines(url: UrlJudgement): readonly string[] {
  return [
    `  Address: ${visible(url.href, { max: 8_192 })}`,
    ...(url.parts.domain === '' ? [] : [`  Domain:  ${visible(url.parts.domain, { max: 300 })}`]),
    ...(url.readableHost === undefined ? [] : [`  Reads:   ${visible(url.readableHost, { max: 300 })}`]),
    ...url.warnings.map(warning => `  ! ${visible(warning.message, { max: 400 })}`),
  ];
}

const refusing = [
  { value: 'decline', label: 'Decline', hint: 'say no to the server' },
  { value: 'dismiss', label: 'Dismiss', hint: 'close it without saying yes or no' },
] as const;

async function urlDialog(question: UrlQuestion, prompter: Prompter, options: ConsentOptions): Promise<Reply> {
  const { url, message } = question;
  prompter.say([...heading(question), ...quoted(message), ...urlLines(url)]);
  const open = url.openable ? [{ value: 'open', label: 'Open this page in your browser' }] : [];
  const given = await prompter.choose({
    message: url.openable ? 'Open it?' : 'This address cannot be opened.',
    picks: [...open, ...refusing],
    initial: 'dismiss',
    signal: options.signal,
  });
  if (!given.given || given.value === 'dismiss') return dismiss;
  if (given.value === 'decline') return decline;
  const opened = await options.openUrl(url.href);
  if (!opened) prompter.say(['No browser could be opened here. Open the address above yourself.']);
  return { action: 'accept' };
}

async function finishDialog(question: UrlFinishQuestion, prompter: Prompter, options: ConsentOptions): Promise<Reply> {
  prompter.say([...heading(question), ...quoted(question.message), ...urlLines(question.url)]);
  const given = await prompter.choose({
    message: 'When you are done on the page:',
    picks: [
      { value: 'done', label: 'I have finished', hint: 'the call is tried again' },
      { value: 'cancel', label: 'Cancel the call' },
    ],
    signal: options.signal,
  });
  return given.given && given.value === 'done' ? { action: 'accept' } : dismiss;
}

type Block = Readonly<Record<string, unknown>>;

function blockLines(block: Block): readonly string[] {
  if (block['type'] === 'text') return quoted(String(block['text']), 4_000);
  const { type, data, mimeType, name, input } = block;
  if (type === 'tool_use') return quoted(`[uses the tool ${String(name)} with ${JSON.stringify(input)}]`, 1_000);
  if (type === 'tool_result') return quoted(`[a tool's result: ${JSON.stringify(block['content'])}]`, 1_000);
  return quoted(`[${String(type)} ${String(mimeType ?? '')}, ${String(data ?? '').length} characters of base64]`);
}

async function requestDialog(
  question: SamplingRequestQuestion,
  prompter: Prompter,
  options: ConsentOptions,
): Promise<Reply> {
  let { systemPrompt, messages, maxTokens } = question;
  let model = question.model.name;
  const { byHand } = question.model;
  const { signal } = options;
  for (;;) {
    prompter.say([
      ...heading(question),
      `Model: ${visible(model, { max: 100 })}${model === question.model.name ? ` (${visible(question.model.why, { max: 300 })})` : ''}`,
      ...(systemPrompt === undefined ? [] : ['System prompt:', ...quoted(systemPrompt, 4_000)]),
      ...messages.flatMap(message => [
        `${message.role === 'user' ? 'User' : 'Assistant'}:`,
        ...message.content.flatMap(blockLines),
      ]),
      `At most ${maxTokens} tokens.${question.tools.length === 0 ? '' : ` Tools: ${visible(question.tools.join(', '), { max: 500 })}.`}`,
      ...question.ignored.map(each => `Ignored: ${visible(each, { max: 300 })}`),
    ]);
    const given = await prompter.choose({
      message: byHand ? 'Reply in place of a model?' : 'Send this to your model?',
      picks: [
        byHand
          ? { value: 'send', label: 'Write the reply', hint: 'in the next step' }
          : { value: 'send', label: 'Send to the model', hint: 'you see the reply before the server does' },
        { value: 'text', label: 'Edit the last text' },
        ...(systemPrompt === undefined ? [] : [{ value: 'system', label: 'Edit the system prompt' }]),
        { value: 'tokens', label: 'Change the limit of tokens' },
        ...(question.models.length > 1 ? [{ value: 'model', label: 'Choose another model' }] : []),
        ...refusing,
      ],
      initial: 'dismiss',
      signal,
    });
    if (!given.given || given.value === 'dismiss') return dismiss;
    if (given.value === 'decline') return decline;
    if (given.value === 'send') {
      const content = {
        ...(systemPrompt !== question.systemPrompt && systemPrompt !== undefined && { systemPrompt }),
        ...(messages !== question.messages && { messages }),
        ...(maxTokens !== question.maxTokens && { maxTokens }),
        ...(model !== question.model.name && { model }),
      };
      return { action: 'accept', content };
    }
    if (given.value === 'tokens') {
      const most = question.maxTokens;
      const whole = (text: string): string | undefined =>
        /^[1-9]\d{0,8}$/.test(text) && Number(text) <= most ? undefined : `Write a whole number from 1 to ${most}.`;
      const text = await prompter.text({
        message: 'At most how many tokens',
        initial: String(maxTokens),
        validate: whole,
        signal,
      });
      if (text.given) maxTokens = Number(text.value);
    } else if (given.value === 'model') {
      const picks = question.models.map((name, at) => ({ value: String(at), label: visible(name, { max: 100 }) }));
      const initial = String(question.models.indexOf(model));
      const other = await prompter.choose({ message: 'Which model', picks, initial, signal });
      if (other.given) model = question.models[Number(other.value)] ?? model;
    } else if (given.value === 'system') {
      const prompt = { message: 'System prompt', initial: systemPrompt ?? '', validate: anything, signal };
      const text = await editText(prompter, options.editor, prompt);
      if (text.given) systemPrompt = text.value;
    } else {
      const edited = await editLastText(messages.at(-1)?.content ?? [], prompter, options);
      const last = messages.at(-1);
      if (edited && last) messages = [...messages.slice(0, -1), { ...last, content: edited }];
    }
  }
}

const handing = { value: 'send', label: 'Hand it over' } as const;
const writing = { value: 'text', label: 'Write the reply' } as const;

async function replyDialog(
  question: SamplingReplyQuestion,
  prompter: Prompter,
  options: ConsentOptions,
): Promise<Reply> {
  let { content } = question;
  const { byHand } = question.model;
  for (;;) {
    prompter.say([
      ...heading(question),
      byHand ? 'Your reply:' : `${visible(question.model.name, { max: 100 })} replied:`,
      ...content.flatMap(blockLines),
      ...question.notes.map(each => `Note: ${visible(each, { max: 300 })}`),
    ]);
    const given = await prompter.choose({
      message: 'Hand it to the server?',
      picks:
        byHand && content.every(block => block['text'] === '')
          ? [writing, handing, ...refusing]
          : [handing, { value: 'text', label: 'Edit the text' }, ...refusing],
      initial: 'dismiss',
      signal: options.signal,
    });
    if (!given.given || given.value === 'dismiss') return dismiss;
    if (given.value === 'decline') return decline;
    if (given.value === 'send') return { action: 'accept', content: content === question.content ? {} : { content } };
    content = (await editLastText(content, prompter, options)) ?? content;
  }
}

async function rootsDialog(question: RootsQuestion, prompter: Prompter, options: ConsentOptions): Promise<Reply> {
  const { roots } = question;
  prompter.say([
    ...heading(question),
    'It would be told of:',
    ...roots.map(root => `  ${visible(root.uri, { max: 500 })}`),
  ]);
  const given = await prompter.choose({
    message: 'Tell it?',
    picks: [
      { value: 'all', label: roots.length === 1 ? 'Tell it' : 'Tell it all of them' },
      ...(roots.length === 1 ? [] : [{ value: 'some', label: 'Choose some' }]),
      ...refusing,
    ],
    initial: 'dismiss',
    signal: options.signal,
  });
  if (!given.given || given.value === 'dismiss') return dismiss;
  if (given.value === 'decline') return decline;
  if (given.value === 'all') return { action: 'accept', content: { uris: roots.map(root => root.uri) } };
  const some = await prompter.chooseMany({
    message: 'Which ones?',
    picks: roots.map((root, index) => ({ value: String(index), label: visible(root.uri, { max: 500 }) })),
    initial: [],
    validate: () => undefined,
    signal: options.signal,
  });
  return some.given
    ? { action: 'accept', content: { uris: some.value.map(each => roots[Number(each)]!.uri) } }
    : dismiss;
}

const anything = (): undefined => undefined;

/** The blocks with the last text rewritten; undefined where there is none or nothing was given. */
async function editLastText(
  content: readonly Block[],
  prompter: Prompter,
  { signal, editor }: ConsentOptions,
): Promise<readonly Block[] | undefined> {
  const index = content.findLastIndex(block => block['type'] === 'text');
  const block = content[index];
  if (!block) return undefined;
  const initial = String(block['text']);
  const text = await editText(prompter, editor, { message: 'Text', initial, validate: anything, signal });
  if (!text.given || text.value === initial) return undefined;
  return content.with(index, { ...block, text: text.value });
}
