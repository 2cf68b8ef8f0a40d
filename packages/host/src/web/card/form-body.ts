/** The body of a form's card: the message, the fields, and a review of the answer. */

import { type AskedField, type Issue, isCardNumber, isWayBack, labelOf } from '@midcall/core/form';
import { checkAsked } from '@midcall/core/json-schema';
import { attributes, type Html, html } from '@midcall/core/page';
import { type FormQuestion, mask, secretsOf, spelledNumber, writtenMoment } from '../../index.ts';
import { formAppFrame } from '../apps/index.ts';
import { contentOf, fieldControl, readable, untouched } from '../form/index.ts';
import { sentMoment, visibleHtml } from '../html/index.ts';
import { texts } from '../texts/index.ts';
import { type CardBody, type CardContext, quoted } from './frame.ts';

function reviewValue(
  field: FormQuestion['fields'][number],
  content: Readonly<Record<string, unknown>>,
  secrets: ReadonlySet<string>,
): Html {
  if (!Object.hasOwn(content, field.name))
    return html`<span class="quiet-text">${field.required ? '…' : texts.field.leaveOut}</span>`;
  const value = content[field.name];
  const same = field.default !== undefined && JSON.stringify(field.default) === JSON.stringify(value);
  if (secrets.has(field.name) || isCardNumber(value))
    return html`<span class="review-value">${mask}</span> <span class="mark">${texts.field.hidden}</span>`;
  return html`<span class="review-value">${sentValue(field, value, 120)}</span>${same && html` <span class="mark">${texts.question.unchanged}</span>`}`;
}

const ahead = ({ fields }: FormQuestion): readonly AskedField[] => fields.filter(field => !isWayBack(field));

/** The choices of a way back are buttons. What is typed goes along, as with any other. */
function waysBack({ fields }: FormQuestion): Html | false {
  const index = fields.findIndex(isWayBack);
  const field = fields[index];
  if (!field || !isWayBack(field)) return false;
  return html`<p class="ways-back">${field.choices.map(
    ({ title }, at) =>
      html`<button class="button small" name="f${index}" value="${at}">${visibleHtml(title, 200)}</button>`,
  )}</p>`;
}

/** From this many fields on, the ways out stay visible. */
const longForm = 6;

/** A review of the answer before it is sent: every field in one compact list. */
function review(
  question: FormQuestion,
  content: Readonly<Record<string, unknown>>,
  secrets: ReadonlySet<string>,
): Html {
  const rows = ahead(question).map(
    field =>
      html`<div><dt>${visibleHtml(labelOf(field), 80)}</dt><dd>${reviewValue(field, content, secrets)}</dd></div>`,
  );
  return html`<div class="review"><p class="review-title">${texts.question.review}</p><dl>${rows}</dl></div>`;
}

/** How many fields of a form need another look; the focus goes to the first. */
export function problemSummary(issues: readonly Issue[]): Html | false {
  if (issues.length === 0) return false;
  const general = issues.filter(issue => issue.field === undefined);
  const fields = new Set(issues.flatMap(issue => (issue.field === undefined ? [] : [issue.field])));
  return html`<div class="problems" role="alert" data-key="problems">${fields.size > 0 && html`<p>${texts.question.fix(fields.size)}</p>`}${general.map(
    issue => html`<p>${visibleHtml(issue.message, 400)}</p>`,
  )}</div>`;
}

/** The issues of a form's present content, including JSON that does not parse. */
export function issuesOf(
  question: FormQuestion,
  read: { readonly content: Readonly<Record<string, unknown>>; readonly issues: readonly Issue[] },
): readonly Issue[] {
  const checked = checkAsked(question.fields, read.content, question.schema);
  return checked.ok ? read.issues : [...read.issues, ...checked.issues];
}

export function formBody(question: FormQuestion, context: CardContext): CardBody {
  const draft = context.draft ?? untouched(question.fields, context.zone);
  const issues = context.issues ?? [];
  const { content } = contentOf(question.fields, draft);
  const secrets = secretsOf(question);
  const app = context.appOf?.(question);
  const scope = `q-${question.id}`;
  const hasFields = ahead(question).length > 0;
  const place = {
    scope,
    draft,
    issues,
    secrets,
    warns: true,
    zone: context.zone,
    now: context.now,
  };
  return {
    content: html`${quoted(question.message, `${scope}-says`)}${(question.notes ?? []).map(note => html`<p class="help">${visibleHtml(note, 300)}</p>`)}${context.shared?.basis}${app !== undefined && formAppFrame(app, context.link(`/questions/${encodeURIComponent(question.id)}/proposal`), question.call?.arguments ?? {})}${problemSummary(issues)}<div${attributes({ class: 'fields', role: 'group', 'aria-labelledby': `${scope}-who`, 'aria-describedby': `${scope}-says` })}>${question.fields.map(
      (field, at) => !isWayBack(field) && fieldControl(field, at, place),
    )}</div>${hasFields && review(question, content, secrets)}`,
    accept: context.shared?.accept ?? (hasFields ? texts.question.send : texts.question.allow),
    ...(question.fields.length >= longForm && {
      inSight: texts.question.counted(
        ahead(question).filter(field => Object.hasOwn(content, field.name)).length,
        ahead(question).filter(field => !Object.hasOwn(content, field.name)).length,
      ),
    }),
    ...(context.shared?.isDismissible === false && { dismiss: false }),
    waysOut: context.shared?.waysOut ?? texts.question.waysOut,
    moreWays: html`${hasFields && context.lastAnswerOf?.(question) !== undefined && html`<p class="ways-back"><button class="button small" name="action" value="same">${texts.question.sameAsLast}</button></p>`}${waysBack(question)}`,
  };
}

/** A number as the person writes it, and exactly as it is sent, if that differs. */
function sentNumber(value: number): Html {
  const [text, exact] = [spelledNumber(value), String(value)];
  return html`<data value="${exact}" data-number>${text}</data> <code${attributes({ class: 'quiet-text', hidden: text === exact })}>${exact}</code>`;
}

/**
 * A value of an answer as the person reads it: before it is sent, and afterwards.
 * @param max - the most characters of a text that are shown
 */
export function sentValue(field: AskedField, value: unknown, max: number): Html {
  if (field.kind === 'number' && typeof value === 'number') return sentNumber(value);
  const moment = writtenMoment(field, value);
  return moment ? sentMoment(moment, String(value)) : visibleHtml(readable(field, value), max);
}
