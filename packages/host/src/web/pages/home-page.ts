/** The first page: open questions, every server as one row, the running calls and the last ones. Pure. */
import { type Html, html } from '@midcall/core/page';
import { foldAlike } from '../../index.ts';
import { argumentRow } from '../card/index.ts';
import { clock, named, visibleHtml } from '../html/index.ts';
import { texts } from '../texts/index.ts';
import {
  type CallView,
  type DeskView,
  manyOf,
  type OfferKind,
  type ServerView,
  type TryView,
} from '../workspace/index.ts';
import { alertSwitch, type Content, inboxItem, questionsOf } from './layout.ts';
import { callPath, offerPath, serverPath } from './paths.ts';
import { restartButton, serverCounts, serverTrouble } from './server-parts.ts';
import { callChip } from './timeline.ts';

/** How many rows of open questions, and how many calls, the first page shows. */
const [mostQuestions, mostCalls] = [6, 8];

function waiting(view: DeskView): Html {
  const { open, link } = view;
  const rows = foldAlike(open).slice(0, mostQuestions);
  const left = open.length - questionsOf(rows);
  return html`<section class="section home-waiting" id="inbox" aria-labelledby="waiting-title"><h2 id="waiting-title">${texts.inbox.title}${open.length > 0 && html` <span class="count">${open.length}</span>`}</h2>${
    open.length === 0
      ? html`<p class="quiet-text">${texts.inbox.emptyLead}</p>`
      : html`<ul class="home-questions">${rows.map(row => inboxItem(row, view, undefined))}</ul>`
  }${left > 0 && html`<p class="rail-more"><a href="${link('/inbox')}">${texts.inbox.more(left)}</a></p>`}</section>`;
}

function serverRow(server: ServerView, view: DeskView): Html {
  const trouble = serverTrouble(server);
  const away = server.state === 'failed' || server.state === 'stopped';
  const state = server.fresh ? texts.servers.startsWhenNeeded : (texts.servers.state[server.state] ?? '');
  return html`<li class="server-row" data-key="row-${server.id}"><span class="state state-${server.state}"></span><a class="server-row-name" href="${view.link(serverPath(server.id))}">${visibleHtml(server.id, 80)}</a><span class="server-row-counts">${server.state === 'ready' ? html`<span class="unseen">${state}, </span>${server.muted !== undefined && html`<span class="chip">${texts.servers.mutedShort}</span> `}${serverCounts(server)}` : state}</span><span class="server-row-era">${away ? restartButton(server, view, { short: true }) : server.era !== undefined && texts.servers.revision(server.era)}</span>${
    trouble !== undefined && html`<span class="server-row-trouble">${visibleHtml(trouble, 300)}</span>`
  }</li>`;
}

function servers(view: DeskView): Html {
  return html`<section class="section" aria-labelledby="home-servers"><div class="head"><h2 id="home-servers">${texts.servers.title}</h2>${view.servers.length > 0 && html`<a class="button small without-side" href="${view.link('/add')}">${texts.servers.add}</a>`}</div>${
    view.servers.length === 0
      ? html`<div class="panel empty-state"><p>${texts.home.noServers}</p><p class="actions"><a class="button primary" href="${view.link('/add')}">${texts.servers.add}</a></p></div>`
      : html`<ul class="panel server-rows">${view.servers.map(server => serverRow(server, view))}</ul>`
  }</section>`;
}

const runs = (call: CallView): boolean => call.outcome === undefined;

/** Running calls first, then the last ones. */
const firstCalls = (calls: readonly CallView[]): readonly CallView[] => {
  const running = calls.filter(runs).slice(0, mostCalls);
  return [...running, ...calls.filter(call => !runs(call)).slice(0, mostCalls - running.length)];
};

function callRow(call: CallView, { link, zone }: DeskView): Html {
  return html`<li data-key="call-${call.context.id}"><a class="call-row" href="${link(callPath(call.context.id))}"><span class="call-row-name">${named(call.context.name, call.title, 120)}</span>${callChip(call)}<span class="call-row-server">${visibleHtml(call.serverId, 80)}</span>${clock(call.startedAt, zone)}</a></li>`;
}

function recentCalls(calls: readonly CallView[], view: DeskView): Html {
  return html`<section class="section" aria-labelledby="home-calls"><div class="head"><h2 id="home-calls">${texts.home.calls}</h2>${calls.length > 0 && html`<a class="button small" href="${view.link('/history')}">${texts.home.allCalls}</a>`}</div>${
    calls.length === 0
      ? html`<div class="panel"><p class="empty">${texts.home.noCalls}</p></div>`
      : html`<ul class="panel call-rows">${firstCalls(calls).map(call => callRow(call, view))}</ul>`
  }</section>`;
}

/** The calls offered to somebody who is new here, as long as they have not been made and their server runs. */
function offeredTries(tries: readonly TryView[], calls: readonly CallView[], view: DeskView): Html | false {
  const isMade = ({ server, tool }: TryView): boolean =>
    calls.some(({ serverId, context }) => serverId === server && context.kind === 'tool' && context.name === tool);
  const isReady = ({ server }: TryView): boolean =>
    view.servers.some(({ id, state }) => id === server && state === 'ready');
  const left = [...tries.entries()].filter(([, each]) => isReady(each) && !isMade(each));
  if (left.length === 0) return false;
  return html`<section class="section home-tries" aria-labelledby="tries-title"><h2 id="tries-title">${texts.home.tries}</h2><p class="quiet-text">${texts.home.tryLead}</p><ul class="tries">${left.map(
    ([at, { title, about, tool, arguments: args }]) =>
      html`<li class="card try" data-key="try-${String(at)}"><h3>${visibleHtml(title, 100)}</h3><p>${visibleHtml(about, 400)}</p><p class="try-call"><code class="tool-name">${visibleHtml(tool, 100)}</code> ${Object.keys(args).length > 0 && argumentRow(args)}</p><form method="post" action="${view.link(`/tries/${at}`)}"><input type="hidden" name="csrf" value="${view.csrf}"><button class="button primary small" aria-label="${texts.home.runTry(title)}">${texts.home.run}</button></form></li>`,
  )}</ul></section>`;
}

/** The most favourites that the first page shows. */
const mostFavourites = 12;

/** What the person has marked, of servers that are on the desk. */
function favourites(all: Favourites, view: DeskView): Html | false {
  const present = all.filter(([id]) => view.servers.some(server => server.id === id)).slice(0, mostFavourites);
  if (present.length === 0) return false;
  return html`<section class="section" aria-labelledby="favourites-title"><h2 id="favourites-title">${texts.favourite.title}</h2><ul class="favourites">${present.map(
    ([id, kind, name]) => {
      const offer = view.servers.find(server => server.id === id)?.[manyOf[kind]].find(each => each.name === name);
      return html`<li><a class="favourite-link" href="${view.link(offerPath(id, kind, name))}">${named(name, offer?.title, 80)}<span class="quiet-text">${visibleHtml(id, 60)}</span></a></li>`;
    },
  )}</ul></section>`;
}

type Favourites = readonly (readonly [serverId: string, kind: OfferKind, name: string])[];

const anyStarting = (view: DeskView): boolean => view.servers.some(server => server.state === 'starting');

/**
 * @param calls - newest first
 * @param more - `tries`: calls that are offered until they have been made; `unsaved`: why what was changed could not be kept; `marked`: the favourites
 */
export function homePage(
  view: DeskView,
  calls: readonly CallView[],
  {
    tries = [],
    unsaved,
    marked = [],
  }: { readonly tries?: readonly TryView[]; readonly unsaved?: string | undefined; readonly marked?: Favourites } = {},
): Content {
  return {
    title: texts.nav.home,
    at: '/',
    isWide: true,
    refresh: { after: anyStarting(view) ? 1 : 10, to: view.link('/') },
    main: html`<h1 class="unseen">${texts.home.title}</h1>${unsaved !== undefined && html`<div class="notice bad" role="alert"><span>${visibleHtml(texts.servers.unsaved(unsaved), 600)}</span></div>`}${waiting(view)}${favourites(marked, view)}${offeredTries(tries, calls, view)}<div class="home-grid">${servers(view)}${recentCalls(calls, view)}</div>${alertSwitch}`,
  };
}
