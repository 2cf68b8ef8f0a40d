/** What the card shows, with the words and the controls of the desk. Pure. */
import { type AskedField, type Issue, isWayBack } from '@midcall/core/form';
import { attributes, type Html, html } from '@midcall/core/page';
import { formBody } from '../../packages/host/src/web/card/form-body.ts';
import { argumentRow, quoted } from '../../packages/host/src/web/card/frame.ts';
import type { Draft } from '../../packages/host/src/web/form/index.ts';
import { minute, visibleHtml } from '../../packages/host/src/web/html/index.ts';
import { spelledLeft, texts } from '../../packages/host/src/web/texts/index.ts';

/** What the server gives the card. */
export interface CardData {
  readonly question?: { readonly message: string; readonly fields: readonly AskedField[] };
  readonly page?: { readonly message: string; readonly url: string; readonly note?: string };
  readonly server?: string;
  readonly tool: string;
  /** In milliseconds since the epoch. */
  readonly dueAt: number;
  readonly ticket: string;
}

/** How it is shown now. */
export interface Showing {
  readonly args: Readonly<Record<string, unknown>>;
  readonly draft: Draft;
  readonly issues: readonly Issue[];
  readonly zone: string;
  readonly now: number;
  /** True while the answer is on its way. */
  readonly isSending: boolean;
  /** Why what came of the last answer is not known. */
  readonly problem: string | undefined;
}

/** The words of the card that the desk does not have. */
export const cardTexts = {
  nothing: 'Midcall has nothing to ask you here.',
  waiting: 'Waiting for the tool.',
  cancelled: 'The call was cancelled. If it is still needed, tell your assistant.',
  sending: 'Sending…',
  unfinished: 'Waiting for your answer there…',
  late: 'Time is up: an answer may come too late. Send it to find out, or tell your assistant.',
  answeredBefore: 'This question was answered before.',
  unknown: (why: string) => `It is not known whether this arrived (${why}). Send it again: it will count only once.`,
  underWay:
    'Your answer arrived, and the call is still running. Send it again to see what came of it: it will count only once.',
  notTaken: 'The answer was not taken. Tell your assistant that it was not.',
  untold: 'Your assistant has not been told of it: tell it yourself.',
  how: { accept: 'You answered.', decline: 'You declined.', cancel: 'You dismissed the question.' },
  pageDone: 'The call goes on.',
  notOpened: 'This app does not open pages. Copy the address into your browser.',
  aboutPage: 'Open the page, answer there, and come back.',
};

const heading = 'card-who';

function frame(data: CardData, { args, now, zone }: Showing): Html {
  const { server, tool, dueAt } = data;
  const asks = texts.question.asks[data.question ? 'form' : 'url'];
  const left = spelledLeft(dueAt - now);
  return html`<header class="frame"><div class="frame-top"><h2 class="frame-title" id="${heading}" tabindex="-1"><strong>${visibleHtml(server ?? tool, 80)}</strong> ${asks}</h2><span class="chip chip-until">${texts.question.openUntil} ${minute(dueAt, now, zone)}<span${attributes({ class: 'time-left', id: 'left', hidden: left === '' })}>${left}</span></span></div>
<p class="frame-call"><span>${texts.question.forCall}</span> <code class="tool-name">${visibleHtml(tool, 200)}</code> ${argumentRow(args)}</p></header>`;
}

/** Above the buttons: what went wrong, and that time is up. */
const notes = ({ dueAt }: CardData, { now, problem }: Showing): Html =>
  html`<p${attributes({ class: 'problems', role: 'status', id: 'late', hidden: now < dueAt })}>${cardTexts.late}</p>
${problem !== undefined && html`<p class="problems" role="alert" data-key="problem">${visibleHtml(problem, 500)}</p>`}`;

const button = (value: string, label: Html | string, isSending: boolean, className: string): Html =>
  html`<button${attributes({ type: 'button', class: `button${className}`, 'data-action': value, disabled: isSending })}>${label}</button>`;

/** An open question. */
export function questionCard(data: CardData, showing: Showing): Html {
  const { draft, issues, zone, now, isSending } = showing;
  const { message, fields } = data.question!;
  // Who asks is in the frame, which is the card's own.
  const question = { kind: 'form', id: 'card', askedAt: now, message, fields } as Parameters<typeof formBody>[0];
  const body = formBody(question, { draft, issues, zone, now, csrf: '', link: () => '' });
  const back = fields.findIndex(isWayBack);
  const ways = fields.flatMap(field => (isWayBack(field) ? field.choices : []));
  return html`<article class="card question" aria-labelledby="${heading}">${frame(data, showing)}
<form id="form" novalidate autocomplete="off">${body.content}
${notes(data, showing)}
<div class="actions"><p class="leaving" id="leaving" role="status" data-morph="keep"></p>${button('accept', isSending ? cardTexts.sending : texts.question.send, isSending, ' primary')}
${button('decline', texts.question.decline, isSending, '')}
${button('cancel', html`${texts.question.dismiss} <kbd>${texts.question.esc}</kbd>`, isSending, ' plain')}</div>
${
  ways.length > 0 &&
  html`<p class="ways-back">${ways.map(
    ({ title }, at) =>
      html`<button${attributes({ type: 'button', class: 'button small', 'data-back': `f${back}`, value: String(at), disabled: isSending })}>${visibleHtml(title, 200)}</button>`,
  )}</p>`
}
<p class="ways-out">${texts.question.waysOut}</p></form></article>`;
}

/** A page to answer on. It can be opened also while the server waits for the answer there. */
export function pageCard(data: CardData, showing: Showing): Html {
  const { message, url, note } = data.page!;
  const { isSending } = showing;
  return html`<article class="card question" aria-labelledby="${heading}">${frame(data, showing)}
<form id="form">${quoted(message, 'says')}<div class="address"><p class="address-label">${texts.url.full}</p><p class="address-text mono">${visibleHtml(url, 8_000)}</p></div>
<p class="help">${note !== undefined && html`${visibleHtml(note, 500)} `}${cardTexts.aboutPage}</p>
${notes(data, showing)}
<div class="actions">${button('open', texts.url.open, false, ' primary')}
${button('finished', isSending ? cardTexts.unfinished : texts.url.finished, isSending, '')}</div></form></article>`;
}

/** One line: nothing is asked, or no more. @param detail - what came of it, in the server's words */
export const line = (text: string, detail?: string): Html =>
  html`<p class="line" role="status" tabindex="-1" id="${heading}">${text}${detail !== undefined && html` <span class="detail">${visibleHtml(detail, 2_000, true)}</span>`}</p>`;
