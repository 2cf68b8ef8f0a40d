/** The body of a card that asks before a call is made: its arguments, made from their values alone. */
import { attributes, type Html, html } from '@midcall/core/page';
import { argumentRows, type CallQuestion, type GrantChoice, type GrantOffer, wouldPass } from '../../index.ts';
import { type Draft, first } from '../form/index.ts';
import { visibleHtml } from '../html/index.ts';
import { texts } from '../texts/index.ts';
import { problemSummary } from './form-body.ts';
import type { CardBody, CardContext } from './frame.ts';

/** How much of one text is shown: its characters, its lines as a diff, and the characters of a line. */
interface Extent {
  readonly characters: number;
  readonly lines: number;
  readonly line: number;
}

const usual: Extent = { characters: 100_000, lines: 2_000, line: 2_000 };
/** What decides is shown unabridged, as far as a server may send it. */
export const unabridged: Extent = { characters: 1_000_000, lines: 1_000_000, line: 1_000_000 };

/** Removed and added lines of a unified diff stand out. */
const diffLine = (line: string, most: number): Html => {
  const kind = /^[+](?![+][+])/.test(line) ? 'diff-came' : /^-(?!--)/.test(line) ? 'diff-went' : undefined;
  return html`<span${attributes({ class: kind })}>${visibleHtml(line, most)}\n</span>`;
};

/** A text on lines of its own. @param label - for screen readers, since it scrolls */
export const textBlock = (value: string, label: string, { characters } = usual): Html =>
  html`<pre${attributes({ class: 'argument-text', tabindex: '0', role: 'region', 'aria-label': label })}>${visibleHtml(value, characters, true)}</pre>`;

/** A unified diff. @param label - for screen readers, since it scrolls */
export const diffBlock = (diff: string, label: string, { lines, line: most } = usual): Html =>
  html`<pre${attributes({ class: 'argument-text', tabindex: '0', role: 'region', 'aria-label': label })}>${diff
    .split('\n')
    .slice(0, lines)
    .map(line => diffLine(line, most))}</pre>`;

function value(row: ReturnType<typeof argumentRows>[number], extent: Extent): Html {
  const { before, after } = texts.callQuestion;
  switch (row.shows) {
    case 'value':
      return html`<span class="mono">${visibleHtml(row.text, 500)}</span>`;
    case 'text':
      return textBlock(row.text, row.label, extent);
    case 'diff':
      return diffBlock(row.text, row.label, extent);
    case 'change':
      return html`<div class="argument-change"><div><p class="help">${before}</p>${textBlock(row.before, before, extent)}</div><div><p class="help">${after}</p>${textBlock(row.after, after, extent)}</div></div>`;
  }
}

/** How far a yes may go: which calls pass from then on, and until when. */
function grantWays(grants: GrantOffer, id: string, { draft, issues = [] }: CardContext): Html {
  const { more, which, scopes, passed, until, ends, help, give } = texts.callQuestion.grant;
  const { length } = grants.recent;
  const count = (choice: Pick<GrantChoice, 'scope' | 'fields'>): Html | false =>
    length > 0 && html`<span class="help">${passed(wouldPass(grants, choice), length)}</span>`;
  const chosen = draft ? first(draft, grantNames.scope) : grants.scopes[0];
  const equal = new Set(draft?.get(grantNames.fields) ?? []);
  const option = (control: Readonly<Record<string, unknown>>, label: Html | string, passes: Html | false): Html =>
    html`<label class="option"><input${attributes(control as Parameters<typeof attributes>[0])}><span class="option-text"><span>${label}</span>${passes}</span></label>`;
  const scope = (value: GrantChoice['scope']): Html =>
    html`${option({ type: 'radio', name: grantNames.scope, value, checked: value === chosen }, scopes[value], value !== 'fields' && count({ scope: value }))}${
      value === 'fields' &&
      html`<div class="options grant-fields">${grants.fields.map(name =>
        option(
          { type: 'checkbox', name: grantNames.fields, value: name, checked: equal.has(name) },
          html`<span class="mono">${visibleHtml(name, 200)}</span>`,
          count({ scope: 'fields', fields: [name] }),
        ),
      )}</div>`
    }`;
  const end = draft ? first(draft, grantNames.end) : undefined;
  const open = draft !== undefined && first(draft, 'action') === 'grant';
  return html`<details${attributes({ class: 'standing', open })}><summary>${more}</summary>${issues.map(({ message }) => html`<p class="error">${visibleHtml(message, 400)}</p>`)}<fieldset class="field choices"><legend>${which}</legend><div class="options">${grants.scopes.map(scope)}</div></fieldset><p class="help">${help}</p><div class="standing-way"><label for="${id}-end">${until}</label><select${attributes({ id: `${id}-end`, name: grantNames.end })}>${grants.ends.map(each => html`<option${attributes({ value: each, selected: each === end })}>${ends[each]}</option>`)}</select><button class="button small" name="action" value="grant">${give}</button></div></details>`;
}

/** The names of the controls. */
const grantNames = { scope: 'grant-scope', fields: 'grant-field', end: 'grant-end' } as const;

/** The posted choice; the inbox checks it. */
export const grantChoice = (draft: Draft): Readonly<Record<string, unknown>> => ({
  scope: first(draft, grantNames.scope),
  fields: draft.get(grantNames.fields) ?? [],
  end: first(draft, grantNames.end),
});

/** The arguments of a call as a table. */
export function callArguments({ call, labels }: Pick<CallQuestion, 'call' | 'labels'>, extent: Extent = usual): Html {
  const rows = argumentRows(call.arguments, labels);
  if (rows.length === 0) return html`<p class="quiet-text">${texts.call.noArguments}</p>`;
  return html`<dl class="sent call-arguments">${rows.map(row => html`<div><dt>${visibleHtml(row.label, 200)}</dt><dd>${value(row, extent)}</dd></div>`)}</dl>`;
}

/** Consent to a call. */
export function callBody(question: CallQuestion, context: CardContext): CardBody {
  const { id, why, grants } = question;
  const { alike, shared } = context;
  const { because, notMade, yes, no, close, waysOut, together } = texts.callQuestion;
  return {
    content: html`${problemSummary(context.issues ?? [])}<p>${notMade(1)} ${because(why)}</p>${alike && html`<p class="help"><a href="${alike.href}">${together.all(alike.count)}</a></p>`}
${shared ? shared.basis : callArguments(question)}`,
    accept: shared?.accept ?? yes,
    // Of several people, nobody decides alone that it is not made.
    ...(shared?.isDismissible === false ? { dismiss: false } : { decline: no, dismiss: close }),
    moreWays: grants !== undefined && !context.isElsewhere && grantWays(grants, `q-${id}`, context),
    waysOut: shared?.waysOut ?? waysOut,
  };
}
