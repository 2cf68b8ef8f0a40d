/** The page of one call, and of a question that belongs to none: the timeline, with the open question as a card. Pure. */
import type { Issue } from '@midcall/core/form';
import { type Html, html } from '@midcall/core/page';
import { foldAlike, type Question } from '../../index.ts';
import { type CardContext, card } from '../card/index.ts';
import type { Draft } from '../form/index.ts';
import { named, visibleHtml } from '../html/index.ts';
import { texts } from '../texts/index.ts';
import { type CallView, isOpen, type OfferView, type QuestionView, type ServerView } from '../workspace/index.ts';
import { buttonForm } from './button-form.ts';
import type { Content } from './layout.ts';
import { againPath, callPath, comparePath, offerPath, questionPath, serverPath, togetherPath } from './paths.ts';
import { blocksOf, textOf } from './result.ts';
import { mayBeRestarted, mutedNotice, restartButton } from './server-parts.ts';
import {
  callChip,
  deskEndings,
  endedEntries,
  type TimelineContext,
  timeline,
  waitEntry,
  waitsForPage,
} from './timeline.ts';
import { drawerButton } from './wire-page.ts';

/** A question whose form was returned: its input, and what is wrong with it. */
export interface Returned {
  readonly id: string;
  readonly draft: Draft;
  readonly issues: readonly Issue[];
}

/** What these pages need besides the call. */
export interface CallPageContext extends TimelineContext {
  readonly returned?: Returned;
  /** The call's server, if it is still on the desk. */
  readonly server?: ServerView;
  /** True if there is another call of the same that has ended. */
  readonly comparable?: boolean;
  /** The form of the call's arguments, if what it calls is still offered and takes any. */
  readonly form?: Html;
  /** True if the drawer with messages and logs is open. */
  readonly drawer?: boolean;
  /** The open questions, oldest first. */
  readonly open?: readonly Question[];
  /** A message above everything else, such as why an answer was not sent. */
  readonly notice?: string;
}

export const noticeBox = (notice: string | undefined): Html | false =>
  notice !== undefined && html`<div class="notice" role="alert"><span>${notice}</span></div>`;

/** The form that stores the arguments of a call under a name. */
function saveTemplate(
  { context: { id, kind, arguments: args } }: CallView,
  { csrf, link }: CallPageContext,
): Html | false {
  if (kind === 'resource' || Object.keys(args).length === 0) return false;
  const own = texts.template;
  return html`<details class="section save-template"><summary>${own.save}</summary><form method="post" action="${link(`${callPath(id)}/template`)}" id="template-form"><input type="hidden" name="csrf" value="${csrf}"><div class="field"><label for="template-name">${own.name}</label><p class="help" id="template-help">${own.help}</p><input id="template-name" name="name" class="narrow" maxlength="60" autocomplete="off" aria-describedby="template-help"></div><div class="actions"><button class="button small">${own.go}</button></div></form></details>`;
}

/** Says that something can be taken back. */
const undoing = /\b(?:undo(?:es)?|reverts?|reverses?|restores?|(?:brings?|puts?|gets?)\b.*\bback)\b/i;

/** The tool that takes back what a call has done, if the server names one in the result. */
function inverseOf({ context, outcome }: CallView, { tools }: ServerView): OfferView | undefined {
  if (context.kind !== 'tool' || outcome?.how !== 'completed') return undefined;
  const sentences = blocksOf(outcome.result).flatMap(block =>
    (textOf(block) ?? '').slice(0, 2_000).split(/\n|\.(?=\s|$)/),
  );
  const words = new Set(sentences.filter(each => undoing.test(each)).flatMap(each => each.split(/[^\w-]+/)));
  return tools.find(({ name }) => name !== context.name && words.has(name));
}

/** What can be taken back, after it was done. */
function undoLine(call: CallView, server: ServerView, { link }: CallPageContext): Html | false {
  const inverse = inverseOf(call, server);
  const isDeclined = call.items.some(item => 'question' in item && item.ending?.how === 'declined');
  if (inverse)
    return html`<p class="what-next">${texts.call.undo} <a href="${link(offerPath(server.id, 'tool', inverse.name))}">${visibleHtml(inverse.title ?? inverse.name, 120)}</a></p>`;
  if (!isDeclined || !call.outcome) return false;
  return html`<p class="what-next">${texts.call.declinedUndo} <a href="${link(againPath(call))}">${texts.call.again}</a></p>`;
}

/** Leads on after an answer: to the next question, or says that there is none. Shown only if a question was answered and none is open. */
function whatNext(items: CallView['items'], { open = [], link }: CallPageContext): Html | false {
  const isAnswered = items.some(item => 'question' in item && item.ending !== undefined && 'via' in item.ending);
  if (!isAnswered || items.some(isOpen)) return false;
  const [next] = open;
  return nextQuestion(next, next && link(questionPath(next)));
}

/** The question to go on with, or that there is none. @param href - where that is answered */
export function nextQuestion(next: Question | undefined, href = ''): Html {
  if (!next) return html`<p class="what-next quiet-text">${texts.question.noneLeft}</p>`;
  return html`<p class="what-next"><a class="button" href="${href}">${visibleHtml(texts.question.next(next.asker.id, next.kind), 120)}</a></p>`;
}

/** The context of one question's card: as posted, if its form was returned. */
function contextFor(context: CallPageContext, question: Question): CardContext {
  const { csrf, link, now, zone, keepsRules, returned, draftOf, appOf, waitFor, lastAnswerOf, open = [] } = context;
  const fold = foldAlike(open).find(each => each.length > 1 && each.some(({ id }) => id === question.id));
  const common = {
    ...{ csrf, link, now, zone },
    ...(fold && { alike: { count: fold.length, href: link(togetherPath(fold)) } }),
    ...(keepsRules && { keepsRules }),
    ...(appOf && { appOf }),
    ...(waitFor && { waitFor }),
    ...(lastAnswerOf && { lastAnswerOf }),
  };
  if (returned?.id === question.id) return { ...common, draft: returned.draft, issues: returned.issues };
  const draft = draftOf?.(question.id);
  return draft ? { ...common, draft } : common;
}

/** After how many seconds a browser without client script reloads the page of a running call. */
const lookAgain = 1;

/** The request of a call may be recorded a moment before the call itself. */
const justBeforeMs = 100;

/** The page of one call. */
export function callPage(call: CallView, context: CallPageContext): Content {
  const { context: about, serverId, outcome, items } = call;
  const path = callPath(about.id);
  const openOne = items.find(item => isOpen(item) && !('amongSeveral' in item));
  const runAgain = html`<a class="button small" href="${context.link(againPath(call))}">${texts.call.again}</a>`;
  const { server } = context;
  const restart = outcome?.how === 'server-gone' && server && mayBeRestarted(server);
  const action = outcome
    ? restart
      ? restartButton(server, context, { callId: about.id })
      : html`${context.comparable === true && html`<a class="button small" href="${context.link(comparePath(call))}">${texts.compare.action}</a>`}${runAgain}`
    : html`${waitsForPage(call) && runAgain}${buttonForm(context, `${path}/cancel`, texts.call.cancel)}`;
  const hasWire = server !== undefined && server.elsewhere === undefined && call.earlier !== true;
  const lacksQuestions = call.earlier === true && !items.some(item => 'question' in item);
  const wire = hasWire && drawerButton({ ...context, drawer: context.drawer === true }, path);
  return {
    title: call.title ?? about.name,
    serverId,
    tool: about.name,
    isSplit: true,
    ...(hasWire && { drawer: { serverId, since: call.startedAt - justBeforeMs } }),
    ...(openOne && 'question' in openOne && { questionId: openOne.question.id }),
    ...(!outcome && !openOne && { refresh: { after: lookAgain, to: context.link(path) } }),
    main: html`<div class="head"><h1><a class="crumb" href="${context.link(serverPath(serverId))}">${visibleHtml(serverId, 80)}</a> ${named(about.name, call.title, 120)}</h1><span class="chips-inline">${callChip(call)}</span><div class="head-actions">${wire}${action}</div></div>${restart && html`<p class="help">${texts.servers.againHelp(outcome.nothingSent)}</p>`}${lacksQuestions && html`<p class="help">${texts.call.earlier}</p>`}${noticeBox(context.notice)}${server && mutedNotice(server, context)}<div class="split">${context.form}<div class="split-result">${timeline(
      call,
      context,
      question => ({
        ...contextFor(context, question),
        ...(!question.call && { at: about.id }),
      }),
    )}${server && undoLine(call, server, context)}${whatNext(items, context)}${server && saveTemplate(call, context)}</div></div>`,
  };
}

/** A question outside any call. */
export function questionPage(view: QuestionView, context: CallPageContext): Content {
  const { question, ending } = view;
  const wait = context.waitFor?.(question);
  return {
    title: texts.question.title,
    serverId: question.asker.id,
    questionId: question.id,
    main: html`<div class="head"><h1><a class="crumb" href="${context.link(serverPath(question.asker.id))}">${visibleHtml(question.asker.id, 80)}</a> ${texts.question.title}</h1></div>${noticeBox(context.notice)}${
      ending
        ? html`<ol class="timeline">${endedEntries({ ...view, ending }, context.zone, deskEndings)}${wait?.state === 'left' && waitEntry(wait)}</ol>${whatNext([view], context)}`
        : html`<div class="alone">${card(question, contextFor(context, question))}</div>`
    }`,
  };
}
