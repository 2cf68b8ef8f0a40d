/**
 * The pages of one person's inbox: what waits for them, one question as the desk's card, what they were asked before, and signing
 * out. Unlike the desk's, they show nothing of the machine that they come from. Pure.
 */
import { attributes, brandMark, type Html, html, type Page } from '@midcall/core/page';
import { type Question, visible } from '../../index.ts';
import { age, type CardContext, callLine, card, questionSubject } from '../card/index.ts';
import { day, icons, minute, visibleHtml } from '../html/index.ts';
import {
  announceRegion,
  endedEntries,
  endingChip,
  keptBox,
  nextQuestion,
  pager,
  questionItem,
  type Returned,
  table,
  waitEntry,
} from '../pages/index.ts';
import type { PersonAssetPaths } from '../routes/index.ts';
import { keptTexts, personTexts, texts } from '../texts/index.ts';
import type { HostWait, Session } from '../workspace/index.ts';
import {
  approvalChips,
  approvalStanding,
  ownPart,
  type PasskeyState,
  sharedAnswer,
  standingEntry,
} from './approval.ts';
import type { EndedQuestion, OpenQuestion } from './questions.ts';

/** How many questions a page lists. */
export const pageSize = 50;

/** Everything that a page shows around its own content. */
export interface PersonView extends Session {
  /** As the issuer calls the person; untrusted. */
  readonly name: string;
  /** How many questions are open. */
  readonly count: number;
  /** Milliseconds since the epoch. */
  readonly now: number;
  /** The person's time zone, by IANA name. */
  readonly zone: string;
  /** True if the browser has told its time zone. */
  readonly isZoneTold: boolean;
  /** True if there is a page of passkeys. */
  readonly hasPasskeys: boolean;
  /** Whether they can be notified. */
  readonly hasNotifications: boolean;
}

/** The content of one page. */
export interface PersonContent {
  readonly title: string;
  readonly main: Html;
  /** The path of its entry in the navigation. */
  readonly at?: '/' | '/past' | '/passkeys' | '/notifications';
  /** The address that a browser without client script reloads, and after how many seconds; absent if somebody may be typing. */
  readonly refresh?: { readonly after: number; readonly to: string };
}

/** A part of a list. */
export interface Listed<Q> {
  readonly questions: readonly Q[];
  readonly count: number;
  readonly from: number;
}

/** Where a question is answered. */
export const answerPath = ({ id }: Question): string => `/questions/${encodeURIComponent(id)}`;

function topBar({ link, count, name, hasPasskeys, hasNotifications }: PersonView, at: PersonContent['at']): Html {
  const { nav, open, signOut } = personTexts;
  const waiting = html`<span${attributes({ class: count > 0 ? 'inbox-count waiting' : 'inbox-count', 'aria-hidden': 'true' })}>${count}</span><span class="unseen">: ${open.count(count)}</span>`;
  const entry = (path: NonNullable<PersonContent['at']>, label: Html): Html =>
    html`<li><a${attributes({ href: link(path), 'aria-current': at === path && 'page' })}>${label}</a></li>`;
  return html`<header class="top"><a class="brand" href="${link('/')}">${brandMark}<span>${texts.product}</span> <span class="brand-place">${personTexts.place}</span></a><nav class="pages" aria-label="${nav.label}"><ul>${entry('/', html`${nav.open} ${waiting}`)}${entry('/past', html`${nav.past}`)}${hasPasskeys && entry('/passkeys', html`${nav.passkeys}`)}${hasNotifications && entry('/notifications', html`${personTexts.notifications.title}`)}</ul></nav><p class="person"><span class="person-name">${visibleHtml(personTexts.signedInAs(name), 100)}</span> <a href="${link('/sign-out')}">${signOut.link}</a></p></header>`;
}

/** A whole page. */
export function personLayout(view: PersonView, content: PersonContent, assets: PersonAssetPaths): Page {
  const { count, zone, link, now } = view;
  return {
    title: `${count > 0 ? `(${count}) ` : ''}${visible(content.title, { max: 200 })} · ${texts.product}`,
    icon: count > 0 ? assets.waiting : assets.icon,
    styles: [assets.style],
    modules: [assets.script],
    manifest: assets.manifest,
    touchIcon: assets.picture,
    ...(content.refresh && { refreshWithoutScript: content.refresh }),
    bodyAttributes: {
      'data-base': link(''),
      'data-worker': assets.worker,
      'data-scope': assets.scope,
      'data-now': now,
      'data-zone': view.isZoneTold && zone,
      'data-waiting': personTexts.open.count(count),
    },
    body: html`<a class="skip" href="#main">${texts.skip}</a>
${topBar(view, content.at)}
${keptBox(keptTexts.inbox, link('/'))}
<div class="frame-grid is-alone">
<main id="main" tabindex="-1">${content.main}${!view.isZoneTold && html`<noscript><p class="help zone-note">${personTexts.utc}</p></noscript>`}</main>
</div>
${announceRegion}`,
  };
}

/** Until when a question can be answered and who waits for it, at the end of its entry. */
function itemFacts({ question, approval, wait, sent }: OpenQuestion, { now, zone }: PersonView): Html | false {
  const { openUntil } = question;
  const chips = [
    sent === true && html`<span class="chip chip-wait">${personTexts.open.sent}</span>`,
    ...(approval ? approvalChips(approval) : []),
    openUntil !== undefined &&
      html`<span class="chip">${texts.question.openUntil} ${minute(openUntil, now, zone)}</span>`,
    wait !== undefined && waitWords(wait, { now, zone }),
  ].filter(each => each !== false);
  return chips.length > 0 && html`<span class="chips">${chips}</span>`;
}

function waitWords({ host, state, until }: HostWait, { now, zone }: Pick<PersonView, 'now' | 'zone'>): Html | false {
  if (state === 'left') return html`<span class="chip">${visibleHtml(personTexts.open.hostLeft(host), 80)}</span>`;
  if (state !== 'waits') return false;
  if (until === undefined) return html`<span class="chip">${visibleHtml(texts.wait.waits(host), 80)}</span>`;
  return html`<span class="chip">${visibleHtml(texts.wait.waitsUntil(host), 80)} ${minute(until, now, zone)}</span>`;
}

/** What waits for the person, oldest first. */
export function openPage({ questions, count, from }: Listed<OpenQuestion>, view: PersonView): PersonContent {
  const { link, now } = view;
  const own = personTexts.open;
  const oldest = questions[0];
  const items = questions.map(each =>
    questionItem(each.question, { href: link(answerPath(each.question)), now }, itemFacts(each, view)),
  );
  return {
    title: personTexts.title,
    at: '/',
    refresh: { after: 10, to: link(`/?from=${from}`) },
    main: html`<section id="inbox"><div class="head"><h1>${texts.inbox.title}</h1>${count > 0 && html`<span class="quiet-text">${own.count(count)}${from === 0 && oldest && html` · ${texts.inbox.oldest} ${age(oldest.question.askedAt, now)}`}</span>`}</div>${
      count === 0
        ? html`<div class="panel empty-inbox">${icons.inbox}<h2>${own.empty}</h2>${own.emptyLead.map(line => html`<p>${line}</p>`)}<p><a href="${link('/past')}">${own.toPast}</a></p></div>`
        : html`<ul class="inbox-list person-list" data-key="questions">${items}</ul>`
    }${pager({ from, most: pageSize, count }, at => link(`/?from=${at}`), [texts.inbox.previous, texts.inbox.next])}</section>`,
  };
}

/** What a question's page has besides the question. */
export interface QuestionPageOptions {
  /** What was posted, if its form is shown again. */
  readonly returned?: Omit<Returned, 'id'>;
  /** Why an answer was not sent. */
  readonly notice?: string;
  /** The question to go on with. */
  readonly next?: Question | undefined;
  /** Of the person's passkeys, if the question needs one. */
  readonly passkey?: PasskeyState | undefined;
}

const crumb = ({ link }: Session): Html => html`<a class="crumb" href="${link('/')}">${personTexts.title}</a>`;

/**
 * Says that an answer came too late. A live update of the page, which follows at once, leaves it there, and the answer to a form
 * replaces what a live update has left.
 */
const lateBox = (notice: string | undefined): Html =>
  html`<div${attributes({ class: 'notice', id: 'late', role: 'alert', hidden: notice === undefined, 'data-stays': true })}><span>${notice}</span></div>`;

/** One question: its card or, once it has ended, what became of it. */
export function questionPage(
  shown: OpenQuestion | EndedQuestion,
  view: PersonView,
  options: QuestionPageOptions = {},
): PersonContent {
  const { question } = shown;
  const { csrf, link, now, zone } = view;
  const { returned, notice, next, passkey } = options;
  const head = (content: Html, refresh?: number): PersonContent => ({
    title: texts.question.title,
    ...(refresh !== undefined && { refresh: { after: refresh, to: link(answerPath(question)) } }),
    main: html`<div class="head"><h1>${crumb(view)} ${visibleHtml(question.asker.id, 80)}</h1>${'ending' in shown && day(question.askedAt, zone)}</div>${content}`,
  });
  if ('ending' in shown) {
    const typed = returned ? { typed: returned.draft } : {};
    return head(
      html`${lateBox(notice)}<div class="asked-for">${callLine(question, false, !shown.approval)}</div><ol class="timeline">${endedEntries({ ...shown, ...typed }, zone, endingWords(shown))}${waitEntry(shown.wait)}</ol>${standingEntry(shown, view)}${nextQuestion(next, next && link(answerPath(next)))}`,
    );
  }
  if (shown.sent) {
    const own = personTexts.question;
    return head(
      html`<div class="notice sent-notice" role="status" tabindex="-1" id="q-${question.id}-end">${icons.working}<div><strong>${own.sentTitle}</strong><p>${own.sentLead}</p></div></div><div class="alone"><p class="inbox-message">${visibleHtml(questionSubject(question), 200, true)}</p></div>${nextQuestion(next, next && link(answerPath(next)))}`,
      3,
    );
  }
  const context: CardContext = {
    ...{ csrf, link, now, zone },
    isElsewhere: true,
    waitFor: () => shown.wait,
    ...(returned && { draft: returned.draft, issues: returned.issues }),
    ...(shown.approval &&
      (question.kind === 'form' || question.kind === 'call') && {
        shared: sharedAnswer(question, shown.approval, passkey, view),
      }),
  };
  return head(html`${notice !== undefined && lateBox(notice)}<div class="alone">${card(question, context)}</div>`);
}

/** The words for how a question ended: of one that others answer too, the person's own part. */
const endingWords = (shown: EndedQuestion): typeof personTexts.ending => {
  const part = ownPart(shown);
  return part === undefined ? personTexts.ending : { ...personTexts.ending, sentence: () => part };
};

function pastRow(shown: EndedQuestion, { link, now, zone }: PersonView): Html {
  const { question, ending, endedAt } = shown;
  const { call, asker } = question;
  const own = personTexts.past;
  const where =
    'via' in ending &&
    html`<span class="quiet-text">${ending.via === 'inbox' ? own.here : visibleHtml(own.elsewhere(ending.via), 60)}</span>`;
  const outcome = approvalStanding(shown) || html`${endingChip(ending, personTexts.ending)} ${where}`;
  return html`<tr><td>${minute(endedAt, now, zone)}</td><td${attributes({ class: asker.id.length <= 20 && 'short' })}>${visibleHtml(asker.id, 80)}</td><td>${call ? html`<span class="mono">${visibleHtml(call.name, 120)}</span>` : html`<span class="quiet-text">${texts.question.noCall}</span>`}</td><td class="long"><a href="${link(answerPath(question))}">${visibleHtml(questionSubject(question, true), 140, true)}</a></td><td class="outcome">${outcome}</td></tr>`;
}

/** What the person was asked before, latest end first. */
export function pastPage({ questions, count, from }: Listed<EndedQuestion>, view: PersonView): PersonContent {
  const { link } = view;
  const own = personTexts.past;
  return {
    title: own.title,
    at: '/past',
    refresh: { after: 10, to: link(`/past?from=${from}`) },
    main: html`<div class="head"><h1>${own.title}</h1></div><p class="lead">${own.lead}</p><section class="history">${table(
      own.title,
      own.heads,
      questions.map(each => pastRow(each, view)),
      own.none,
    )}${pager({ from, most: pageSize, count }, at => link(`/past?from=${at}`), [own.newer, own.older])}</section>`,
  };
}

/** The ways to sign out. */
export function signOutPage({ csrf, link }: PersonView): PersonContent {
  const own = personTexts.signOut;
  const form = (label: string, kind: string, everywhere: boolean): Html =>
    html`<form method="post" action="${link('/sign-out')}" data-leaves><input type="hidden" name="csrf" value="${csrf}">${everywhere && html`<input type="hidden" name="everywhere" value="true">`}<button class="button${kind}">${label}</button></form>`;
  return {
    title: own.title,
    main: html`<div class="head"><h1>${own.title}</h1></div><p class="lead">${own.lead}</p><div class="sign-out">${form(own.here, ' primary', false)}<div>${form(own.everywhere, '', true)}<p class="help">${own.everywhereLead}</p></div><p><a href="${link('/')}">${own.stay}</a></p></div>`,
  };
}
