/** What one server sends besides its answers: its log messages, its standard error, and every message on the wire. Pure. */
import { attributes, type Html, html } from '@midcall/core/page';
import { ansiHtml, clock, visibleHtml, visibleJsonHtml } from '../html/index.ts';
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

/** From so many pings in a row on, they are one line. */
const leastPings = 3;

/** Messages in a list. Pings that follow each other say nothing each. */
function frameRows(frames: readonly FrameView[], requests: ReadonlyMap<string, string>, zone: string): readonly Html[] {
  const isPing = (frame: FrameView): boolean =>
    (frame.message['method'] ?? requests.get(nameOf(frame, false))) === 'ping';
  const rows: Html[] = [];
  for (let at = 0; at < frames.length; ) {
    let end = at;
    while (end < frames.length && isPing(frames[end]!)) end += 1;
    const pings = frames.slice(at, end).filter(({ message }) => message['method'] === 'ping').length;
    if (pings >= leastPings)
      rows.push(
        html`<li class="frames-folded" data-key="p-${frames[end - 1]!.number}">${clock(frames[at]!.at, zone)} <span class="mono">${texts.wire.pings(pings)}</span></li>`,
      );
    else rows.push(...frames.slice(at, Math.max(end, at + 1)).map(frame => frameRow(frame, requests, zone)));
    at = Math.max(end, at + 1);
  }
  return rows;
}

/** How loud a level is: as chatter, as news, as a warning or as an error. */
function severity(level: unknown): 'quiet' | 'news' | 'warning' | 'error' {
  const at = levels.indexOf(level as (typeof levels)[number]);
  if (at >= levels.indexOf('error')) return 'error';
  if (at >= levels.indexOf('warning')) return 'warning';
  return at >= levels.indexOf('info') ? 'news' : 'quiet';
}

function logRows(frames: readonly FrameView[], least: string, zone: string): readonly Html[] {
  const from = levels.indexOf(least as (typeof levels)[number]);
  return frames.flatMap(({ at, message, number }) => {
    if (message['method'] !== 'notifications/message' || !isRecord(message['params'])) return [];
    const { level, logger, data } = message['params'];
    if (levels.indexOf(level as (typeof levels)[number]) < from) return [];
    const text = typeof data === 'string' ? ansiHtml(data, 2_000) : visibleHtml(JSON.stringify(data) ?? '', 2_000);
    return [
      html`<tr data-key="l-${number}"><td>${clock(at, zone)}</td><td class="short"><span class="level level-${severity(level)}">${visibleHtml(String(level), 20)}</span></td><td${attributes({ class: String(logger ?? '').length <= 20 && 'short' })}>${visibleHtml(String(logger ?? ''), 80)}</td><td class="long mono">${text}</td></tr>`,
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

/** How many messages and log messages the drawer shows; the page has more. */
const mostInDrawer = 60;

/**
 * The button that opens the drawer below a page, or closes it.
 * @param path - of that page
 */
export function drawerButton({ csrf, link, drawer }: DrawerSession, path: string): Html {
  return html`<form method="post" action="${link('/preferences/drawer')}" data-drawer><input type="hidden" name="csrf" value="${csrf}"><input type="hidden" name="open" value="${drawer ? 'false' : 'true'}"><input type="hidden" name="to" value="${path}"><button${attributes({ class: 'button small', 'aria-expanded': drawer ? 'true' : 'false', 'aria-controls': drawer && 'drawer' })}>${texts.wire.title}</button></form>`;
}

/** What the button needs to know: whether the drawer is open. */
export interface DrawerSession extends Session {
  readonly drawer?: boolean;
  /** Milliseconds since the epoch. */
  readonly now?: number;
}

/**
 * The last log messages and messages of a server, below a page about it.
 * @param since - milliseconds since the epoch: only what came from then on, as for a call
 */
export function wireDrawer(
  server: ServerView,
  { paused, frames: all, stderr }: Pick<WireView, 'paused' | 'frames' | 'stderr'>,
  { link }: Session,
  zone: string,
  since = 0,
): Html {
  const own = texts.wire;
  const recent = all.filter(({ at }) => at >= since);
  const frames = recent.slice(-mostInDrawer).reverse();
  const logs = logRows(recent, 'debug', zone).slice(-mostInDrawer).reverse();
  const requests = requestsIn(all);
  return html`<section class="drawer" id="drawer" aria-labelledby="drawer-title" data-key="drawer"><div class="drawer-head"><h2 id="drawer-title">${own.title}</h2>${paused && html`<span class="chip">${own.paused}</span>`}<a href="${link(serverPath(server.id, 'wire'))}">${own.whole}</a>${all.length > 0 && html`<a href="${link(serverPath(server.id, 'wire.jsonl'))}" download="wire.jsonl">${own.export}</a>`}</div><div class="drawer-body" tabindex="0" role="group" aria-labelledby="drawer-title">${logs.length > 0 && html`<table class="logs"><caption class="unseen">${own.logs}</caption><tbody>${logs}</tbody></table>`}${
    stderr.length > 0 &&
    html`<details class="drawer-log"><summary>${texts.servers.log}</summary><pre class="mono">${ansiHtml(stderr.join('\n'), 20_000, true)}</pre></details>`
  }${
    frames.length === 0
      ? html`<p class="empty">${paused ? own.nonePaused : own.none}</p>`
      : html`<ul class="frames">${frameRows(frames, requests, zone)}</ul>`
  }</div></section>`;
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
      html`<section class="section"><h2>${texts.servers.log}</h2><div class="panel tail bounded" tabindex="0" role="region" aria-label="${texts.servers.log}"><pre class="mono">${ansiHtml(stderr.join('\n'), 100_000, true)}</pre></div></section>`
    }<section class="section"><h2>${own.frames}</h2><div class="panel">${
      frames.length === 0
        ? html`<p class="empty">${noFrames}</p>`
        : html`<ul class="frames">${frameRows(frames, requests, zone)}</ul>`
    }</div>${fitting.length > mostShown && html`<p class="help">${own.notShown(fitting.length - mostShown)}</p>`}</section>`,
  };
}
