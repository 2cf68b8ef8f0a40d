/**
 * The frame around every card, in our own words: who asks, for which call, with which arguments; and the parts that all
 * kinds of card share. Pure.
 */

import type { Issue } from '@midcall/core/form';
import { attributes, type Html, html } from '@midcall/core/page';
import { capitalized } from '@midcall/core/text';
import { type FormQuestion, maskedArguments, type Question, type SignInQuestion, visible } from '../../index.ts';
import type { Draft } from '../form/index.ts';
import { icons, minute, visibleHtml, visibleValue } from '../html/index.ts';
import { personTexts, spelledAge, spelledLeft, texts } from '../texts/index.ts';
import type { HostWait, Session } from '../workspace/index.ts';

/** What a card needs besides its question. */
export interface CardContext extends Session {
  /** Milliseconds since the epoch. */
  readonly now: number;
  /** The person's time zone, by IANA name. */
  readonly zone: string;
  /** True if permanent decisions can be made. */
  readonly keepsRules?: boolean;
  /** True for a person elsewhere, who decides about this question alone, and whose input is stored nowhere before it is sent. */
  readonly isElsewhere?: boolean;
  /** What is special about answering: others are asked as well, or a passkey has to confirm it. */
  readonly shared?: SharedAnswer;
  /** The posted values, if a form is shown again. */
  readonly draft?: Draft;
  /** What a person has entered in a question's form so far. */
  readonly draftOf?: (questionId: string) => Draft | undefined;
  /** Whether a host waits for the answer. */
  readonly waitFor?: (question: Question) => HostWait | undefined;
  /** What the person answered when the same server asked the same last; undefined if it has not. */
  readonly lastAnswerOf?: (question: FormQuestion) => Readonly<Record<string, unknown>> | undefined;
  /** How many calls like that of the question wait, and where the person can decide about all of them. */
  readonly alike?: { readonly count: number; readonly href: string };
  /** The path of the App that an open question names. */
  readonly appOf?: (question: Question) => string | undefined;
  readonly issues?: readonly Issue[];
  /** The call on whose page the card is, if its question names none; the answer leads back there. */
  readonly at?: string;
  /** True if the server did not say whether its question belongs to the call on whose page the card is. */
  readonly perhaps?: boolean;
}

/** An answer that is not the person's alone, or that a passkey has to confirm. */
export interface SharedAnswer {
  /** Who is asked, what follows, and what the answer is about, unabridged: below the message. */
  readonly basis: Html;
  /** The accepting button, if not the usual one. */
  readonly accept: string | undefined;
  /** False if it cannot be closed without an answer. */
  readonly isDismissible: boolean;
  readonly waysOut: string | undefined;
  /** Beside the buttons if a passkey has to confirm what they send. */
  readonly confirmation: Html | undefined;
  /** In place of the buttons, for somebody who cannot answer now. */
  readonly instead: Html | undefined;
}

/** What the body of one kind of card adds to the shared form. */
export interface CardBody {
  readonly content: Html;
  /** The accepting button; absent if there is nothing that could be accepted. */
  readonly accept?: string;
  readonly decline?: string;
  readonly dismiss?: string | false;
  readonly waysOut: string;
  /** More buttons, below the others: the first button of a form is the one that Enter presses. */
  readonly moreWays?: Html | false;
  /** The text beside the ways out of a long form, if they stay visible. */
  readonly inSight?: string;
  /** Set if accepting opens a page in a tab of its own. */
  readonly opensTab?: boolean;
  /** True if there is nothing to accept until something is chosen. */
  readonly needsChoice?: boolean;
}

/** The icon that stands for a kind of question. */
export function questionIcon(question: Question): Html {
  if (question.kind === 'url' || question.kind === 'url-finish' || question.kind === 'sign-in') return icons.page;
  if (question.kind === 'roots') return icons.folder;
  return question.kind === 'form' || question.kind === 'call' ? icons.question : icons.model;
}

/** The headline of a question, without who asks it. @param hasEnded - true puts it in the past tense */
export function questionHeadline(question: Question, hasEnded = false): string {
  const words = hasEnded ? texts.question.asked : texts.question.asks;
  if (question.kind === 'sampling-reply' && question.model.byHand) return words['own-reply'];
  return words[question.kind === 'sign-in' && question.more ? 'sign-in-more' : question.kind];
}

/** Where the person signs in, in short. */
const signInHost = ({ issuer }: SignInQuestion): string => (URL.canParse(issuer) ? new URL(issuer).host : issuer);

/**
 * What a question is about, for a list that names its server apart: the server's words, or else ours as a sentence.
 * @param hasEnded - true puts ours in the past tense
 */
export function questionSubject(question: Question, hasEnded = false): string {
  if ('message' in question) return question.message;
  const headline = questionHeadline(question, hasEnded);
  const words = question.kind === 'sign-in' ? texts.question.signInAt(headline, signInHost(question)) : headline;
  return capitalized(words);
}

/** A time from which the page counts on. */
export function age(since: number, now: number): Html {
  return html`<time class="age" datetime="${new Date(since).toISOString()}" data-since="${since}">${spelledAge(now - since)}</time>`;
}

/**
 * A time at which something ends; client script counts down before it (`client/ages.ts`).
 * @param what - what is announced behind the time that is left
 */
function untilChip(label: string, until: number, id: string, what: string, { now, zone }: CardContext): Html {
  const left = spelledLeft(until - now);
  return html`<span class="chip chip-until"><span>${visibleHtml(label, 120)} ${minute(until, now, zone)}</span><span${attributes({ class: 'time-left', id, 'data-until': String(until), 'data-what': visible(what, { max: 120 }), hidden: left === '' })}>${left}</span></span>`;
}

/** How long a question is open, if known. */
function deadline({ id, asker, openUntil }: Question, context: CardContext): Html | false {
  if (openUntil === undefined) return false;
  return untilChip(texts.question.openUntil, openUntil, `q-${id}-left`, texts.question.leftToAnswer(asker.id), context);
}

/** Who waits for the answer, and until when. */
function waitChip({ id }: Question, wait: HostWait | undefined, context: CardContext): Html | false {
  if (wait?.state !== 'waits') return false;
  const { host, until } = wait;
  if (until === undefined) return html`<span class="chip">${visibleHtml(texts.wait.waits(host), 120)}</span>`;
  return untilChip(texts.wait.waitsUntil(host), until, `q-${id}-wait`, texts.wait.leftToWait(host), context);
}

/** How long a question has waited, who waits for its answer, and until when. */
export const questionChips = (question: Question, context: CardContext): Html =>
  html`<span class="chips-inline"><span class="chip chip-wait"><span class="dot"></span>${texts.question.age} ${age(question.askedAt, context.now)}</span>${waitChip(question, context.waitFor?.(question), context)}${deadline(question, context)}</span>`;

/** What the person does after answering, if the host has stopped waiting. */
export const leftLine = (wait: HostWait | undefined): Html | false =>
  wait?.state === 'left' &&
  html`<p class="host-left">${icons.warning}<span>${visibleHtml(texts.wait.answerFirst(wait.host), 200)}</span></p>`;

/** Arguments as a row of `name = value`. */
export function argumentRow(all: Readonly<Record<string, unknown>>): Html {
  const entries = Object.entries(maskedArguments(all));
  if (entries.length === 0) return html`<span class="quiet-text">${texts.call.noArguments}</span>`;
  const shownEntries = entries.slice(0, 12);
  return html`<span class="arguments">${shownEntries.map(
    ([name, value]) =>
      html`<span class="argument"><span class="argument-name">${visibleHtml(name, 80)}</span> ${visibleValue(value)}</span> `,
  )}${entries.length > shownEntries.length && html`<span class="quiet-text">${texts.inbox.more(entries.length - shownEntries.length)}</span>`}</span>`;
}

/**
 * The call that a question belongs to.
 * @param perhaps - true if the server did not say that it does
 * @param hasArguments - false if they are shown elsewhere
 */
export function callLine({ call, kind }: Question, perhaps: boolean, hasArguments = true): Html {
  if (kind === 'call')
    return html`<p class="frame-call"><span>${texts.callQuestion.tool}</span> <code class="tool-name">${visibleHtml(call.name, 200)}</code></p>`;
  if (kind === 'sign-in') return html`<p class="frame-call">${texts.signIn.forServer}</p>`;
  if (perhaps) return html`<p class="frame-call perhaps">${texts.call.perhapsAsked(false)}</p>`;
  if (!call) return html`<p class="frame-call">${texts.question.outsideCall}</p>`;
  return html`<p class="frame-call"><span>${texts.question.forCall}</span> <code class="tool-name">${visibleHtml(call.name, 200)}</code>${hasArguments && html` ${argumentRow(call.arguments)}`}</p>`;
}

/** Where the server is reached. A command on a machine that is not the person's tells them nothing, and contains names of files. */
function originLine({ origin }: Question['asker'], { isElsewhere = false }: CardContext): Html {
  return isElsewhere && !/^https?:/i.test(origin)
    ? html`<p class="frame-origin">${personTexts.question.program}</p>`
    : html`<p class="frame-origin mono">${visibleHtml(origin, 300)}</p>`;
}

/** The frame of a card: who asks, and for what. */
export function cardFrame(question: Question, context: CardContext, headingId: string): Html {
  const { asker } = question;
  const wait = context.waitFor?.(question);
  return html`<header class="frame">
<div class="frame-top"><h2 class="frame-title" id="${headingId}" tabindex="-1"><strong>${visibleHtml(asker.id, 80)}</strong> ${questionHeadline(question)}</h2>
${questionChips(question, context)}</div>
${!context.shared && originLine(asker, context)}
${callLine(question, context.perhaps === true, !context.shared)}${leftLine(wait)}
</header>`;
}

/** What a server wrote, as a quotation. @param id - of its text */
export function quoted(message: string, id?: string): Html {
  return html`<figure class="quote"><figcaption>${texts.question.serverWrites}</figcaption><blockquote${attributes({ id })}>${visibleHtml(message, 100_000, true)}</blockquote></figure>`;
}
