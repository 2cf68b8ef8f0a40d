/** The desk's own page: every server with its tools. Pure. */
import { type Html, html } from '@midcall/core/page';
import { texts } from '../texts/texts.ts';
import { visibleHtml } from '../visible-html.ts';
import type { DeskView, ServerView } from '../workspace/views.ts';
import { type Content, serverPath } from './layout.ts';
import { serverFacts, serverNotice, toolList, unlistedNotice } from './server-parts.ts';

/** Says on the first page what else there is. */
function furtherLine(server: ServerView, { link }: DeskView): Html | false {
  const counts = texts.servers.further(server.prompts.length, server.resources.length);
  return counts !== '' && html`<p class="help audit-state"><a href="${link(serverPath(server.id))}">${counts}</a></p>`;
}

const anyStarting = (view: DeskView): boolean => view.servers.some(server => server.state === 'starting');

/** The first page: every server with what it can do. */
export function deskPage(view: DeskView): Content {
  const body = view.servers.map(
    server =>
      html`<section class="section" data-key="s-${server.id}"><div class="head"><h2><a class="plain-link" href="${view.link(serverPath(server.id))}">${visibleHtml(server.id, 80)}</a></h2> <span class="chip chip-${server.state}">${texts.servers.state[server.state] ?? ''}</span></div>${serverFacts(server, view)}${serverNotice(server, view)}${toolList(server, view)}${unlistedNotice(server, ['prompts', 'resources', 'resource templates'])}${furtherLine(server, view)}</section>`,
  );
  const empty = html`<p class="lead">${texts.servers.none}</p><p class="actions"><a class="button primary" href="${view.link('/add')}">${texts.servers.add}</a></p>`;
  return {
    title: texts.nav.desk,
    at: '/',
    refresh: { after: anyStarting(view) ? 1 : 10, to: view.link('/') },
    main: html`<div class="head"><h1>${texts.home.title}</h1>${view.servers.length > 0 && html`<a class="button small without-side" href="${view.link('/add')}">${texts.servers.add}</a>`}</div><p class="lead">${texts.home.lead}</p>${view.servers.length === 0 ? empty : body}`,
  };
}
