/** The calls and questions, and how they ended: searched, filtered, in pages. Pure. */
import { attributes, type Html, html } from '@midcall/core/page';
import type { CallContext } from '../../index.ts';
import { argumentRow, questionSubject } from '../card/index.ts';
import { clock, day, named, visibleHtml } from '../html/index.ts';
import { texts } from '../texts/index.ts';
import type { CallView, NoticeView, QuestionView, Session } from '../workspace/index.ts';
import { buttonForm } from './button-form.ts';
import type { Content } from './layout.ts';
import { pager } from './pager.ts';
import { againPath, callPath, questionPath } from './paths.ts';
import { table } from './table.ts';
import { callChip, deskEndings, endingChip, noticeChip, noticeText } from './timeline.ts';

/** What to search for. */
export interface HistoryQuery {
  readonly text: string;
  /** A server's id, or empty for all. */
  readonly server: string;
  /** A way to end, `running`, or empty for all. */
  readonly outcome: string;
  /** The number of the first call on the page. */
  readonly from: number;
}

const callsOnPage = 100;
/** Questions and notices on the page, newest first. */
const questionsOnPage = 200;

const callCell = (call: CallContext | undefined, { link }: Session): Html =>
  call
    ? html`<a class="mono" href="${link(callPath(call.id))}">${visibleHtml(call.name, 120)}</a>`
    : html`<span class="quiet-text">${texts.question.noCall}</span>`;

/** A short name stays in one line. */
const serverCell = (id: string): Html =>
  html`<td${attributes({ class: id.length <= 20 && 'short' })}>${visibleHtml(id, 80)}</td>`;

/** The text of a call that is searched. */
const searched = ({ context, serverId, title = '' }: CallView): string =>
  `${context.name} ${title} ${serverId} ${JSON.stringify(context.arguments).slice(0, 5_000)}`.toLowerCase();

function fits(call: CallView, { text, server, outcome }: HistoryQuery): boolean {
  if (server !== '' && call.serverId !== server) return false;
  if (outcome !== '' && (call.outcome?.how ?? 'running') !== outcome) return false;
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  return words.length === 0 || words.every(word => searched(call).includes(word));
}

function filters(query: HistoryQuery, servers: readonly string[], { link }: Session): Html {
  const { search, server, outcome, everyServer, everyOutcome } = texts.history;
  const option = (value: string, label: Html | string, chosen: string): Html =>
    html`<option${attributes({ value, selected: value === chosen })}>${label}</option>`;
  const outcomes = Object.entries(texts.call.chip).filter(([how]) => how !== 'waiting');
  return html`<form class="search" method="get" action="${link('/history')}" role="search" aria-label="${texts.history.title}"><label class="unseen" for="history-q">${search}</label><input${attributes({ id: 'history-q', type: 'search', name: 'q', value: query.text, placeholder: search })}><label class="unseen" for="history-server">${server}</label><select id="history-server" name="server">${option('', everyServer, query.server)}${servers.map(each => option(each, visibleHtml(each, 80), query.server))}</select><label class="unseen" for="history-outcome">${outcome}</label><select id="history-outcome" name="outcome">${option('', everyOutcome, query.outcome)}${outcomes.map(([how, label]) => option(how, label, query.outcome))}</select><button class="button">${texts.history.go}</button></form>`;
}

/** The calls that match, newest first, and the questions of this session. */
export function historyPage(
  calls: readonly CallView[],
  questions: readonly QuestionView[],
  notices: readonly NoticeView[],
  query: HistoryQuery,
  session: Session,
  zone: string,
): Content {
  const { when, server, tool, outcome } = texts.history;
  const fitting = calls.filter(call => fits(call, query));
  const from = Math.min(query.from, Math.max(0, fitting.length - 1));
  const { text, server: ofServer, outcome: withOutcome } = query;
  const partAt = (at: number): string =>
    session.link(
      `/history?${new URLSearchParams({ q: text, server: ofServer, outcome: withOutcome, from: String(at) })}`,
    );
  const calledOnes = pager({ from, most: callsOnPage, count: fitting.length }, partAt, [
    texts.history.newer,
    texts.history.older,
  ]);
  const servers = [...new Set(calls.map(call => call.serverId))].sort();
  const callRows = fitting
    .slice(from, from + callsOnPage)
    .map(
      call =>
        html`<tr><td>${call.earlier === true && html`${day(call.startedAt, zone)} `}${clock(call.startedAt, zone)}</td>${serverCell(call.serverId)}<td><a${attributes({ class: call.title === undefined && 'mono', href: session.link(callPath(call.context.id)) })}>${named(call.context.name, call.title, 120)}</a>${Object.keys(call.context.arguments).length > 0 && argumentRow(call.context.arguments)}</td><td>${callChip(call)}</td><td class="act"><a href="${session.link(againPath(call))}">${texts.call.again}</a></td></tr>`,
    );
  const answeredRows = questions.slice(0, questionsOnPage).map(({ question, ending }) => ({
    at: question.askedAt,
    row: html`<tr><td>${clock(question.askedAt, zone)}</td>${serverCell(question.asker.id)}<td>${callCell(question.call, session)}</td><td class="long"><a href="${session.link(questionPath(question))}">${visibleHtml(questionSubject(question, ending !== undefined), 140, true)}</a></td><td>${ending ? endingChip(ending, deskEndings) : html`<span class="chip chip-wait"><span class="dot"></span>${texts.question.waiting}</span>`}</td></tr>`,
  }));
  const decided = notices.slice(0, questionsOnPage).map(({ notice, serverId, at }) => ({
    at,
    row: html`<tr><td>${clock(at, zone)}</td>${serverCell(serverId)}<td>${callCell(notice.call, session)}</td><td class="long">${noticeText(notice)}${notice.type === 'refused' && html` <span class="quiet-text">${visibleHtml(notice.why, 300)}</span>`}</td><td>${noticeChip(notice)}</td></tr>`,
  }));
  const questionRows = [...answeredRows, ...decided].sort((a, b) => b.at - a.at).map(({ row }) => row);
  const none = calls.length === 0 ? texts.call.none : texts.history.noneFits;
  return {
    title: texts.history.title,
    at: '/history',
    refresh: { after: 10, to: session.link('/history') },
    main: html`<div class="head"><h1>${texts.history.title}</h1>${calls.length > 0 && buttonForm(session, '/history/clear', texts.history.clear)}</div><p class="lead">${texts.history.lead}</p><section class="section history"><h2>${texts.history.calls}</h2>${filters(query, servers, session)}${table(texts.history.calls, [when, server, tool, outcome, texts.history.again], callRows, none)}${calledOnes}</section><section class="section history"><h2>${texts.history.questions}</h2>${table(texts.history.questions, [when, server, texts.history.tool, texts.history.question, outcome], questionRows, texts.history.noQuestions)}</section>`,
  };
}
