/** Two calls of one tool beside each other: what differs in their arguments and in their results. Pure. */
import { attributes, type Html, html } from '@midcall/core/page';
import { diffLines } from 'diff';
import { jsonIn, maskedArguments } from '../../index.ts';
import { clock, day, visibleHtml } from '../html/index.ts';
import { spelledSpan, texts } from '../texts/index.ts';
import type { CallView, Session } from '../workspace/index.ts';
import type { Content } from './layout.ts';
import { againPath, callPath, comparePath, serverPath } from './paths.ts';
import { blocksOf, textOf } from './result.ts';
import { callChip } from './timeline.ts';

/** Calls to choose from for a comparison. */
const mostOffered = 50;

const pretty = (value: unknown): string => JSON.stringify(value, null, 2) ?? '';

function resultText({ outcome }: CallView): string {
  if (!outcome) return '';
  if (!('result' in outcome)) return 'message' in outcome ? outcome.message : '';
  const { structuredContent } = outcome.result;
  const blocks = blocksOf(outcome.result).map(block => {
    const text = textOf(block);
    if (text === undefined) return pretty(block);
    const value = jsonIn(text);
    return value === undefined ? text : pretty(value);
  });
  return [...blocks, ...(structuredContent === undefined ? [] : [pretty(structuredContent)])].join('\n');
}

/**
 * The calls that a call can be compared with: those of the same, newest first.
 * @param calls - newest first
 */
export function comparable(call: CallView, calls: readonly CallView[]): readonly CallView[] {
  const { context, serverId } = call;
  return calls.filter(
    each =>
      each.context.id !== context.id &&
      each.serverId === serverId &&
      each.context.kind === context.kind &&
      each.context.name === context.name &&
      each.outcome !== undefined,
  );
}

/** The call to compare with if none is named: the last one before it. */
export function lastBefore(call: CallView, others: readonly CallView[]): CallView | undefined {
  return others.find(each => each.startedAt <= call.startedAt) ?? others[0];
}

const when = (call: CallView, zone: string): Html => html`${day(call.startedAt, zone)} ${clock(call.startedAt, zone)}`;

function side(title: string, call: CallView, { link }: Session, zone: string): Html {
  const took = call.endedAt !== undefined && texts.call.took(spelledSpan(call.endedAt - call.startedAt));
  return html`<div class="panel compared"><h2>${title}</h2><p><a href="${link(callPath(call.context.id))}">${when(call, zone)}</a> ${callChip(call)} <span class="quiet-text">${took}</span></p><p><a href="${link(againPath(call))}">${texts.call.again}</a></p></div>`;
}

function chooser(call: CallView, other: CallView, others: readonly CallView[], { link }: Session, zone: string): Html {
  const label = (each: CallView): Html =>
    html`${when(each, zone)} · ${visibleHtml(JSON.stringify(maskedArguments(each.context.arguments)), 80)}`;
  return html`<form class="search" method="get" action="${link(comparePath(call))}"><label for="compare-with">${texts.compare.with}</label><select id="compare-with" name="with">${others
    .slice(0, mostOffered)
    .map(
      each => html`<option${attributes({ value: each.context.id, selected: each === other })}>${label(each)}</option>`,
    )}</select><button class="button">${texts.compare.go}</button></form>`;
}

/** The most characters of a text that are compared, changes that are searched for, and lines that are shown. */
const [mostCharacters, mostChanges, mostLines] = [400_000, 1_500, 2_000];
/** How many unchanged lines are shown on each side of a changed one. */
const around = 3;

interface Line {
  readonly mark: '+' | '-' | ' ';
  readonly text: string;
}

const linesOf = (text: string): readonly string[] => (text === '' ? [] : text.replace(/\n$/, '').split('\n'));

/** Every line of both; if they have too little in common to be compared, first the one and then the other. */
function compared(before: string, after: string): readonly Line[] {
  const [one, other] = [before, after].map(text => (text === '' ? '' : `${text.slice(0, mostCharacters)}\n`)) as [
    string,
    string,
  ];
  const parts = diffLines(one, other, { maxEditLength: mostChanges }) ?? [
    { value: one, removed: true, added: false },
    { value: other, added: true, removed: false },
  ];
  return parts.flatMap(({ value, added, removed }) =>
    linesOf(value).map(text => ({ mark: added ? ('+' as const) : removed ? ('-' as const) : (' ' as const), text })),
  );
}

/** The changed lines with those around them; a number stands for the lines left out between. */
function folded(lines: readonly Line[]): readonly (Line | number)[] {
  const near = new Set<number>();
  for (const [at, { mark }] of lines.entries()) {
    if (mark === ' ') continue;
    for (let each = at - around; each <= at + around; each += 1) near.add(each);
  }
  const folds: (Line | number)[] = [];
  let skipped = 0;
  for (const [at, line] of lines.entries()) {
    if (!near.has(at)) {
      skipped += 1;
      continue;
    }
    if (skipped > 0) folds.push(skipped);
    skipped = 0;
    folds.push(line);
  }
  return skipped > 0 ? [...folds, skipped] : folds;
}

const classes = { '+': 'came', '-': 'went', ' ': 'stayed' } as const;
const spoken = { '+': texts.compare.came, '-': texts.compare.went, ' ': '' } as const;

function row(line: Line | number): Html {
  if (typeof line === 'number') return html`<span class="diff-folded">${texts.compare.same(line)}</span>`;
  const { mark, text } = line;
  const spokenMark = spoken[mark] !== '' && html`<span class="unseen">${spoken[mark]}</span>`;
  return html`<span class="diff-${classes[mark]}">${spokenMark}<span class="diff-mark" aria-hidden="true">${mark}</span>${visibleHtml(text, 4_000)}</span>`;
}

/** What differs between two texts, line by line, with the unchanged lines around it. @param about - what they are, for screen readers */
export function lineDiff(before: string, after: string, about: string): Html {
  const lines = compared(before, after);
  if (lines.every(({ mark }) => mark === ' ')) return html`<p class="empty">${texts.compare.equal}</p>`;
  const foldedLines = folded(lines);
  const left = foldedLines.length - mostLines;
  return html`<pre class="diff" tabindex="0" role="region" aria-label="${about}">${foldedLines.slice(0, mostLines).map(row)}${left > 0 && html`<span class="diff-folded">${texts.json.more(left)}</span>`}</pre>`;
}

/** A call beside another of the same tool. */
export function comparePage(
  call: CallView,
  other: CallView,
  others: readonly CallView[],
  session: Session,
  zone: string,
): Content {
  const { serverId, context } = call;
  const args = (each: CallView): string => pretty(maskedArguments(each.context.arguments));
  const [before, after] = [resultText(other), resultText(call)];
  const { noResult } = texts.compare;
  const without = before === '' ? (after === '' ? noResult.both : noResult.before) : after === '' && noResult.after;
  const section = (title: string, body: Html): Html =>
    html`<section class="section"><h2>${title}</h2><div class="panel">${body}</div></section>`;
  return {
    title: texts.compare.title(context.name),
    serverId,
    tool: context.name,
    main: html`<div class="head"><h1><a class="crumb" href="${session.link(serverPath(serverId))}">${visibleHtml(serverId, 80)}</a> <span class="mono">${visibleHtml(context.name, 120)}</span>${texts.compare.heading}</h1></div><p class="lead">${texts.compare.lead}</p><div class="compared-pair">${side(texts.compare.before, other, session, zone)}${side(texts.compare.after, call, session, zone)}</div>${chooser(call, other, others, session, zone)}${section(texts.tool.arguments, lineDiff(args(other), args(call), texts.tool.arguments))}${section(texts.call.result, html`${without && html`<p class="empty">${without}</p>`}${without !== noResult.both && lineDiff(before, after, texts.call.result)}`)}`,
  };
}
