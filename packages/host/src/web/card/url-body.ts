/**
 * The body of a card that asks for consent to open a page, and of the one that waits for its end. The whole address is
 * shown and its registrable domain stands out; the address is text, never a link, so that nothing is loaded before the
 * person has agreed.
 */
import { attributes, type Html, html } from '@midcall/core/page';
import { isLoopback } from '@midcall/core/url';
import type { SignInQuestion, UrlFinishQuestion, UrlQuestion } from '../../index.ts';
import { icons, visibleHtml } from '../html/index.ts';
import { texts } from '../texts/index.ts';
import { type CardBody, quoted } from './frame.ts';

/** A longer address scrolls on a narrow screen, so that what follows it stays in sight. */
const longAddress = 300;

function address({ url }: UrlQuestion | UrlFinishQuestion | SignInQuestion): Html {
  const { before, domain, after } = url.parts;
  const isLong = before.length + domain.length + after.length > longAddress;
  const reached = isLong && { tabindex: '0', role: 'region', 'aria-label': texts.url.full };
  return html`<div class="address"><p class="address-label">${texts.url.full}</p><p${attributes({ class: 'address-text mono', ...reached })}>${visibleHtml(before, 8_000)}${domain !== '' && html`<strong>${visibleHtml(domain, 500)}</strong>`}${visibleHtml(after, 8_000)}</p>${
    url.readableHost !== undefined && html`<p class="help">${texts.url.readsAs(url.readableHost)}</p>`
  }</div>`;
}

/** True for a page of this machine itself, which is nothing to be warned of. */
const isOwnPage = ({ url }: UrlQuestion | SignInQuestion): boolean =>
  url.warnings.every(({ rule }) => rule === 'local-host') && isLoopback(new URL(url.href).hostname);

const warnings = (question: UrlQuestion | SignInQuestion): Html | false => {
  const { warnings: all, openable } = question.url;
  if (all.length === 0) return false;
  if (openable && isOwnPage(question))
    return html`<p class="help">${all.map(({ message }) => visibleHtml(message, 500))}</p>`;
  return html`<div class="warnings"><p class="warnings-title">${icons.warning}${texts.url.warnings}</p><ul>${all.map(
    warning => html`<li>${visibleHtml(warning.message, 500)}</li>`,
  )}</ul></div>`;
};

/** What the person can judge the address by, and how to get there. */
function opening(
  question: UrlQuestion | SignInQuestion,
  lead: Html,
  words: { readonly help: string; readonly open: string; readonly waysOut: string },
): CardBody {
  const { openable } = question.url;
  return {
    content: html`${lead}
${address(question)}
${warnings(question)}
<p class="help">${openable ? words.help : texts.url.notOpenable}</p>`,
    ...(openable && { accept: words.open, opensTab: true }),
    waysOut: words.waysOut,
  };
}

/** Consent to open an address. */
export function urlBody(question: UrlQuestion): CardBody {
  const { url } = question;
  const lead = html`${quoted(question.message)}
${url.parts.domain !== '' && html`<p class="domain"><span>${texts.url.domain}</span> <strong>${visibleHtml(url.parts.domain, 300)}</strong></p>`}`;
  const { nothingFetched: help, open } = texts.url;
  return opening(question, lead, { help, open, waysOut: texts.question.waysOut });
}

/** A page that was opened: finished or cancelled. */
export function finishBody(question: UrlFinishQuestion): CardBody {
  return {
    content: html`${quoted(question.message)}${address(question)}<p class="help">${texts.url.afterOpen}</p>`,
    accept: texts.url.finished,
    decline: texts.url.giveUp,
    dismiss: false,
    waysOut: texts.url.finishWays,
  };
}

/** A sign-in to the server: the page is opened from here, and the card disappears when the person has signed in. */
export function signInBody(question: SignInQuestion): CardBody {
  const { issuer, scopes, code } = question;
  const lead = html`<p class="domain"><span>${texts.signIn.at}</span> <strong>${visibleHtml(issuer, 300)}</strong></p>
${scopes.length > 0 && html`<p class="domain"><span>${texts.signIn.scopes}</span> ${scopes.map(scope => html`<code>${visibleHtml(scope, 100)}</code> `)}</p>`}
${code !== undefined && html`<p class="domain"><span>${texts.signIn.code}</span> <strong class="mono">${visibleHtml(code, 100)}</strong></p>`}`;
  return opening(question, lead, texts.signIn);
}
