/** The frame around every kind's own content: who asks, for which call, and the ways out. Pure. */
import { attributes, brandMark, type Html, html, page, trusted } from '@midcall/core/page';
import { visible } from '@midcall/core/text';
import type { Details } from '../../request/index.ts';
import type { PageView, Visit } from './page.ts';

/** What every page shows. */
export interface Site {
  /** The name of the server, in the operator's words. */
  readonly name: string;
  readonly style: string;
  readonly icon: string;
}

/** Foreign text: every character visible, length capped. */
export const safeText = (text: string, max = 2_000, lines = false): string => visible(text, { max, lines });

function document(site: Site, title: string, body: Html, leadsTo?: URL): string {
  return page({
    title: `${title} · ${site.name}`,
    icon: site.icon,
    styles: [site.style],
    ...(leadsTo === undefined ? {} : { leadsTo: leadsTo.href }),
    body: html`<header class="top"><p class="brand">${brandMark}<span>${site.name}</span></p></header>
<main id="main">${body}</main>`,
  });
}

/** The hidden token of a form. */
export interface FormToken {
  readonly token: string;
  readonly now: number;
}

const problemBox = (problem: string | undefined): Html | false =>
  problem !== undefined && html`<p class="problem" role="alert">${safeText(problem, 400)}</p>`;

const minutes = (ms: number): string => {
  const left = Math.max(1, Math.round(ms / 60_000));
  return left === 1 ? '1 more minute' : `${left} more minutes`;
};

/** Enter in a field presses the first button of a form: it must be this one, not one that adds or removes. */
const defaultButton = trusted(
  '<button class="default-button" name="do" value="send" tabindex="-1" aria-hidden="true"></button>',
);

/** The page of a kind. */
export function kindPage(site: Site, visit: Visit, view: PageView, { token, now }: FormToken): string {
  // Nothing but the token is kept from the browser: whoever goes back to this page from one that says what went wrong finds what they
  // entered.
  const body = html`<article class="card" aria-labelledby="title">
<div class="frame"><h1 id="title">${safeText(view.title, 300)}</h1>
<p class="origin">Asked by <strong>${site.name}</strong> for the call <code>${safeText(visit.call.name, 200)}</code></p></div>
<form method="post" accept-charset="utf-8">
<input type="hidden" name="form-token" value="${token}" autocomplete="off">
${defaultButton}
<figure class="quote"><figcaption>${site.name} says</figcaption><blockquote>${safeText(visit.message, 2_000, true)}</blockquote></figure>
${problemBox(view.problem)}${view.body}
<div class="actions"><button class="button primary" name="do" value="send">${safeText(view.send, 100)}</button>
<button class="button" name="do" value="decline" formnovalidate>Decline</button></div>
</form></article>
<p class="aside">What you enter here goes to ${site.name} only, not through your assistant. This link works once, for ${minutes(visit.dueAt - now)}.</p>`;
  return document(site, safeText(view.title, 300), body);
}

/** Asks for the code that the host shows. */
export function codePage(site: Site, { token }: FormToken, problem?: string): string {
  const title = 'Enter your code';
  const body = html`<article class="card" aria-labelledby="title">
<div class="frame"><h1 id="title">${title}</h1><p class="origin">It tells ${site.name} that you are the one who was asked.</p></div>
<form method="post" autocomplete="off">
<input type="hidden" name="form-token" value="${token}">
${problemBox(problem)}<div class="field"><label for="code">Code</label>
<p class="help" id="code-help">Your assistant shows it with the question that led you here.</p>
<input${attributes({ id: 'code', name: 'code', class: 'code', required: true, maxlength: 20, autocapitalize: 'characters', spellcheck: 'false', autocomplete: 'one-time-code', 'aria-describedby': 'code-help', 'aria-invalid': problem !== undefined && 'true' })}></div>
<div class="actions"><button class="button primary" name="do" value="code">Continue</button></div>
</form></article>
<p class="aside">If nobody asked you for this and you were sent a link, close this page.</p>`;
  return document(site, title, body);
}

/** A link under a message. */
export interface Link {
  readonly to: string;
  readonly text: string;
  /** Opens beside the page, which stays to be reloaded. */
  readonly newTab?: boolean;
}

/** A page that shows a message and asks nothing. */
export function sayPage(site: Site, heading: string, lines: readonly string[], link?: Link): string {
  const title = safeText(heading, 300);
  return document(
    site,
    title,
    html`<article class="card says"><h1>${title}</h1>${lines.map(line => html`<p>${safeText(line, 1_000)}</p>`)}${
      link && html`<p><a${attributes({ href: link.to, target: link.newTab && '_blank' })}>${link.text}</a></p>`
    }</article>`,
  );
}

/**
 * Refuses a visitor who is signed in as somebody other than the person asked, and offers to change that.
 * @param action - the path of the page, since this is also shown where a provider sends the browser back to
 */
export function otherPersonPage(
  site: Site,
  { title, lines }: { title: string; lines: readonly string[] },
  action: string,
  token: string,
) {
  return document(
    site,
    title,
    html`<article class="card says"><h1>${title}</h1>${lines.map(line => html`<p>${line}</p>`)}
<form method="post" action="${action}"><input type="hidden" name="form-token" value="${token}">
<button class="button" name="do" value="other-person">Sign in as somebody else</button></form></article>`,
  );
}

/**
 * Shown for a moment before the browser goes elsewhere; there is no redirect, since the content security policy of the form
 * would stop it.
 */
export function leavePage(site: Site, to: URL, says: string): string {
  return document(
    site,
    says,
    html`<article class="card says"><h1>${says}</h1><p>You are leaving ${site.name} for <strong>${to.host}</strong>.</p>
<p><a href="${to.href}" rel="noreferrer">Continue</a></p></article>`,
    to,
  );
}

const all = (text: string): string => safeText(text, 1_000_000, true);

const marks: Readonly<Record<string, string>> = { '+': 'added', '-': 'removed', '@': 'place' };

function content(details: Details): Html {
  if (typeof details === 'string') return html`<pre>${all(details)}</pre>`;
  if ('diff' in details) {
    const lines = details.diff.split('\n');
    return html`<pre>${lines.map(line => html`<span class="${marks[line[0] ?? ''] ?? 'same'}">${all(line)}\n</span>`)}</pre>`;
  }
  const row = (cells: readonly string[]): Html => html`<tr>${cells.map(cell => html`<td>${all(cell)}</td>`)}</tr>`;
  return html`<table><thead><tr>${details.columns.map(column => html`<th scope="col">${all(column)}</th>`)}</tr></thead><tbody>${details.rows.map(row)}</tbody></table>`;
}

/** @returns nothing if the question has none */
export const detailsBlock = (details: Details | undefined): Html | false =>
  details !== undefined &&
  html`<section class="details" aria-label="Details" tabindex="0">${content(details)}</section>`;
