/** The page of one server: all it offers, and the end of its log. Pure. */
import { attributes, type Html, html } from '@midcall/core/page';
import type { ServerEntry } from '../../index.ts';
import { ansiHtml, visibleHtml } from '../html/index.ts';
import { texts } from '../texts/index.ts';
import { asConfig, type ServerView, type Session } from '../workspace/index.ts';
import { buttonForm } from './button-form.ts';
import type { Content } from './layout.ts';
import { serverPath } from './paths.ts';
import { mutedNotice, offerList, serverFacts, serverNotice, toolList, unlistedNotice } from './server-parts.ts';
import { type DrawerSession, drawerButton } from './wire-page.ts';

function furtherOffers(server: ServerView, session: Session): Html {
  const kinds = [
    ['prompt', texts.servers.prompts, server.prompts, unlistedNotice(server, ['prompts'])],
    [
      'resource',
      texts.servers.resources,
      server.resources,
      unlistedNotice(server, ['resources', 'resource templates']),
    ],
  ] as const;
  return html`${kinds.map(
    ([kind, title, offers, failed]) =>
      (offers.length > 0 || failed) &&
      html`<section class="section" data-filter-section="offers"><h2>${title}</h2>${failed}${offers.length > 0 && html`<div class="panel">${offerList(server, kind, offers, session)}</div>`}</section>`,
  )}`;
}

function serverLog(server: ServerView): Html | false {
  return (
    server.log.length > 0 &&
    html`<details class="section log"><summary>${texts.servers.log}</summary><pre class="result-json" tabindex="0">${ansiHtml(server.log.join('\n'), 8_000, true)}</pre></details>`
  );
}

/** From this many entries on, they can be filtered. */
const filterFrom = 12;

/** A box that filters all that a server offers; shown if there is client script. */
function filterBox({ tools, prompts, resources }: ServerView): Html | false {
  const count = tools.length + prompts.length + resources.length;
  return (
    count >= filterFrom &&
    html`<div class="search"><input${attributes({ type: 'search', hidden: true, 'data-filter': 'offers', placeholder: texts.servers.filter(count), 'aria-label': texts.servers.filter(count) })}></div><p class="empty" data-filter-none="offers" hidden role="status">${texts.servers.noneFits}</p>`
  );
}

/** Whether the person is signed in to a server that supports it. */
export interface SignInView {
  readonly isSignedIn: boolean;
  /** True if they have just signed out, but the authorization server could not be told. */
  readonly isUntold?: boolean;
}

/** The page of one server. */
export function serverPage(
  server: ServerView,
  entry: ServerEntry,
  session: DrawerSession,
  signIn: SignInView,
): Content {
  const own = texts.servers;
  // The server of a bridge is its host's to change.
  const isOwn = server.elsewhere === undefined;
  const action = (what: string, label: string): Html => buttonForm(session, serverPath(server.id, what), label);
  const actions = html`<div class="head-actions">${server.state === 'ready' && action('stop', own.stop)}${(isOwn ? server.state === 'failed' || server.state === 'stopped' : server.state === 'failed') && action('remove', own.remove)}${signIn.isSignedIn && action('sign-out', own.signOut)}${isOwn && html`${drawerButton(session, serverPath(server.id))}<a class="button small" href="${session.link(serverPath(server.id, 'edit'))}">${own.edit}</a>`}</div>`;
  const config = `config-${server.id}`;
  const more = html`<details class="section more"><summary>${own.more}</summary><div class="more-actions">${server.stored !== true && action('keep', own.keep)}${action('duplicate', own.duplicate)}${action('up', own.moveUp)}${action('down', own.moveDown)}${server.state !== 'failed' && server.state !== 'stopped' && action('remove', own.remove)}</div>${server.stored !== true && html`<p class="help">${own.notSaved}</p>`}<h3>${own.asConfig}</h3><div id="${config}"><dl><div data-typed><dt class="unseen">${own.asConfig}</dt><dd><pre class="result-json" tabindex="0">${visibleHtml(asConfig(entry), 20_000, true)}</pre></dd></div></dl></div><button${attributes({ type: 'button', class: 'button small script-only', 'data-copy': config, 'data-copied': own.copied, 'data-morph': 'keep' })}>${own.copyConfig}</button></details>`;
  return {
    title: server.id,
    serverId: server.id,
    ...(isOwn && { drawer: { serverId: server.id } }),
    refresh: { after: server.state === 'starting' ? 1 : 10, to: session.link(serverPath(server.id)) },
    main: html`<div class="head"><h1>${visibleHtml(server.id, 80)}</h1><span class="chips-inline"><span class="chip chip-${server.state}">${texts.servers.state[server.state] ?? ''}</span></span>${actions}</div>${serverFacts(server, session)}${signIn.isUntold && html`<div class="notice"><span>${own.signOutUntold}</span></div>`}${serverNotice(server, session)}${mutedNotice(server, session)}${filterBox(server)}<section class="section" data-filter-section="offers"><h2>${texts.servers.tools}</h2>${toolList(server, session)}</section>${furtherOffers(server, session)}${serverLog(server)}${isOwn && more}`,
  };
}
