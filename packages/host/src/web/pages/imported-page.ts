/** What became of each server of an mcp.json that was added. Pure. */
import { html } from '@midcall/core/page';
import { visibleHtml } from '../html/index.ts';
import { texts } from '../texts/index.ts';
import type { DeskView, ServerView } from '../workspace/index.ts';
import type { Content } from './layout.ts';
import { serverPath } from './paths.ts';
import { serverCounts, serverTrouble } from './server-parts.ts';

/** One entry of the file: on the desk by that name, or not because of a problem. */
export interface Imported {
  readonly id: string;
  readonly problem?: string;
}

const isServer = (server: ServerView | undefined): server is ServerView => server !== undefined;

/** Every entry with its result, which follows its server from then on. */
export function importedPage(entries: readonly Imported[], view: DeskView): Content {
  const { imported } = texts.servers;
  const rows = entries.map(({ id, problem }) => {
    const server = view.servers.find(each => each.id === id);
    const state = problem === undefined ? (server?.state ?? 'stopped') : 'failed';
    return { id, problem, server, state, why: problem ?? (server && serverTrouble(server)) };
  });
  const count = (state: ServerView['state']): number => rows.filter(row => row.state === state).length;
  const failed = rows.filter(row => row.state === 'failed').map(row => row.id);
  return {
    title: imported.title,
    at: '/add',
    refresh: { after: 2, to: view.link('/imported') },
    main: html`<div class="head"><h1>${imported.title}</h1></div><p class="lead" role="status">${visibleHtml(imported.summary(count('ready'), count('starting'), failed), 2_000)}</p><ul class="panel server-rows">${rows.map(
      ({ id, problem, server, state, why }) =>
        html`<li class="server-row" data-key="imported-${id}"><span class="state state-${state}"></span>${isServer(server) ? html`<a class="server-row-name" href="${view.link(serverPath(id))}">${visibleHtml(id, 80)}</a>` : html`<span class="server-row-name">${visibleHtml(id, 80)}</span>`}<span class="server-row-counts">${server?.state === 'ready' ? serverCounts(server) : problem === undefined ? texts.servers.state[state] : imported.notAdded}</span>${server?.era !== undefined && html`<span class="server-row-era">${texts.servers.revision(server.era)}</span>`}${state === 'failed' && why !== undefined && html`<span class="server-row-trouble whole">${visibleHtml(why, 600)}</span>`}</li>`,
    )}</ul><p class="actions"><a class="button primary" href="${view.link('/')}">${texts.session.back}</a><a class="button" href="${view.link('/add')}">${texts.servers.add}</a></p>`,
  };
}
