/** Parts of a server that several pages show: its facts, what it offers, and what to do if it is not running. Pure. */

import { attributes, type Html, html } from '@midcall/core/page';
import { capitalized } from '@midcall/core/text';
import type { ListName } from '../../index.ts';
import { age } from '../card/index.ts';
import { ansiHtml, named, visibleHtml } from '../html/index.ts';
import { texts } from '../texts/index.ts';
import type { OfferKind, OfferView, ServerView, Session } from '../workspace/index.ts';
import { buttonForm } from './button-form.ts';
import { offerPath, serverPath } from './paths.ts';

/** What a tool's annotations say, in plain words; untrusted hints. */
function toolHints(tool: OfferView): readonly string[] {
  const hints = tool.annotations;
  if (!hints) return [];
  if (hints.readOnlyHint === true) return [texts.tool.readOnly];
  const { destructiveHint } = hints;
  return [
    destructiveHint === undefined
      ? texts.tool.unknown
      : destructiveHint
        ? texts.tool.destructive
        : texts.tool.destroysNothing,
    ...(hints.idempotentHint === true ? [texts.tool.idempotent] : []),
    ...(hints.openWorldHint === true ? [texts.tool.openWorld] : []),
  ];
}

const saysNothing = (tool: OfferView): boolean => toolHints(tool).includes(texts.tool.unknown);

/** What a tool's annotations say, as chips. */
export const hintChips = (tool: OfferView): Html =>
  html`${toolHints(tool).map(each => {
    const unknown = each === texts.tool.unknown;
    return html`<span${attributes({ class: unknown ? 'chip hint hint-unknown' : 'chip hint', title: unknown ? texts.tool.unknownHelp : undefined })}>${each}</span>`;
  })}`;

/** The chips of a tool in a list, which says once, above, what is not said of many tools. */
const listedChips = (tool: OfferView): Html =>
  html`${toolHints(tool)
    .filter(each => each !== texts.tool.unknown)
    .map(each => html`<span class="chip hint">${each}</span>`)}`;

/** How much a server offers, in words. */
export const serverCounts = ({ tools, prompts, resources }: ServerView): string =>
  texts.servers.counts(tools.length, prompts.length, resources.length);

/** Why a server does not run, for a row that names the server: without its command line or URL, which may fill the row. */
function withoutOrigin(reason: string, origin: string): string {
  const named = `(${origin}): `;
  const at = reason.indexOf(named);
  return capitalized(at < 0 ? reason : reason.slice(at + named.length));
}

/** The latest problem of a server; undefined if there is none. */
export function serverTrouble({ state, reason, unlisted, origin }: ServerView): string | undefined {
  if (state === 'failed') return withoutOrigin(reason ?? texts.tool.unavailable, origin);
  const [first] = state === 'ready' ? unlisted : [];
  return first && texts.servers.unlisted(first.list, first.why);
}

/** What a server offers of one kind, each with a link to its form. */
export function offerList(server: ServerView, kind: OfferKind, offers: readonly OfferView[], { link }: Session): Html {
  return html`<ul class="tool-list" data-filtered="offers">${offers.map(offer => {
    return html`<li><a class="tool-row" href="${link(offerPath(server.id, kind, offer.name))}"><span class="name">${named(offer.name, offer.title)}</span><span class="hints">${listedChips(offer)}</span>${
      offer.description !== undefined &&
      html`<span class="about">${visibleHtml(offer.description.split('\n')[0] ?? '', 200)}</span>`
    }</a></li>`;
  })}</ul>`;
}

/** Which lists of one kind could not be read, and why; nothing if all could. */
export function unlistedNotice(server: ServerView, kinds: readonly ListName[]): Html | false {
  const failed = server.state === 'ready' ? server.unlisted.filter(({ list }) => kinds.includes(list)) : [];
  if (failed.length === 0) return false;
  return html`<div class="notice bad"><span>${failed.map(({ list, why }) => html`${visibleHtml(texts.servers.unlisted(list, why), 600)} `)}</span></div>`;
}

/** The tools of a server in a panel; says so if it has none, or if they could not be listed. */
export function toolList(server: ServerView, session: Session): Html {
  const failed = unlistedNotice(server, ['tools']);
  const none = server.state === 'ready' ? texts.servers.noTools : texts.servers.toolsUnknown;
  const list =
    server.tools.length > 0 ? offerList(server, 'tool', server.tools, session) : html`<p class="empty">${none}</p>`;
  const unclear = server.tools.filter(saysNothing).length;
  return html`${failed}${unclear > 0 && html`<p class="help">${texts.tool.unclear(unclear, server.tools.length)}</p>`}${(server.tools.length > 0 || !failed) && html`<div class="panel">${list}</div>`}`;
}

const isUrl = (server: ServerView): boolean => /^https?:/.test(server.origin);

/**
 * The button that starts a server again, or connects to it again.
 * @param options - `callId`: the call to run again afterwards; `short`: in one word, for narrow places
 */
export function restartButton(
  server: ServerView,
  session: Session,
  { callId, short }: { readonly callId?: string; readonly short?: true } = {},
): Html {
  const { restart, start, connect } = texts.servers;
  const label = short ? { command: start, url: connect } : restart;
  const fields = callId === undefined ? {} : { call: callId };
  return buttonForm(
    session,
    serverPath(server.id, 'restart'),
    isUrl(server) ? label.url : label.command,
    'small',
    fields,
  );
}

/** True if a server is not running, or if only trying shows whether it can be reached. */
export const mayBeRestarted = (server: ServerView): boolean =>
  server.state === 'failed' || server.state === 'stopped' || isUrl(server);

/** That a server starts: for how long, what it said last, and the button that stops it. */
function startingNotice(server: ServerView, session: Session & { readonly now?: number }): Html {
  const { startedAt, log } = server;
  const said = log.at(-1);
  return html`<div class="notice starting" data-key="starting"><span><strong>${isUrl(server) ? texts.servers.connecting : texts.servers.starting}</strong>${startedAt !== undefined && html` ${age(startedAt, session.now ?? startedAt)}`}${said !== undefined && html`<span class="last-said mono">${ansiHtml(said, 300)}</span>`}</span>${buttonForm(session, serverPath(server.id, 'stop'), texts.servers.stop)}</div>`;
}

/** That a server is muted, with the button that ends it; nothing if it is not. */
export function mutedNotice({ id, muted }: ServerView, session: Session): Html | false {
  if (muted === undefined) return false;
  const fields = { id: muted, to: serverPath(id) };
  return html`<div class="notice" data-key="muted"><span>${texts.servers.muted}</span>${buttonForm(session, '/policy/revoke', texts.servers.unmute, 'small', fields)}</div>`;
}

/** Why a server is not running, with the button that starts it, or that it starts; nothing if it is running. */
export function serverNotice(server: ServerView, session: Session & { readonly now?: number }): Html | false {
  if (server.state === 'ready') return false;
  if (server.state === 'starting') return startingNotice(server, session);
  const why = server.reason ?? texts.tool.unavailable;
  return html`<div class="notice${server.state === 'failed' && ' bad'}"><span>${visibleHtml(why, 600)}</span>${restartButton(server, session)}</div>`;
}

/** How a server is reached, what it calls itself, and what it may use. */
export function serverFacts(server: ServerView, { link }: Session): Html {
  return html`<dl class="meta"><div><dt>${isUrl(server) ? texts.servers.reachedAt : texts.servers.startedWith}</dt><dd class="mono">${visibleHtml(server.origin, 600)}</dd></div>${
    server.self !== undefined &&
    html`<div><dt>${texts.servers.says}</dt><dd>${visibleHtml(server.self, 200)}</dd></div>`
  }${server.era !== undefined && html`<div><dt>${texts.servers.protocol}</dt><dd>${server.era}</dd></div>`}${
    server.elsewhere !== undefined &&
    html`<div><dt>${texts.servers.runsIn}</dt><dd>${visibleHtml(texts.servers.bridgeOf(server.elsewhere), 200)}</dd></div>`
  }${
    server.elsewhere === undefined &&
    html`<div><dt>${texts.servers.roots}</dt><dd>${
      server.roots.length === 0
        ? html`<span class="quiet-text">${texts.servers.noRoots}</span>`
        : server.roots.map(
            root =>
              html`<span class="root-line">${visibleHtml(root.name ?? '', 80)} <span class="mono quiet-text">${visibleHtml(root.path, 400)}</span></span>`,
          )
    } <a href="${link('/roots')}">${texts.servers.changeRoots}</a></dd></div>`
  }</dl>`;
}
