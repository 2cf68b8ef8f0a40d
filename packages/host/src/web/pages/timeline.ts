/** One call as a timeline: the call, each question with its answer, the result. The open question is a card in it. Pure. */

import { labelOf } from '@midcall/core/form';
import { attributes, type Html, html } from '@midcall/core/page';
import { type CallOutcome, type Ending, type Notice, type Question, secretsOf } from '../../index.ts';
import { resultAppFrame } from '../apps/index.ts';
import {
  age,
  argumentRow,
  type CardContext,
  card,
  questionHeadline,
  questionIcon,
  questionSubject,
  quoted,
  sentValue,
} from '../card/index.ts';
import { type Draft, typedIn } from '../form/index.ts';
import { clock, icons, visibleHtml } from '../html/index.ts';
import { spelledAge, spelledSpan, texts } from '../texts/index.ts';
import {
  type CallView,
  type HostWait,
  isOpen,
  type NoticeView,
  type QuestionView,
  type Refuser,
  refuserOf,
} from '../workspace/index.ts';
import { part } from './layout.ts';
import { callPath, questionPath } from './paths.ts';
import { resultContent } from './result.ts';

/** What a timeline needs besides the call. */
export interface TimelineContext extends CardContext {
  /** The path of the App that shows the result. */
  readonly app?: string;
}

const entryContent = (icon: Html, heading: Html, aside: Html | false, body: Html | false): Html =>
  html`<span class="node">${icon}</span><div class="entry-body"><div class="entry-head"><h2>${heading}</h2><div class="entry-aside">${aside}</div></div>${body}</div>`;

type Entry = (kind: string, ...content: Parameters<typeof entryContent>) => Html;

const entry: Entry = (kind, ...content) => html`<li class="entry entry-${kind}">${entryContent(...content)}</li>`;

/** An entry that changes no more. */
const lastingEntry: Entry = (kind, ...content) =>
  part('li', { class: `entry entry-${kind}` }, entryContent(...content));

const endingIcon = (ending: AnyEnding): Html => {
  if (ending.how === 'answered' || ending.how === 'completed') return icons.answer;
  return ending.how === 'declined' ? icons.declined : icons.ended;
};

/** A way to end that a page can show: it may have one more than questions of this process have. */
interface AnyEnding {
  readonly how: string;
  readonly content?: Extract<Ending, { how: 'answered' }>['content'];
}

/** The words for ways to end, and for what was typed and not sent. */
export interface EndingWords<E extends AnyEnding> {
  /** In short. */
  readonly chip: Readonly<Record<E['how'], string>>;
  sentence(ending: E, kind: Question['kind']): string;
  readonly unsent: string;
  /** True if client script fills in what was typed in this tab (`client/tab-drafts.ts`). */
  readonly isFilledInByScript?: boolean;
}

/** The words on the desk. */
export const deskEndings: EndingWords<Ending> = { ...texts.ending, unsent: texts.typed.unsent };

function answeredWith(question: Question, ending: AnyEnding): Html | false {
  // The sentence says everything about a form without fields.
  if (ending.how !== 'answered' || question.kind !== 'form' || question.fields.length === 0) return false;
  const content = ending.content ?? {};
  const rows = question.fields.filter(field => Object.hasOwn(content, field.name));
  if (rows.length === 0) return html`<p class="quiet-text">${texts.ending.noContent}</p>`;
  return html`<dl class="sent">${rows.map(
    field =>
      html`<div><dt>${visibleHtml(labelOf(field), 80)}</dt><dd>${sentValue(field, content[field.name], 300)}</dd></div>`,
  )}</dl>`;
}

/** Input that was not sent. */
function leftOver(
  question: Question,
  draft: Draft | undefined,
  zone: string,
  { unsent, isFilledInByScript = false }: Pick<EndingWords<AnyEnding>, 'unsent' | 'isFilledInByScript'>,
): Html | false {
  const all = draft ? typedIn(question, draft, zone) : [];
  if (all.length === 0 && !isFilledInByScript) return false;
  const id = `q-${question.id}-typed`;
  const secrets = question.kind === 'form' && secretsOf(question).size > 0;
  return html`<div${attributes({ class: 'left-over', id, hidden: all.length === 0, 'data-stays': isFilledInByScript })}><p>${unsent}${secrets && ` ${texts.typed.secrets}`}</p><dl>${all.map(
    each => html`<div data-typed><dt>${visibleHtml(each.label, 80)}</dt><dd>${each.text}</dd></div>`,
  )}</dl><button${attributes({ type: 'button', class: 'button small script-only', 'data-copy': id, 'data-copied': texts.typed.copied, 'data-morph': 'keep' })}>${texts.typed.copy}</button></div>`;
}

/** How a question ended, in one chip. */
export function endingChip<E extends AnyEnding>({ how }: E, { chip }: EndingWords<E>): Html {
  return html`<span class="chip chip-${how}">${chip[how as E['how']]}</span>`;
}

/** A question that is over: what was asked, and how it ended. */
export function endedEntries<E extends AnyEnding>(
  { question, ending, endedAt, typed, perhaps }: Omit<QuestionView, 'ending'> & { readonly ending: E },
  zone: string,
  words: EndingWords<E>,
): Html {
  const message =
    question.kind === 'form' || question.kind === 'url' || question.kind === 'url-finish'
      ? question.message
      : undefined;
  const address =
    (question.kind === 'url' || question.kind === 'url-finish' || question.kind === 'sign-in') &&
    // The page of a sign-in tells a person no more than its site does.
    html`<p class="mono small">${visibleHtml(question.kind === 'sign-in' ? question.issuer : question.url.href, 300)}</p>`;
  const took =
    endedAt === undefined ? false : html`<span class="quiet-text">${spelledAge(endedAt - question.askedAt)}</span>`;
  return html`${lastingEntry(
    'question',
    questionIcon(question),
    html`<strong>${visibleHtml(question.asker.id, 80)}</strong> ${questionHeadline(question, true)}`,
    clock(question.askedAt, zone),
    html`${perhaps === true && html`<p class="perhaps">${texts.call.perhapsAsked(true)}</p>`}${message !== undefined && quoted(message)}${address}`,
  )}${(words.isFilledInByScript ? entry : lastingEntry)(
    `ending ending-${ending.how}`,
    endingIcon(ending),
    html`<span${attributes({ id: `q-${question.id}-end`, tabindex: -1, class: 'ending-text' })}>${words.sentence(ending, question.kind)}</span>`,
    html`${endingChip(ending, words)}${took}`,
    html`${answeredWith(question, ending)}${leftOver(question, typed, zone, words)}`,
  )}`;
}

/** What is over is rendered once: a call that has asked many questions is shown again with each of them. */
const rendered = new WeakMap<QuestionView, { readonly zone: string; readonly entries: Html }>();

/** An open question that may belong to several calls: one line in each, which leads to its card. */
const elsewhereEntry = (question: Question, { link }: CardContext): Html =>
  html`<li class="entry entry-open"><span class="node">${questionIcon(question)}</span><div class="entry-body"><p class="perhaps">${texts.question.perhapsElsewhere}</p><p><a href="${link(questionPath(question))}">${visibleHtml(questionSubject(question), 200, true)}</a></p></div></li>`;

function questionEntries(view: QuestionView, context: CardContext): Html {
  const { zone } = context;
  const before = rendered.get(view);
  if (before?.zone === zone) return before.entries;
  if (!view.ending) {
    if (view.amongSeveral) return elsewhereEntry(view.question, context);
    const own = view.perhaps === true ? { ...context, perhaps: true } : context;
    return html`<li class="entry entry-open"><span class="node">${questionIcon(view.question)}</span><div class="entry-body">${card(view.question, own)}</div></li>`;
  }
  const entries = endedEntries({ ...view, ending: view.ending }, zone, deskEndings);
  rendered.set(view, { zone, entries });
  return entries;
}

function progressBar(call: CallView): Html | false {
  const progress = call.progress;
  if (!progress) return false;
  const { total, message } = progress;
  return html`<div class="progress"><progress${attributes({ value: total === undefined ? undefined : progress.progress, max: total, 'aria-label': texts.call.running })}></progress><span class="quiet-text">${
    message !== undefined ? visibleHtml(message, 200) : texts.call.progress(progress.progress, total)
  }</span></div>`;
}

/** A decision that was made without asking, in a sentence. */
export const noticeText = (notice: Notice): string =>
  notice.type === 'refused' ? texts.notice.refused(notice.by, notice.kind) : texts.notice.allowed(notice.kind);

/** A decision that was made without asking, as a chip. */
export const noticeChip = (notice: Notice): Html =>
  notice.type === 'refused'
    ? refusedChip(notice.by)
    : html`<span class="chip chip-answered">${texts.notice.allowedChip}</span>`;

/** Whose refusal it was, in one chip: what a person's own decision refuses is no failure. */
const refusedChip = (by: Refuser): Html =>
  html`<span class="chip chip-refused${by === 'policy' && '-by-policy'}">${texts.call.refusedChip[by]}</span>`;

function noticeEntry({ notice, at, perhaps }: NoticeView, zone: string): Html {
  const refused = notice.type === 'refused';
  return entry(
    refused ? (notice.by === 'policy' ? 'ending' : 'failed') : 'ending ending-answered',
    refused ? icons.ended : icons.answer,
    html`${noticeText(notice)}`,
    html`${noticeChip(notice)}${clock(at, zone)}`,
    html`${refused && html`<p class="quiet-text">${visibleHtml(notice.why, 500)}</p>`}${perhaps === true && html`<p class="perhaps">${texts.call.perhapsNoticed}</p>`}`,
  );
}

/**
 * True if the person was sent to a page and the call has not ended since. A client is not told when a page is done (2026-07-28,
 * client/elicitation), so a button to make the call again is offered beside the one that cancels it.
 */
export const waitsForPage = ({ items, outcome }: CallView): boolean =>
  outcome === undefined &&
  items.some(
    item => 'question' in item && !item.perhaps && item.question.kind === 'url' && item.ending?.how === 'answered',
  );

/** Whose refusal an ending follows from, ahead of the server's own words; the decision is right above. */
const refusalLine = (by: Refuser): Html => html`<p class="help after-refusal">${texts.call.afterRefusal[by]}</p>`;

/** What the person should know of a result before they rely on it. */
function noteOn({ unchecked, misfit }: CallOutcome & { readonly how: 'completed' }): string | undefined {
  if (misfit !== undefined) return texts.call.misfit(misfit);
  return unchecked === undefined ? undefined : texts.call.unchecked(unchecked);
}

function outcome(call: CallView, context: TimelineContext): Html | false {
  const { outcome, endedAt } = call;
  if (!outcome) {
    if (call.items.some(isOpen)) return false;
    return entry(
      'running',
      icons.working,
      html`${waitsForPage(call) ? texts.call.onPage : texts.call.working}`,
      html`<span class="quiet-text">${age(call.startedAt, context.now)}</span>`,
      html`${progressBar(call)}${taskNote(call)}`,
    );
  }
  const aside =
    endedAt !== undefined &&
    html`<span class="quiet-text">${texts.call.took(spelledSpan(endedAt - call.startedAt))}</span>${clock(endedAt, context.zone)}`;
  const refuser = refuserOf(call);
  const why = refuser && refusalLine(refuser);
  const failure = refuser === 'policy' ? 'ending' : 'failed';
  switch (outcome.how) {
    case 'completed':
    case 'tool-error': {
      const failed = outcome.how === 'tool-error';
      const [kind, icon] = failed ? [failure, icons.failed] : ['result', icons.result];
      const heading = failed ? (refuser ? texts.call.refusedBy[refuser] : texts.call.toolError) : texts.call.result;
      const note = failed ? undefined : noteOn(outcome);
      const content = resultContent(
        outcome.result,
        { callId: call.context.id, serverId: call.serverId, link: context.link },
        note,
      );
      const app =
        context.app !== undefined &&
        resultAppFrame(context.app, context.link(`${callPath(call.context.id)}/result.json`), call.context.arguments, {
          path: context.link(`${callPath(call.context.id)}/app`),
          csrf: context.csrf,
        });
      return entry(kind, icon, html`${heading}`, aside, html`${why}${app}${content}`);
    }
    case 'cancelled':
      return entry(
        'ending',
        icons.declined,
        html`${texts.call.cancelledLong}`,
        aside,
        html`<p class="result-text">${texts.call.cancelledSent(outcome.nothingSent)}</p>`,
      );
    default:
      return entry(
        failure,
        icons.failed,
        html`${refuser ? texts.call.refusedBy[refuser] : texts.call.endings[outcome.how]}`,
        aside,
        html`${outcome.how === 'refused' && why}<p class="result-text">${visibleHtml(outcome.message, 2_000, true)}</p>`,
      );
  }
}

/** Whether the host of a call has its result, once it has stopped waiting and nothing is left to answer. */
export function waitEntry(wait: HostWait | undefined): Html | false {
  if (!wait || wait.state === 'waits') return false;
  return entry(
    `ending ending-${wait.state}`,
    wait.state === 'served' ? icons.answer : wait.state === 'left' ? icons.warning : icons.ended,
    html`<span class="wait-${wait.state}">${visibleHtml(texts.wait.states[wait.state](wait.host), 200)}</span>`,
    false,
    wait.state === 'left' && html`<p class="quiet-text">${texts.wait.servedLater}</p>`,
  );
}

/** The state of a call in one chip. */
export function callChip(call: CallView): Html {
  if (call.outcome?.how === 'completed' && call.wait?.state === 'left')
    return html`<span class="chip chip-wait">${texts.wait.notServed}</span>`;
  const refuser = refuserOf(call);
  if (refuser && call.outcome?.how !== 'completed') return refusedChip(refuser);
  const waits = !call.outcome && call.items.some(isOpen);
  const state = call.outcome?.how ?? (waits ? 'waiting' : 'running');
  return html`<span class="chip chip-${waits ? 'wait' : state}">${!call.outcome && html`<span class="dot"></span>`}${texts.call.chip[state]}</span>`;
}

/** The whole timeline of a call. */
export function timeline(
  call: CallView,
  context: TimelineContext,
  contextFor: (question: Question) => CardContext,
): Html {
  return html`<ol class="timeline">${entry(
    'call',
    icons.call,
    html`${texts.call[call.here ? 'you' : 'yourHost'][call.context.kind]} ${call.title === undefined ? html`<code class="tool-name">${visibleHtml(call.context.name, 200)}</code>` : html`<strong>${visibleHtml(call.title, 200)}</strong>`}`,
    clock(call.startedAt, context.zone),
    call.context.kind !== 'resource' && argumentRow(call.context.arguments),
  )}${call.items.map(item =>
    'question' in item ? questionEntries(item, contextFor(item.question)) : noticeEntry(item, context.zone),
  )}${!call.items.some(isOpen) && waitEntry(call.wait)}${outcome(call, context)}</ol>`;
}

/** The server's own words for its work, and whether the desk has to stay open. */
function taskNote({ task }: CallView): Html | false {
  if (!task) return false;
  const { message, resumable } = task;
  return html`${message !== undefined && html`<p class="task-status">${visibleHtml(message, 500)}</p>`}<p class="quiet-text">${resumable ? texts.task.goesOn : texts.task.needsDesk}</p>`;
}
