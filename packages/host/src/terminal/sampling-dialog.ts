/**
 * Consent to using the model: to the request before the model sees it, and to the reply before the server does; each may be
 * edited.
 */
import {
  type Reply,
  type SamplingPrompt,
  type SamplingReplyQuestion,
  type SamplingRequestQuestion,
  visible,
  wishLines,
} from '../index.ts';
import { editText } from './edit-text.ts';
import type { Editor } from './editor.ts';
import { heading, quoted } from './frame.ts';
import type { Prompter, PromptResult } from './prompter.ts';
import { askToLeave, decline, dismiss, refusing } from './ways-out.ts';

export interface ModelOptions {
  readonly signal: AbortSignal;
  /** Where the person edits texts of several lines. */
  readonly editor: Editor | undefined;
  /** An IANA name. */
  readonly timeZone: string;
}

type Block = Readonly<Record<string, unknown>>;

function blockLines(block: Block): readonly string[] {
  if (block['type'] === 'text') return quoted(String(block['text']), 4_000);
  const { type, data, mimeType, name, input } = block;
  if (type === 'tool_use') return quoted(`[uses the tool ${String(name)} with ${JSON.stringify(input)}]`, 1_000);
  if (type === 'tool_result') return quoted(`[a tool's result: ${JSON.stringify(block['content'])}]`, 1_000);
  return quoted(`[${String(type)} ${String(mimeType ?? '')}, ${String(data ?? '').length} characters of base64]`);
}

/** What a model is sent, and how it is to run. */
function promptLines({ systemPrompt, messages, maxTokens, tools, wishes }: SamplingPrompt): readonly string[] {
  return [
    ...(systemPrompt === undefined ? [] : ['System prompt:', ...quoted(systemPrompt, 4_000)]),
    ...messages.flatMap(({ role, content }) => [
      `${role === 'user' ? 'User' : 'Assistant'}:`,
      ...content.flatMap(blockLines),
    ]),
    `At most ${maxTokens} tokens.${tools.length === 0 ? '' : ` Tools: ${visible(tools.join(', '), { max: 500 })}.`}`,
    ...wishLines(wishes).map(([name, value]) => `${name}: ${visible(value, { max: 500 })}`),
  ];
}

/** Asks before a model runs. A prompt left without an answer dismisses the question. */
export async function requestDialog(
  question: SamplingRequestQuestion,
  prompter: Prompter,
  options: ModelOptions,
): Promise<Reply> {
  let { systemPrompt, messages, maxTokens } = question;
  let model = question.model.name;
  const { byHand } = question.model;
  const { signal } = options;
  const texts: LeftTexts = new Map();
  const written = (): boolean =>
    texts.size > 0 || messages !== question.messages || systemPrompt !== question.systemPrompt;
  for (;;) {
    prompter.say([
      ...heading(question, options.timeZone),
      `Model: ${visible(model, { max: 100 })}${model === question.model.name ? ` (${visible(question.model.why, { max: 300 })})` : ''}`,
      ...promptLines({ ...question, ...(systemPrompt !== undefined && { systemPrompt }), messages, maxTokens }),
      ...question.ignored.map(each => `Ignored: ${visible(each, { max: 300 })}`),
    ]);
    const chosen = await prompter.choose({
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
    if (!chosen.answered && written()) {
      const leaving = await leave(prompter, signal);
      if (leaving !== 'stay') return leaving;
      continue;
    }
    if (!chosen.answered || chosen.value === 'dismiss') return dismiss;
    if (chosen.value === 'decline') return decline;
    if (chosen.value === 'send') {
      const content = {
        ...(systemPrompt !== question.systemPrompt && systemPrompt !== undefined && { systemPrompt }),
        ...(messages !== question.messages && { messages }),
        ...(maxTokens !== question.maxTokens && { maxTokens }),
        ...(model !== question.model.name && { model }),
      };
      return { action: 'accept', content };
    }
    if (chosen.value === 'tokens') {
      const most = question.maxTokens;
      const whole = (text: string): string | undefined =>
        /^[1-9]\d{0,8}$/.test(text) && Number(text) <= most ? undefined : `Write a whole number from 1 to ${most}.`;
      const text = await prompter.text({
        message: 'At most how many tokens',
        initial: String(maxTokens),
        validate: whole,
        signal,
      });
      if (text.answered) maxTokens = Number(text.value);
    } else if (chosen.value === 'model') {
      const picks = question.models.map((name, at) => ({ value: String(at), label: visible(name, { max: 100 }) }));
      const initial = String(question.models.indexOf(model));
      const other = await prompter.choose({ message: 'Which model', picks, initial, signal });
      if (other.answered) model = question.models[Number(other.value)] ?? model;
    } else if (chosen.value === 'system') {
      const initial = texts.get('system') ?? systemPrompt ?? '';
      const text = await editText(prompter, options.editor, {
        message: 'System prompt',
        initial,
        validate: anything,
        signal,
      });
      systemPrompt = note(texts, 'system', text) ?? systemPrompt;
    } else {
      const edited = await editLastText(messages.at(-1)?.content ?? [], texts, prompter, options);
      const last = messages.at(-1);
      if (edited && last) messages = [...messages.slice(0, -1), { ...last, content: edited }];
    }
  }
}

const handing = { value: 'send', label: 'Send to the server' } as const;
const writing = { value: 'text', label: 'Write the reply' } as const;

/** Asks before a reply is sent. A prompt left without an answer dismisses the question. */
export async function replyDialog(
  question: SamplingReplyQuestion,
  prompter: Prompter,
  options: ModelOptions,
): Promise<Reply> {
  let { content } = question;
  const { byHand } = question.model;
  const texts: LeftTexts = new Map();
  for (;;) {
    prompter.say([
      ...heading(question, options.timeZone),
      'The prompt:',
      ...promptLines(question.prompt),
      byHand ? 'Your reply:' : `${visible(question.model.name, { max: 100 })} replied:`,
      ...content.flatMap(blockLines),
      ...question.notes.map(each => `Note: ${visible(each, { max: 300 })}`),
    ]);
    const chosen = await prompter.choose({
      message: 'Send it to the server?',
      picks:
        byHand && content.every(block => String(block['text']).trim() === '')
          ? [writing, ...refusing]
          : [handing, { value: 'text', label: 'Edit the text' }, ...refusing],
      initial: 'dismiss',
      signal: options.signal,
    });
    if (!chosen.answered && (texts.size > 0 || content !== question.content)) {
      const leaving = await leave(prompter, options.signal);
      if (leaving !== 'stay') return leaving;
      continue;
    }
    if (!chosen.answered || chosen.value === 'dismiss') return dismiss;
    if (chosen.value === 'decline') return decline;
    if (chosen.value === 'send') return { action: 'accept', content: content === question.content ? {} : { content } };
    content = (await editLastText(content, texts, prompter, options)) ?? content;
  }
}

const anything = (): undefined => undefined;

/** Texts that were being edited when the person went a step back; they are offered again when editing resumes. */
type LeftTexts = Map<'system' | 'last', string>;

/** Records the outcome of editing a text. @returns the new text, if there is one */
function note(texts: LeftTexts, which: 'system' | 'last', text: PromptResult<string>): string | undefined {
  if (text.answered) texts.delete(which);
  else if (text.typed !== undefined) texts.set(which, text.typed);
  return text.answered ? text.value : undefined;
}

/** Asks the person before their edits are lost, unless nobody is there or the question is over. */
async function leave(prompter: Prompter, signal: AbortSignal): Promise<'stay' | Reply> {
  if (signal.aborted || prompter.starved) return dismiss;
  const leaving = await askToLeave(prompter, signal);
  return typeof leaving === 'object' ? leaving : 'stay';
}

/** The blocks with the last text replaced; undefined if there is none or it was left without an answer. */
async function editLastText(
  content: readonly Block[],
  texts: LeftTexts,
  prompter: Prompter,
  { signal, editor }: ModelOptions,
): Promise<readonly Block[] | undefined> {
  const index = content.findLastIndex(block => block['type'] === 'text');
  const block = content[index];
  if (!block) return undefined;
  const initial = texts.get('last') ?? String(block['text']);
  const edited = await editText(prompter, editor, { message: 'Text', initial, validate: anything, signal });
  const text = note(texts, 'last', edited);
  return text === undefined || text === block['text'] ? undefined : content.with(index, { ...block, text });
}
