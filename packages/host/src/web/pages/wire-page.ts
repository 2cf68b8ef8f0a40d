/** What one server sends besides its answers: its log messages, its standard error, and every message on the wire. Pure. */
import { attributes, type Html, html } from '@midcall/core/page';
import { clock, visibleHtml, visibleJsonHtml } from '../html/index.ts';
import { texts } from '../texts/index.ts';
import type { FrameView, ServerView, Session } from '../workspace/index.ts';
import { buttonForm } from './button-form.ts';
import type { Content } from './layout.ts';
import { serverPath } from './paths.ts';

/** The search, and what it searches. */
export interface WireView {
  readonly paused: boolean;
  readonly frames: readonly FrameView[];
  /** The last lines of standard error, oldest first. */
  readonly stderr: readonly string[];
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
function titleOf({ method, id, error }: FrameView['message'], asked: string | undefined): string {
  if (typeof method === 'string') return id === undefined ? method : `${method} · ${String(id)}`;
  return texts.wire.answer(error === undefined ? 'result' : 'error', String(id), asked);
}

/** The name that a request and its answer have in common: ids of the two directions are apart. */
const nameOf = ({ direction, message }: FrameView, isRequest: boolean): string =>
  `${(direction === 'sent') === isRequest} ${JSON.stringify(message['id'])}`;

/** The methods of requests, by that name. */
const requestsIn = (frames: readonly FrameView[]): ReadonlyMap<string, string> =>
  new Map(
    frames.flatMap(frame => {
      const { method } = frame.message;
      return typeof method === 'string' ? [[nameOf(frame, true), method] as const] : [];
    }),
  );

function frameRow(frame: FrameView, requests: ReadonlyMap<string, string>, zone: string): Html {
  const { sent, received } = texts.wire;
  const own = frame.direction === 'sent';
  return html`<li data-key="f-${frame.number}"><details><summary><span class="frame-way frame-${frame.direction}" title="${own ? sent : received}"><span aria-hidden="true">${own ? '→' : '←'}</span><span class="unseen">${own ? sent : received}</span></span> ${clock(frame.at, zone)} <span class="mono">${visibleHtml(titleOf(frame.message, requests.get(nameOf(frame, false))), 200)}</span></summary><pre class="result-json" tabindex="0">${visibleJsonHtml(frame.message, 50_000)}</pre></details></li>`;
}

function logRows(frames: readonly FrameView[], least: string, zone: string): readonly Html[] {
  const from = levels.indexOf(least as (typeof levels)[number]);
  return frames.flatMap(({ at, message, number }) => {
    if (message['method'] !== 'notifications/message' || !isRecord(message['params'])) return [];
    const { level, logger, data } = message['params'];
    if (levels.indexOf(level as (typeof levels)[number]) < from) return [];
    const text = typeof data === 'string' ? visibleHtml(data, 2_000) : visibleHtml(JSON.stringify(data) ?? '', 2_000);
    return [
      html`<tr data-key="l-${number}"><td>${clock(at, zone)}</td><td class="short">${visibleHtml(String(level), 20)}</td><td${attributes({ class: String(logger ?? '').length <= 20 && 'short' })}>${visibleHtml(String(logger ?? ''), 80)}</td><td class="long mono">${text}</td></tr>`,
    ];
  });
}

const words = (search: string): readonly string[] => search.toLowerCase().split(/\s+/).filter(Boolean);

/** What was looked for, and from which level log messages are shown. */
function filterForm(id: string, { search, level }: WireView, { link }: Session): Html {
  const own = texts.wire;
  return html`<form class="search" method="get" action="${link(serverPath(id, 'wire'))}" role="search" aria-label="${own.title}"><label class="unseen" for="wire-q">${own.search}</label><input${attributes({ id: 'wire-q', type: 'search', name: 'q', value: search, placeholder: own.search })}><label class="unseen" for="wire-level">${own.level}</label><select id="wire-level" name="level">${levels.map(
    each => html`<option${attributes({ value: each, selected: each === level })}>${own.from(each)}</option>`,
  )}</select><button class="button">${own.filter}</button></form>`;
}

export function wirePage(server: ServerView, wire: WireView, session: Session, zone: string): Content {
  const { link } = session;
  const { id } = server;
  const own = texts.wire;
  const path = serverPath(id, 'wire');
  const wanted = words(wire.search);
  const fits = (text: string): boolean => wanted.every(word => text.toLowerCase().includes(word));
  const fitting = wire.frames.filter(({ text }) => fits(text));
  const frames = fitting.slice(-mostShown).reverse();
  const logs = logRows(fitting, wire.level, zone).slice(-mostShown).reverse();
  const requests = requestsIn(wire.frames);
  const stderr = wire.stderr.filter(fits);
  const action = (what: 'pause' | 'resume' | 'clear'): Html =>
    buttonForm(session, path, own[what], 'small', { do: what });
  const isEmpty = wire.frames.length === 0;
  const noFrames = isEmpty ? (wire.paused ? own.nonePaused : own.none) : own.noneFits;
  return {
    title: own.title,
    serverId: id,
    refresh: { after: 5, to: link(path) },
    main: html`<div class="head"><h1><a class="crumb" href="${link(serverPath(id))}">${visibleHtml(id, 80)}</a> ${own.title}</h1><span class="chips-inline">${server.era !== undefined && html`<span class="chip">${texts.servers.revision(server.era)}</span>`}${wire.paused && html`<span class="chip">${own.paused}</span>`}</span><div class="head-actions">${action(wire.paused ? 'resume' : 'pause')}${!isEmpty && action('clear')}${!isEmpty && html`<a class="button small" href="${link(serverPath(id, 'wire.jsonl'))}" download="wire.jsonl">${own.export}</a>`}</div></div><p class="lead">${own.lead}</p>${filterForm(id, wire, session)}<section class="section"><h2>${own.logs}</h2><div class="panel table-wrap bounded" tabindex="0" role="region" aria-label="${own.logs}">${
      logs.length === 0
        ? html`<p class="empty">${isEmpty || wanted.length === 0 ? own.noLogs : own.noneFits}</p>`
        : html`<table><tbody>${logs}</tbody></table>`
    }</div></section>${
      stderr.length > 0 &&
      html`<section class="section"><h2>${texts.servers.log}</h2><div class="panel tail bounded" tabindex="0" role="region" aria-label="${texts.servers.log}"><pre class="mono">${visibleHtml(stderr.join('\n'), 100_000, true)}</pre></div></section>`
    }<section class="section"><h2>${own.frames}</h2><div class="panel">${
      frames.length === 0
        ? html`<p class="empty">${noFrames}</p>`
        : html`<ul class="frames">${frames.map(frame => frameRow(frame, requests, zone))}</ul>`
    }</div>${fitting.length > mostShown && html`<p class="help">${own.notShown(fitting.length - mostShown)}</p>`}</section>`,
  };
}
