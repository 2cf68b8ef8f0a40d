/** Two calls of one tool beside each other: what differs in their arguments and in their results. Pure. */
import { attributes, type Html, html } from '@midcall/core/page';
import { jsonIn, maskedArguments } from '../../index.ts';
import { clock, day, visibleHtml } from '../html/index.ts';
import { spelledSpan, texts } from '../texts/index.ts';
import type { CallView, Session } from '../workspace/index.ts';
import type { Content } from './layout.ts';
import { lineDiff } from './line-diff.ts';
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
