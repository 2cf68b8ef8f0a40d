/** The person's models: which there are, what each server has spent on them, and how much it may. Pure. */
import { type Html, html } from '@midcall/core/page';
import type { SamplingAccount } from '../../index.ts';
import { icons, visibleHtml } from '../html/index.ts';
import { spelledAge, texts } from '../texts/index.ts';
import type { ModelsView, ServerView, Session } from '../workspace/index.ts';
import type { Content } from './layout.ts';
import { table } from './table.ts';

function accountRow(id: string, { spent, limits }: SamplingAccount): Html {
  const { of, forEver, within: inLast, heads } = texts.models;
  const [, requests, tokens, window, turns] = heads;
  const within = Number.isFinite(limits.windowMs) ? inLast(spelledAge(limits.windowMs)) : forEver;
  return html`<tr><td>${visibleHtml(id, 80)}</td><td data-head="${requests}">${of(spent.requests, limits.requests)}</td><td data-head="${tokens}">${of(spent.tokens, limits.tokens)}</td><td data-head="${window}">${within}</td><td data-head="${turns}">${limits.depth}</td></tr>`;
}

/** The models in the order they are preferred, and the account of every server that runs. */
export function modelsPage(models: ModelsView | undefined, servers: readonly ServerView[], { link }: Session): Content {
  const { title, lead, none, withTools, withoutTools, spent, heads, nothing } = texts.models;
  const list = models
    ? html`<ul class="roots-list">${models.names.map(name => html`<li>${icons.model}<strong>${visibleHtml(name, 120)}</strong></li>`)}</ul>`
    : html`<p class="empty">${none}</p>`;
  const rows = servers.flatMap(server => (server.account ? [accountRow(server.id, server.account)] : []));
  return {
    title,
    at: '/models',
    refresh: { after: 10, to: link('/models') },
    main: html`<div class="head"><h1>${title}</h1></div><p class="lead">${lead}</p><div class="panel">${list}</div>${models && html`<p class="help audit-state">${models.tools ? withTools : withoutTools}</p>`}<section class="section"><h2>${spent}</h2>${table(spent, heads, rows, nothing)}</section>`,
  };
}
