/** The body of a card that asks before a call is made: its arguments, made from their values alone. */
import { attributes, type Html, html } from '@midcall/core/page';
import { argumentRows, type CallQuestion } from '../../index.ts';
import { visibleHtml } from '../html/index.ts';
import { texts } from '../texts/index.ts';
import type { CardBody } from './frame.ts';

/** The most characters of one text that are shown. */
const longestText = 100_000;

/** Removed and added lines of a unified diff stand out. */
const diffLine = (line: string): Html => {
  const kind = /^[+](?![+][+])/.test(line) ? 'diff-came' : /^-(?!--)/.test(line) ? 'diff-went' : undefined;
  return html`<span${attributes({ class: kind })}>${visibleHtml(line, 2_000)}\n</span>`;
};

const text = (value: string, label: string): Html =>
  html`<pre${attributes({ class: 'argument-text', tabindex: '0', role: 'region', 'aria-label': label })}>${visibleHtml(value, longestText, true)}</pre>`;

function value(row: ReturnType<typeof argumentRows>[number]): Html {
  const { before, after } = texts.callQuestion;
  switch (row.shows) {
    case 'value':
      return html`<span class="mono">${visibleHtml(row.text, 500)}</span>`;
    case 'text':
      return text(row.text, row.label);
    case 'diff':
      return html`<pre${attributes({ class: 'argument-text', tabindex: '0', role: 'region', 'aria-label': row.label })}>${row.text.split('\n').slice(0, 2_000).map(diffLine)}</pre>`;
    case 'change':
      return html`<div class="argument-change"><div><p class="help">${before}</p>${text(row.before, before)}</div><div><p class="help">${after}</p>${text(row.after, after)}</div></div>`;
  }
}

/** Consent to a call. */
export function callBody({ call, labels, why }: CallQuestion): CardBody {
  const rows = argumentRows(call.arguments, labels);
  const { because, notMade, yes, no, close, waysOut } = texts.callQuestion;
  return {
    content: html`<p>${notMade} ${because(why)}</p>
${
  rows.length === 0
    ? html`<p class="quiet-text">${texts.call.noArguments}</p>`
    : html`<dl class="sent call-arguments">${rows.map(row => html`<div><dt>${visibleHtml(row.label, 200)}</dt><dd>${value(row)}</dd></div>`)}</dl>`
}`,
    accept: yes,
    decline: no,
    dismiss: close,
    waysOut,
  };
}
