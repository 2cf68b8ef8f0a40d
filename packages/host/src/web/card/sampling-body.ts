/** The body of the cards that let a server use the person's model: the request and the reply, both editable. */
import { attributes, type Html, html } from '@midcall/core/page';
import {
  type SamplingPrompt,
  type SamplingReplyQuestion,
  type SamplingRequestQuestion,
  wishLines,
} from '../../index.ts';
import { type Draft, first } from '../form/index.ts';
import { visibleHtml, visibleJsonHtml } from '../html/index.ts';
import { texts } from '../texts/index.ts';
import { problemSummary } from './form-body.ts';
import type { CardBody, CardContext } from './frame.ts';

type Block = Readonly<Record<string, unknown>>;

const isText = (block: Block): block is { type: 'text'; text: string } =>
  block['type'] === 'text' && typeof block['text'] === 'string';

function editor(id: string, name: string, label: string, text: string): Html {
  const rows = Math.min(14, Math.max(2, Math.ceil(text.length / 80), text.split('\n').length));
  return html`<div class="field"><label for="${id}">${label}</label><textarea${attributes({ id, name, rows })}>\n${text}</textarea></div>`;
}

function opaque(block: Block): Html {
  return html`<div class="opaque"><p class="help">${texts.sampling.notText(String(block['type']))}</p><pre tabindex="0">${visibleJsonHtml(block, 4_000)}</pre></div>`;
}

function blocks(scope: string, prefix: string, label: string, all: readonly Block[], draft: Draft | undefined): Html {
  return html`${all.map((block, at) => {
    const name = `${prefix}.b${at}`;
    if (!isText(block)) return opaque(block);
    return editor(`${scope}-${name}`, name, label, (draft && first(draft, name)) ?? block.text);
  })}`;
}

const fact = (name: string, value: Html): Html => html`<div><dt>${name}</dt><dd>${value}</dd></div>`;

const modelFact = (model: { readonly name: string; readonly why: string }): Html =>
  fact(
    texts.sampling.model,
    html`<strong>${visibleHtml(model.name, 120)}</strong> <span class="quiet-text">${visibleHtml(model.why, 300)}</span>`,
  );

/** Which model, if there are several; a choice is posted as its position. */
function modelChoice({ id, model, models }: SamplingRequestQuestion, draft: Draft | undefined): Html {
  const own = `q-${id}-model`;
  const chosen = (draft && first(draft, 'model')) ?? String(models.indexOf(model.name));
  return html`<div class="field"><label for="${own}">${texts.sampling.model}</label><p class="help" id="${own}-help">${texts.sampling.proposed} ${visibleHtml(model.name, 120)}: ${visibleHtml(model.why, 300)}</p><select${attributes({ id: own, name: 'model', 'aria-describedby': `${own}-help` })}>${models.map(
    (name, at) =>
      html`<option${attributes({ value: String(at), selected: String(at) === chosen })}>${visibleHtml(name, 120)}</option>`,
  )}</select></div>`;
}

/** What is asked of the model besides the prompt: its limit, its tools, and how the server wants it to run. */
function promptFacts({ maxTokens, tools, wishes }: SamplingPrompt): Html {
  const own = texts.sampling;
  return html`${fact(own.limit, html`${own.maxTokens(maxTokens)}`)}${tools.length > 0 && fact(own.tools, visibleHtml(tools.join(', '), 500))}${wishLines(
    wishes,
  ).map(([name, value]) => fact(name, visibleHtml(value, 500)))}`;
}

/** A prompt as it was sent, to be read beside the reply to it. */
function promptSent(prompt: SamplingPrompt): Html {
  const own = texts.sampling;
  const part = (label: string, all: readonly Block[]): Html =>
    html`<dt>${label}</dt>${all.map(block => html`<dd>${isText(block) ? html`<div class="prompt-text">${visibleHtml(block.text, 20_000, true)}</div>` : opaque(block)}</dd>`)}`;
  return html`<section class="prompt-sent" tabindex="0" aria-label="${own.prompt}"><h3>${own.prompt}</h3><dl class="facts">${promptFacts(prompt)}</dl><dl class="prompt-parts">${
    prompt.systemPrompt !== undefined && part(own.system, [{ type: 'text', text: prompt.systemPrompt }])
  }${prompt.messages.map(({ role, content }) => part(own.role[role] ?? role, content))}</dl></section>`;
}

function requestContent(question: SamplingRequestQuestion, draft: Draft | undefined): Html {
  const scope = `q-${question.id}`;
  const { ignored } = texts.sampling;
  const several = question.models.length > 1;
  return html`<dl class="facts">${!several && !question.model.byHand && modelFact(question.model)}${promptFacts(question)}${question.ignored.length > 0 && fact(ignored, visibleHtml(question.ignored.join(', '), 500))}</dl><div class="fields">${several && modelChoice(question, draft)}${
    question.systemPrompt !== undefined &&
    editor(
      `${scope}-system`,
      'system',
      texts.sampling.system,
      (draft && first(draft, 'system')) ?? question.systemPrompt,
    )
  }${question.messages.map((message, at) =>
    blocks(scope, `m${at}`, texts.sampling.role[message.role] ?? message.role, message.content, draft),
  )}</div>`;
}

function replyContent(question: SamplingReplyQuestion, draft: Draft | undefined): Html {
  const { stopReason, notes, prompt } = question;
  const { byHand } = question.model;
  return html`${promptSent(prompt)}${
    (!byHand || notes.length > 0) &&
    html`<dl class="facts">${!byHand && modelFact(question.model)}${
      !byHand && stopReason !== undefined && fact(texts.sampling.stopped, visibleHtml(stopReason, 120))
    }${notes.map(note => fact(texts.sampling.note, visibleHtml(note, 400)))}</dl>`
  }<div class="fields">${blocks(`q-${question.id}`, 'c', byHand ? texts.sampling.ownReply : texts.sampling.replyOf, question.content, draft)}</div>`;
}

export function samplingBody(
  question: SamplingRequestQuestion | SamplingReplyQuestion,
  context: CardContext,
): CardBody {
  const request = question.kind === 'sampling-request';
  const { byHand } = question.model;
  const { approve, approveByHand, edit, byHand: nextStep, giveByHand } = texts.sampling;
  return {
    content: html`${problemSummary(context.issues ?? [])}${
      request ? requestContent(question, context.draft) : replyContent(question, context.draft)
    }<p class="help">${byHand ? (request ? nextStep : giveByHand) : edit}</p>`,
    accept: request ? (byHand ? approveByHand : approve) : texts.sampling.approveReply,
    waysOut: texts.sampling.waysOut,
  };
}

function edited(prefix: string, all: readonly Block[], draft: Draft): { blocks: readonly Block[]; changed: boolean } {
  let changed = false;
  const next = all.map((block, at) => {
    const text = first(draft, `${prefix}.b${at}`);
    if (!isText(block) || text === undefined || text === block.text.replace(/\r\n?/g, '\n')) return block;
    changed = true;
    return { ...block, text };
  });
  return { blocks: next, changed };
}

/** The parts of a request or a reply that a person changed. */
export function samplingEdits(
  question: SamplingRequestQuestion | SamplingReplyQuestion,
  draft: Draft,
): Readonly<Record<string, unknown>> {
  if (question.kind === 'sampling-reply') {
    const { blocks: content, changed } = edited('c', question.content, draft);
    return changed ? { content } : {};
  }
  const system = first(draft, 'system');
  const model = question.models[Number(first(draft, 'model') ?? Number.NaN)];
  const messages = question.messages.map((message, at) => ({ message, ...edited(`m${at}`, message.content, draft) }));
  return {
    ...(system !== undefined && system !== question.systemPrompt?.replace(/\r\n?/g, '\n') && { systemPrompt: system }),
    ...(messages.some(each => each.changed) && {
      messages: messages.map(each => ({ ...each.message, content: each.blocks })),
    }),
    ...(model !== undefined && model !== question.model.name && { model }),
  };
}
