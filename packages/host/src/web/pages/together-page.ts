/** The page where a person decides about several calls that differ in their arguments alone. Pure. */
import { type Html, html } from '@midcall/core/page';
import { areAlike, type CallQuestion, type Question } from '../../index.ts';
import { type CardContext, callArguments, callLine, leftLine, questionChips } from '../card/index.ts';
import { visibleHtml } from '../html/index.ts';
import { texts } from '../texts/index.ts';
import type { QuestionView } from '../workspace/index.ts';
import { nextQuestion, noticeBox } from './call-page.ts';
import type { Content } from './layout.ts';
import { callPath, questionPath, serverPath, togetherPath } from './paths.ts';
import { deskEndings, endingChip } from './timeline.ts';

/** A question about a call, and how it ended if it has. */
export type TogetherView = QuestionView & { readonly question: CallQuestion };

/** What the page needs besides its questions. */
interface TogetherContext extends CardContext {
  /** All open questions, oldest first. */
  readonly open: readonly Question[];
  readonly notice?: string;
}

/**
 * Several calls, of which the person allows or refuses those that are open. What they decide about is what the address names, so
 * that a call which comes while they read is in no form until they have asked to see it.
 * @param views - of alike calls, at least one
 */
export function togetherPage(views: readonly [TogetherView, ...TogetherView[]], context: TogetherContext): Content {
  const { link, open } = context;
  const words = texts.callQuestion.together;
  const [{ question: first }] = views;
  const waiting = views.filter(({ ending }) => !ending).map(({ question }) => question);
  const [one] = waiting;
  const others = open.filter(each => areAlike(first, each) && !waiting.some(({ id }) => id === each.id));
  const [next] = open;
  return {
    title: words.title(first.call.name),
    serverId: first.asker.id,
    tool: first.call.name,
    questionId: (one ?? first).id,
    main: html`<div class="head"><h1><a class="crumb" href="${link(serverPath(first.asker.id))}">${visibleHtml(first.asker.id, 80)}</a> ${visibleHtml(words.title(first.call.name), 160)}</h1></div>${noticeBox(context.notice)}${
      one && together([one, ...waiting.slice(1)], context)
    }${
      others.length > 0 &&
      html`<p class="what-next">${words.more(others.length)} <a href="${link(togetherPath([...waiting, ...others]))}">${words.showAll}</a></p>`
    }${endedCalls(views, context)}${!one && others.length === 0 && nextQuestion(next, next && link(questionPath(next)))}`,
  };
}

/** The calls that are open, with one form for all of them. */
function together(questions: readonly [CallQuestion, ...CallQuestion[]], context: TogetherContext): Html {
  const { csrf, link } = context;
  const { notMade, because } = texts.callQuestion;
  const words = texts.callQuestion.together;
  const { length } = questions;
  const [first] = questions;
  const isForAll = questions.every(({ why }) => why === first.why);
  const call = (question: CallQuestion, at: number): Html => {
    const heading = `q-${question.id}-call`;
    const rest = questions.filter(each => each !== question);
    return html`<li data-key="together-${question.id}"><div class="frame-top"><h3 id="${heading}">${words.call(at + 1, length)}</h3>${questionChips(question, context)}</div>${leftLine(context.waitFor?.(question))}${!isForAll && html`<p>${because(question.why)}</p>`}${callArguments(question)}<p class="together-ways"><a href="${link(callPath(question.call.id))}" aria-describedby="${heading}">${words.alone}</a>${rest.length > 0 && html` <a href="${link(togetherPath(rest))}" aria-describedby="${heading}">${words.leaveOut}</a>`}</p></li>`;
  };
  return html`<article class="card question alone" aria-labelledby="together-title"><header class="frame"><h2 class="frame-title" id="together-title"><strong>${visibleHtml(first.asker.id, 80)}</strong> ${words.headline(length)}</h2><p class="frame-origin mono">${visibleHtml(first.asker.origin, 300)}</p>${callLine(first, false)}</header>
<form method="post" action="${link('/calls-together')}" id="together-form"><input type="hidden" name="csrf" value="${csrf}">${questions.map(({ id }) => html`<input type="hidden" name="question" value="${id}">`)}
<p>${notMade(length)}${isForAll && html` ${because(first.why)}`}</p><ol class="together-calls">${questions.map(call)}</ol>
<div class="actions"><button class="button primary" name="action" value="accept">${words.yes(length)}</button><button class="button" name="action" value="decline">${words.no(length)}</button></div><p class="ways-out">${words.waysOut}</p></form></article>`;
}

/** What became of those that are no longer open. */
function endedCalls(views: readonly TogetherView[], { link }: TogetherContext): Html | false {
  const rows = views.flatMap(({ question, ending }) =>
    ending
      ? [
          html`<li><div class="frame-top"><a href="${link(callPath(question.call.id))}">${deskEndings.sentence(ending, 'call')}</a>${endingChip(ending, deskEndings)}</div>${callArguments(question)}</li>`,
        ]
      : [],
  );
  if (rows.length === 0) return false;
  return html`<section class="section" aria-labelledby="together-ended"><h2 id="together-ended">${texts.callQuestion.together.ended}</h2><ul class="panel together-calls">${rows}</ul></section>`;
}
