/**
 * An open question as a card: the frame, what the server wrote as a quotation, the controls, then the ways out. Pure:
 * the same question, draft and time give the same markup.
 */
import { attributes, type Html, html } from '@midcall/core/page';
import type { Question } from '../../index.ts';
import { icons } from '../html/index.ts';
import { texts } from '../texts/index.ts';
import { durations } from '../workspace/index.ts';
import { callBody } from './call-body.ts';
import { formBody } from './form-body.ts';
import { type CardBody, type CardContext, cardFrame } from './frame.ts';
import { rootsBody } from './roots-body.ts';
import { samplingBody } from './sampling-body.ts';
import { finishBody, signInBody, urlBody } from './url-body.ts';

function bodyOf(question: Question, context: CardContext): CardBody {
  switch (question.kind) {
    case 'form':
      return formBody(question, context);
    case 'url':
      return urlBody(question);
    case 'url-finish':
      return finishBody(question);
    case 'sign-in':
      return signInBody(question);
    case 'sampling-request':
    case 'sampling-reply':
      return samplingBody(question, context);
    case 'roots':
      return rootsBody(question, context);
    case 'call':
      return callBody(question, context);
  }
}

const isPage = ({ kind }: Question): boolean => kind === 'url' || kind === 'url-finish' || kind === 'sign-in';

/** Decisions that outlast the question: shown and revoked on the policy page. */
function standing(question: Question, id: string, keepsRules: boolean): Html {
  const { more, allow, allowHelp, mute, muteFor, muteHelp } = texts.standing;
  const allowing =
    mayBeAllowed(question) &&
    html`<div class="standing-way"><p class="help" id="${id}-allow">${allowHelp}</p><button${attributes({ class: 'button small', name: 'action', value: 'allow', 'aria-describedby': `${id}-allow` })}>${allow}</button></div>`;
  const options = durations(keepsRules).map(
    each => html`<option value="${each}">${texts.policy.durations[each]}</option>`,
  );
  return html`<details class="standing"><summary>${mayBeAllowed(question) ? more.both : more.mute}</summary>${allowing}<div class="standing-way"><p class="help" id="${id}-mute-help">${muteHelp}</p><label for="${id}-mute">${muteFor}</label><select${attributes({ id: `${id}-mute`, name: 'mute-for', 'aria-describedby': `${id}-mute-help` })}>${options}</select><button class="button small" name="action" value="mute">${mute}</button></div></details>`;
}

/**
 * True if a decision may answer similar questions from now on: never a form or a page. Shared folders need no decision; a grant remains
 * until it is changed.
 */
export const mayBeAllowed = (question: Question): boolean => question.kind === 'sampling-request';

/** The buttons, and what they do. */
function waysToReply(question: Question, body: CardBody, { shared }: CardContext): Html {
  return html`<div class="actions${body.inSight !== undefined && ' in-sight'}">${body.inSight !== undefined && html`<p class="answered-count">${body.inSight}</p>`}
<p class="leaving" data-leaving data-morph="keep" hidden>${texts.question.escAgain}</p>${shared?.confirmation}
${body.accept !== undefined && html`<button${attributes({ class: 'button primary', name: 'action', value: 'accept', ...(body.opensTab && { formtarget: '_blank', formrel: 'noopener noreferrer' }) })}>${body.opensTab === true && icons.page}${body.accept}</button>`}
<button class="button" name="action" value="decline">${body.decline ?? texts.question.decline}</button>
${body.dismiss !== false && html`<button class="button plain" name="action" value="dismiss">${body.dismiss ?? texts.question.dismiss} <kbd hidden data-esc>${texts.question.esc}</kbd></button>`}
${question.kind === 'form' && html`<noscript><button class="button plain" name="action" value="review">${texts.question.reviewStep}</button></noscript>`}
</div>${body.moreWays}
<p class="ways-out">${body.waysOut}</p>`;
}

/** An open question. */
export function card(question: Question, context: CardContext): Html {
  const id = `q-${question.id}`;
  const body = bodyOf(question, context);
  const path = context.link(`/questions/${encodeURIComponent(question.id)}`);
  return html`<article class="card question" id="${id}" aria-labelledby="${id}-who" data-question="${question.id}">
${cardFrame(question, context, `${id}-who`)}
<form${attributes({
    method: 'post',
    action: path,
    id: `${id}-form`,
    novalidate: true,
    autocomplete: 'off',
    'data-hold': id,
    'data-first': question.kind === 'form',
    'data-draft': !context.isElsewhere && !isPage(question) && `${path}/draft`,
    'data-check': question.kind === 'form' && `${path}/check`,
    'data-drafted': context.draft !== undefined,
    'data-own-tab': body.opensTab === true,
    'data-needs-choice': body.needsChoice === true,
    'data-passkey': context.shared?.confirmation !== undefined && `${path}/passkey`,
  })}>
<input type="hidden" name="csrf" value="${context.csrf}">${context.at !== undefined && html`<input type="hidden" name="at" value="${context.at}">`}
${body.content}
${context.shared?.instead ?? waysToReply(question, body, context)}
${question.kind !== 'call' && !context.isElsewhere && standing(question, id, context.keepsRules === true)}
</form>
</article>`;
}
