/** The page of one call, and of a question that belongs to none: the timeline, with the open question as a card. Pure. */
import type { Issue } from '@midcall/core/form';
import { type Html, html } from '@midcall/core/page';
import type { Question } from '../../index.ts';
import { type CardContext, card } from '../card/index.ts';
import type { Draft } from '../form/index.ts';
import { visibleHtml } from '../html/index.ts';
import { texts } from '../texts/index.ts';
import { type CallView, isOpen, type QuestionView, type ServerView } from '../workspace/index.ts';
import { buttonForm } from './button-form.ts';
import type { Content } from './layout.ts';
import { againPath, callPath, comparePath, serverPath } from './paths.ts';
import { mayBeRestarted, restartButton } from './server-parts.ts';
import { callChip, endedEntries, type TimelineContext, timeline, waitEntry, waitsForPage } from './timeline.ts';

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
  /** A message above everything else, such as why an answer was not sent. */
  readonly notice?: string;
}

const noticeBox = (notice: string | undefined): Html | false =>
  notice !== undefined && html`<div class="notice" role="alert"><span>${notice}</span></div>`;

/** The context of one question's card: as posted, if its form was returned. */
function contextFor(context: CallPageContext, question: Question): CardContext {
  const { csrf, link, now, zone, keepsRules, returned, draftOf, appOf, waitFor } = context;
  const common = {
    ...{ csrf, link, now, zone },
    ...(keepsRules && { keepsRules }),
    ...(appOf && { appOf }),
    ...(waitFor && { waitFor }),
  };
  if (returned?.id === question.id) return { ...common, draft: returned.draft, issues: returned.issues };
  const draft = draftOf?.(question.id);
  return draft ? { ...common, draft } : common;
}

/** After how many seconds a browser without client script reloads the page of a running call. */
const lookAgain = 1;

/** One call. */
export function callPage(call: CallView, context: CallPageContext): Content {
  const { context: about, serverId, outcome, items } = call;
  const path = callPath(about.id);
  const openOne = items.find(isOpen);
  const runAgain = html`<a class="button small" href="${context.link(againPath(call))}">${texts.call.again}</a>`;
  const { server } = context;
  const restart = outcome?.how === 'server-gone' && server && mayBeRestarted(server);
  const action = outcome
    ? restart
      ? restartButton(server, context, { callId: about.id })
      : html`${context.comparable === true && html`<a class="button small" href="${context.link(comparePath(call))}">${texts.compare.action}</a>`}${runAgain}`
    : html`${waitsForPage(call) && runAgain}${buttonForm(context, `${path}/cancel`, texts.call.cancel)}`;
  const wire =
    server &&
    call.earlier !== true &&
    html`<a class="button small" href="${context.link(serverPath(serverId, 'wire'))}">${texts.wire.title}</a>`;
  return {
    title: about.name,
    serverId,
    tool: about.name,
    ...(openOne && 'question' in openOne && { questionId: openOne.question.id }),
    ...(!outcome && !openOne && { refresh: { after: lookAgain, to: context.link(path) } }),
    main: html`<div class="head"><h1><a class="crumb" href="${context.link(serverPath(serverId))}">${visibleHtml(serverId, 80)}</a> <span class="mono">${visibleHtml(about.name, 120)}</span></h1><span class="chips-inline">${callChip(call)}</span><div class="head-actions">${wire}${action}</div></div>${restart && html`<p class="help">${texts.servers.againHelp}</p>`}${call.earlier === true && html`<p class="help">${texts.call.earlier}</p>`}${noticeBox(context.notice)}${timeline(
      call,
      context,
      question => ({
        ...contextFor(context, question),
        ...(!question.call && { at: about.id }),
      }),
    )}`,
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
        ? html`<ol class="timeline">${endedEntries({ ...view, ending }, context.zone)}${wait?.state === 'left' && waitEntry(wait)}</ol>`
        : html`<div class="alone">${card(question, contextFor(context, question))}</div>`
    }`,
  };
}
