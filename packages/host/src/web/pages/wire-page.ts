/** What one server sends besides its answers: its log messages, its standard error, and every message on the wire. Pure. */
import { attributes, type Html, html } from '@midcall/core/page';
import { clock } from '../clock.ts';
import type { Session } from '../session.ts';
import { texts } from '../texts/texts.ts';
import { visibleHtml, visibleJsonHtml } from '../visible-html.ts';
import type { ServerView } from '../workspace/views.ts';
import type { FrameView } from '../workspace/wire.ts';
import { buttonForm } from './button-form.ts';
import type { Content } from './layout.ts';
import { serverPath } from './paths.ts';

/** The search, and what was recorded. */
export interface WireView {
  readonly recording: boolean;
  readonly frames: readonly FrameView[];
  readonly search: string;
  /** The least severe level of log messages to show. */
  readonly level: string;
}

/** From the least to the most severe (RFC 5424). */
const levels = ['debug', 'info', 'notice', 'warning', 'error', 'critical', 'alert', 'emergency'] as const;

const mostShown = 200;

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null;

/** A message, in a few words. */
function titleOf({ method, id, error }: FrameView['message']): string {
  if (typeof method === 'string') return id === undefined ? method : `${method} · ${String(id)}`;
  return error === undefined ? texts.wire.result(String(id)) : texts.wire.error(String(id));
}

function frameRow(frame: FrameView, zone: string): Html {
  const { sent, received } = texts.wire;
  const own = frame.direction === 'sent';
  return html`<li data-key="f-${frame.number}"><details><summary><span class="frame-way frame-${frame.direction}" title="${own ? sent : received}"><span aria-hidden="true">${own ? '→' : '←'}</span><span class="unseen">${own ? sent : received}</span></span> ${clock(frame.at, zone)} <span class="mono">${visibleHtml(titleOf(frame.message), 200)}</span></summary><pre class="result-json" tabindex="0">${visibleJsonHtml(frame.message, 50_000)}</pre></details></li>`;
}

function logRows(frames: readonly FrameView[], least: string, zone: string): readonly Html[] {
  const from = levels.indexOf(least as (typeof levels)[number]);
  return frames.flatMap(({ at, message, number }) => {
    if (message['method'] !== 'notifications/message' || !isRecord(message['params'])) return [];
    const { level, logger, data } = message['params'];
    if (levels.indexOf(level as (typeof levels)[number]) < from) return [];
    const text = typeof data === 'string' ? visibleHtml(data, 2_000) : visibleHtml(JSON.stringify(data) ?? '', 2_000);
    return [
      html`<tr data-key="l-${number}"><td>${clock(at, zone)}</td><td>${visibleHtml(String(level), 20)}</td><td>${visibleHtml(String(logger ?? ''), 80)}</td><td class="long mono">${text}</td></tr>`,
    ];
  });
}

export function wirePage(server: ServerView, wire: WireView, session: Session, zone: string): Content {
  const { link } = session;
  const { id } = server;
  const own = texts.wire;
  const path = serverPath(id, 'wire');
  const words = wire.search.toLowerCase().split(/\s+/).filter(Boolean);
  const fitting = wire.frames.filter(({ text }) => words.every(word => text.toLowerCase().includes(word)));
  const frames = fitting.slice(-mostShown).reverse();
  const logs = logRows(fitting, wire.level, zone).slice(-mostShown).reverse();
  const log = server.log.filter(line => words.every(word => line.toLowerCase().includes(word)));
  return {
    title: own.title,
    serverId: id,
    refresh: { after: 5, to: link(path) },
    main: html`<div class="head"><h1><a class="crumb" href="${link(serverPath(id))}">${visibleHtml(id, 80)}</a> ${own.title}</h1><span class="chips-inline">${server.era !== undefined && html`<span class="chip">${server.era}</span>`}${wire.recording && html`<span class="chip chip-wait"><span class="dot"></span>${own.recording}</span>`}</span><div class="head-actions">${buttonForm(session, serverPath(id, 'wire'), wire.recording ? own.pause : own.record, 'small', { do: wire.recording ? 'pause' : 'record' })}${wire.frames.length > 0 && buttonForm(session, serverPath(id, 'wire'), own.clear, 'small', { do: 'clear' })}${wire.frames.length > 0 && html`<a class="button small" href="${link(serverPath(id, 'wire.jsonl'))}" download="wire.jsonl">${own.export}</a>`}</div></div><p class="lead">${own.lead}</p><form class="search" method="get" action="${link(path)}" role="search" aria-label="${own.title}"><label class="unseen" for="wire-q">${own.search}</label><input${attributes({ id: 'wire-q', type: 'search', name: 'q', value: wire.search, placeholder: own.search })}><label class="unseen" for="wire-level">${own.level}</label><select id="wire-level" name="level">${levels.map(
      each => html`<option${attributes({ value: each, selected: each === wire.level })}>${own.from(each)}</option>`,
    )}</select><button class="button">${own.filter}</button></form><section class="section"><h2>${own.frames}</h2><div class="panel">${
      frames.length === 0
        ? html`<p class="empty">${wire.frames.length > 0 ? own.noneFits : wire.recording ? own.waiting : own.notRecording}</p>`
        : html`<ul class="frames">${frames.map(frame => frameRow(frame, zone))}</ul>`
    }</div></section><section class="section"><h2>${own.logs}</h2><div class="panel table-wrap" tabindex="0" role="region" aria-label="${own.logs}">${
      logs.length === 0 ? html`<p class="empty">${own.noLogs}</p>` : html`<table><tbody>${logs}</tbody></table>`
    }</div></section><section class="section"><h2>${texts.servers.log}</h2><div class="panel">${
      log.length === 0
        ? html`<p class="empty">${own.noStderr}</p>`
        : html`<pre class="result-json" tabindex="0">${visibleHtml(log.join('\n'), 20_000, true)}</pre>`
    }</div></section>`,
  };
}
