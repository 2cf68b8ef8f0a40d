/** What was called and asked in this session, and how it ended. Pure. */
import { type Html, html } from '@midcall/core/page';
import type { CallContext } from '../../index.ts';
import { questionHeadline } from '../card/frame.ts';
import type { Session } from '../session.ts';
import { texts } from '../texts/texts.ts';
import { visibleHtml } from '../visible-html.ts';
import type { CallView, NoticeView, QuestionView } from '../workspace/views.ts';
import type { Content } from './layout.ts';
import { callPath, questionPath } from './paths.ts';
import { table } from './table.ts';
import { callChip, clock, endingChip, noticeChip, noticeText } from './timeline.ts';

const callCell = (call: CallContext | undefined, { link }: Session): Html =>
  call
    ? html`<a class="mono" href="${link(callPath(call.id))}">${visibleHtml(call.name, 120)}</a>`
    : html`<span class="quiet-text">${texts.question.noCall}</span>`;

/** The calls and questions of this session, newest first. */
export function historyPage(
  calls: readonly CallView[],
  questions: readonly QuestionView[],
  notices: readonly NoticeView[],
  session: Session,
  zone: string,
): Content {
  const { when, server, tool, outcome } = texts.history;
  const callRows = calls.map(
    call =>
      html`<tr><td>${clock(call.startedAt, zone)}</td><td>${visibleHtml(call.serverId, 80)}</td><td><a class="mono" href="${session.link(callPath(call.context.id))}">${visibleHtml(call.context.name, 120)}</a></td><td>${callChip(call)}</td></tr>`,
  );
  const asked = questions.map(({ question, ending }) => ({
    at: question.askedAt,
    row: html`<tr><td>${clock(question.askedAt, zone)}</td><td>${visibleHtml(question.asker.id, 80)}</td><td>${callCell(question.call, session)}</td><td class="long"><a href="${session.link(questionPath(question))}">${'message' in question ? visibleHtml(question.message, 140, true) : questionHeadline(question)}</a></td><td>${ending ? endingChip(ending) : html`<span class="chip chip-wait">${texts.question.waiting}</span>`}</td></tr>`,
  }));
  const decided = notices.map(({ notice, serverId, at }) => ({
    at,
    row: html`<tr><td>${clock(at, zone)}</td><td>${visibleHtml(serverId, 80)}</td><td>${callCell(notice.call, session)}</td><td class="long">${noticeText(notice)}${notice.type === 'refused' && html` <span class="quiet-text">${visibleHtml(notice.why, 300)}</span>`}</td><td>${noticeChip(notice)}</td></tr>`,
  }));
  const questionRows = [...asked, ...decided].sort((a, b) => b.at - a.at).map(({ row }) => row);
  return {
    title: texts.history.title,
    at: '/history',
    refresh: { after: 10, to: session.link('/history') },
    main: html`<div class="head"><h1>${texts.history.title}</h1></div><p class="lead">${texts.history.lead}</p><section class="section"><h2>${texts.history.calls}</h2>${table([when, server, tool, outcome], callRows, texts.call.none)}</section><section class="section"><h2>${texts.history.questions}</h2>${table([when, server, texts.history.tool, texts.history.question, outcome], questionRows, texts.history.noQuestions)}</section>`,
  };
}
