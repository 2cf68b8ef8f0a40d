/** How a page shows a question that several people answer, or that needs a passkey: who is asked, what follows, and how it stands. Pure. */
import { attributes, type Html, html } from '@midcall/core/page';
import type { CallQuestion, FormQuestion, Question } from '../../index.ts';
import { callArguments, diffBlock, type SharedAnswer, textBlock, unabridged } from '../card/index.ts';
import { minute, visibleHtml } from '../html/index.ts';
import { personTexts } from '../texts/index.ts';
import type { ApprovalDetails, ApprovalView, ApprovalVote, EndedQuestion } from './questions.ts';

/** When a page is made, and for whom. */
interface Moment {
  readonly now: number;
  /** The person's time zone, by IANA name. */
  readonly zone: string;
}

/** Whether the person can answer a question that needs a passkey. */
export type PasskeyState =
  | { readonly can: 'confirm' }
  /** @property addPath - where they add one */
  | { readonly can: 'add'; readonly addPath: string }
  | { readonly can: 'nothing'; readonly origin: string };

const own = personTexts.approval;

/** True for a form with fields: people agree by giving the same answer. */
const isSameOf = (question: Question): boolean => question.kind === 'form' && question.fields.length > 0;

const accepted = ({ votes }: ApprovalView): number => votes.filter(({ action }) => action === 'accept').length;

const row = (head: string, content: Html): Html => html`<div><dt>${head}</dt><dd>${content}</dd></div>`;

function voteLine({ name, action, assurance, at, isOwn }: ApprovalVote, isSame: boolean, { now, zone }: Moment): Html {
  const words = own.voted(isOwn ? own.you : name, action, isSame);
  return html`<li${attributes({ class: action === 'decline' && 'vote-no' })}>${visibleHtml(words, 120)} ${minute(at, now, zone)}${assurance === 'present' && html` <span class="quiet-text">${own.byPasskey}</span>`}</li>`;
}

const votesRow = ({ votes }: ApprovalView, isSame: boolean, moment: Moment): Html =>
  row(
    own.heads.votes,
    votes.length === 0
      ? html`${own.noVotes}`
      : html`<ul class="votes">${votes.map(each => voteLine(each, isSame, moment))}</ul>`,
  );

/** What of a question decides the words for its votes and for what follows from them. */
const natureOf = (question: Question) => ({ isSame: isSameOf(question), isCall: question.kind === 'call' });

function askedRow({ group, count }: ApprovalView, isSame: boolean): Html {
  return row(
    own.heads.asked,
    group === undefined ? html`${own.yours}` : visibleHtml(own.needed(group, count, isSame), 400),
  );
}

const requesterRow = ({ group, requester }: ApprovalView): Html | false =>
  group !== undefined &&
  row(own.heads.requester, requester === undefined ? html`${own.nobodyKnows}` : visibleHtml(requester, 120));

const label = own.details;

function detailsOf(details: ApprovalDetails): Html {
  if (typeof details === 'string') return textBlock(details, label, unabridged);
  if ('diff' in details) return diffBlock(details.diff, label, unabridged);
  const cell = (text: string): Html => html`<td>${visibleHtml(text, unabridged.characters, true)}</td>`;
  const { columns, rows } = details;
  return rows.length === 0
    ? html`<p class="quiet-text">${own.noRows}</p>`
    : html`<div class="md-table" tabindex="0" role="region" aria-label="${label}"><table><thead><tr>${columns.map(column => html`<th scope="col">${visibleHtml(column, 1_000)}</th>`)}</tr></thead><tbody>${rows.map(cells => html`<tr>${cells.map(cell)}</tr>`)}</tbody></table></div>`;
}

/** What an answer is about: the details, and what the call was made with, both unabridged. */
function basisOf(question: FormQuestion | CallQuestion, { details }: ApprovalView): Html {
  const { call } = question;
  const labels = question.kind === 'call' ? question.labels : undefined;
  return html`${details !== undefined && html`<div class="basis"><h3>${label}</h3>${detailsOf(details)}</div>`}${
    call &&
    Object.keys(call.arguments).length > 0 &&
    html`<div class="basis"><h3>${own.arguments[question.kind]}</h3>${callArguments({ call, ...(labels && { labels }) }, unabridged)}</div>`
  }`;
}

/** What client script says of a passkey that it waits for, in its place. */
export function passkeyNote(): Html {
  const { waiting, cancelled, unable, had } = personTexts.passkeys.script;
  const line = (when: string, text: string): Html => html`<span data-when="${when}" hidden>${text}</span>`;
  return html`<p class="passkey-note" role="status" data-passkey-note data-morph="keep">${line('waiting', waiting)}${line('cancelled', cancelled)}${line('unable', unable)}${line('had', had)}</p>`;
}

function insteadOf(state: PasskeyState): Html | undefined {
  const { needed, neededOnly, toAdd, impossible } = personTexts.passkeys;
  if (state.can === 'confirm') return undefined;
  const way =
    state.can === 'add'
      ? html`<a class="button primary" href="${state.addPath}">${toAdd}</a>`
      : html`<p>${visibleHtml(impossible(state.origin), 400)}</p>`;
  return html`<div class="notice passkey-needed"><span>${state.can === 'add' ? needed : neededOnly}</span>${way}</div>`;
}

/** @param state - of the person's passkeys; absent if the question needs none */
export function sharedAnswer(
  question: FormQuestion | CallQuestion,
  view: ApprovalView,
  state: PasskeyState | undefined,
  moment: Moment,
): SharedAnswer {
  const { group, count } = view;
  const nature = natureOf(question);
  const { isSame, isCall } = nature;
  const next = group !== undefined && own.next(group, count, count - accepted(view) - 1, nature);
  return {
    basis: html`<dl class="approval">${requesterRow(view)}${askedRow(view, isSame)}${group !== undefined && (count > 1 || view.votes.length > 0) && votesRow(view, isSame, moment)}${next && row(own.heads.next, visibleHtml(next, 600))}${state && row(own.heads.passkey, html`${own.passkey}`)}</dl>${basisOf(question, view)}`,
    accept: isSame || group === undefined ? undefined : own.agree,
    isDismissible: group === undefined,
    waysOut: group === undefined ? undefined : own.waysOut(isCall),
    confirmation:
      state?.can === 'confirm'
        ? html`<noscript><p class="no-script">${personTexts.passkeys.noScript}</p></noscript>${passkeyNote()}`
        : undefined,
    instead: state && insteadOf(state),
  };
}

/** Who is asked, in a list. */
export function approvalChips({ group, count, assurance }: ApprovalView): readonly (Html | false)[] {
  return [
    group !== undefined && html`<span class="chip">${visibleHtml(own.chip(group, count), 80)}</span>`,
    assurance === 'present' && html`<span class="chip">${own.heads.passkey}</span>`,
  ];
}

/** What the person did themselves. */
function ownVote({ question, approval }: EndedQuestion): 'accept' | 'answered' | 'decline' | 'none' {
  const vote = approval?.votes.find(({ isOwn }) => isOwn);
  if (!vote) return 'none';
  return vote.action === 'accept' && isSameOf(question) ? 'answered' : vote.action;
}

/** True if others are asked too, and the person still is. */
const isShared = ({ approval, ending }: EndedQuestion): boolean =>
  approval?.group !== undefined && ending.how !== 'refused-by-policy';

/** The colour of each outcome is that of an ending. */
const outcomeChip = {
  waits: 'wait',
  accepted: 'answered',
  declined: 'declined',
  unreachable: 'declined',
  'timed-out': 'timed-out',
  dismissed: 'dismissed',
  withdrawn: 'withdrawn',
} as const;

/** How it stands, and the person's own part, in a list of what they were asked before; false if nobody else was asked. */
export function approvalStanding(shown: EndedQuestion): Html | false {
  if (!isShared(shown)) return false;
  const outcome = shown.approval!.outcome ?? 'waits';
  return html`<span class="chip chip-${outcomeChip[outcome]}">${own.standing[outcome]}</span> <span class="quiet-text">${own.own[ownVote(shown)]}</span>`;
}

/** The person's own part, as a sentence; undefined if nobody else was asked, and the usual one will do. */
export function ownPart(shown: EndedQuestion): string | undefined {
  if (!isShared(shown)) return undefined;
  const vote = ownVote(shown);
  const { outcome } = shown.approval!;
  const isDecided = outcome === 'accepted' || outcome === 'declined' || outcome === 'unreachable';
  return own.given[vote === 'none' && isDecided ? 'decided' : vote];
}

/** What has become of it, or what it waits for. */
function becameOf(shown: EndedQuestion, { now, zone }: Moment): Html | false {
  const { question, approval } = shown;
  const { group, count, outcome, dueAt } = approval!;
  if (group === undefined || !isShared(shown)) return false;
  const nature = natureOf(question);
  if (outcome) return visibleHtml(own.outcome[outcome](group, count, nature), 600);
  // The time is an element of its own, in the browser's way to write it.
  const [before, after] = (
    ownVote(shown) === 'decline'
      ? own.declinedWaits(group, '\0')
      : own.waits(group, count, count - accepted(approval!), nature, '\0')
  ).split('\0');
  return html`${visibleHtml(before!, 600)}${minute(dueAt, now, zone)}${after}`;
}

/** How it stands for everybody, below what the person did; undefined if nobody else was asked. */
export function standingEntry(ended: EndedQuestion, moment: Moment): Html | false {
  const { question, approval } = ended;
  if (!approval) return false;
  const isSame = isSameOf(question);
  const facts = html`<dl class="approval">${requesterRow(approval)}${approval.group !== undefined && html`${askedRow(approval, isSame)}${votesRow(approval, isSame, moment)}`}</dl>`;
  const basis = (question.kind === 'form' || question.kind === 'call') && basisOf(question, approval);
  const became = becameOf(ended, moment);
  return html`<div class="standing-now">${became && html`<p class="became" role="status">${became}</p>`}${facts}${basis}</div>`;
}
