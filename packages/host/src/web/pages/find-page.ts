/** Search results, as a list that the box beside every page and the palette also show. Pure. */
import { attributes, type Html, html } from '@midcall/core/page';
import { questionIcon, questionSubject } from '../card/index.ts';
import { icons, named, visibleHtml } from '../html/index.ts';
import { texts } from '../texts/index.ts';
import type { DeskView, Hit, Session } from '../workspace/index.ts';
import type { Content } from './layout.ts';
import { offerPath, questionPath, serverPath } from './paths.ts';

interface Row {
  readonly path: string;
  /** Posted there, if it does something. */
  readonly fields?: Readonly<Record<string, string>>;
  readonly icon: Html;
  readonly name: Html;
  readonly aside: Html | string;
}

const offerIcons = { tool: icons.call, prompt: icons.question, resource: icons.result } as const;

function rowOf(hit: Hit): Row {
  switch (hit.kind) {
    case 'question': {
      const { question } = hit;
      return {
        path: questionPath(question),
        icon: questionIcon(question),
        name: visibleHtml(questionSubject(question), 100, true),
        aside: html`${texts.find.kinds.question} · ${visibleHtml(question.asker.id, 60)}`,
      };
    }
    case 'page':
      return { path: hit.path, icon: icons.page, name: html`${hit.name}`, aside: texts.find.kinds.page };
    case 'action':
      return {
        path: hit.action.path,
        fields: hit.action.fields,
        icon: icons.unfold,
        name: visibleHtml(hit.action.name, 120),
        aside: texts.find.kinds.action,
      };
    case 'server':
      return {
        path: serverPath(hit.server.id),
        icon: icons.server,
        name: visibleHtml(hit.server.id, 80),
        aside: texts.find.kinds.server,
      };
    default:
      return {
        path: offerPath(hit.server.id, hit.kind, hit.offer.name),
        icon: offerIcons[hit.kind],
        name: named(hit.offer.name, hit.offer.title, 120),
        aside: html`${hit.kind !== 'tool' && html`${texts.find.kinds[hit.kind]} · `}${visibleHtml(hit.server.id, 60)}`,
      };
  }
}

/** The list itself; says so if nothing was found. */
function foundList(hits: readonly Hit[], more: number, { csrf, link }: Session): Html {
  if (hits.length === 0) return html`<div id="found"><p class="empty">${texts.find.nothing}</p></div>`;
  return html`<div id="found"><ul class="found-list">${hits.map(each => {
    const { path, icon, name, aside, fields } = rowOf(each);
    const inner = html`${icon}<span class="found-name">${name}</span><span class="found-aside">${aside}</span>`;
    if (!fields) return html`<li><a${attributes({ class: 'found', href: link(path) })}>${inner}</a></li>`;
    return html`<li><form method="post" action="${link(path)}"><input type="hidden" name="csrf" value="${csrf}">${Object.entries(fields).map(([field, value]) => html`<input type="hidden" name="${field}" value="${value}">`)}<button class="found">${inner}</button></form></li>`;
  })}</ul>${more > 0 && html`<p class="found-more quiet-text">${texts.find.more(more)}</p>`}</div>`;
}

/** The page with the results. */
export function findPage(query: string, hits: readonly Hit[], more: number, view: DeskView): Content {
  return {
    title: texts.find.title,
    main: html`<div class="head"><h1>${texts.find.title}</h1></div><form class="search" method="get" action="${view.link('/find')}" role="search" data-first aria-label="${texts.find.title}"><label class="unseen" for="find-q">${texts.find.label}</label><input${attributes({ id: 'find-q', type: 'search', name: 'q', value: query, autocomplete: 'off' })}><button class="button">${texts.find.go}</button></form><div class="panel">${foundList(hits, more, view)}</div>`,
  };
}
