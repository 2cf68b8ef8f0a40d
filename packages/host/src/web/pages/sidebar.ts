/** The servers beside every page, with their tools below them if they are unfolded, and one box to find any. Pure. */
import { attributes, type Html, html } from '@midcall/core/page';
import { visible } from '../../index.ts';
import { icons, named, visibleHtml } from '../html/index.ts';
import { texts } from '../texts/index.ts';
import type { DeskView, OfferView, ServerView } from '../workspace/index.ts';
import { part } from './part.ts';
import { offerPath, serverPath } from './paths.ts';

/** What the sidebar has to know about the page beside it. */
export interface Place {
  /** The path of this page's entry in the navigation. */
  readonly at?: string;
  /** The server and the tool that the page is about. */
  readonly serverId?: string;
  readonly tool?: string;
}

/** How many tools of one server are listed here; its own page has all. */
const mostTools = 30;

/** How many letters of a name are visible here; a longer one shows the rest on hover. */
const mostLetters = 24;

/** The tools of a server that are listed; the one that the page is about is always among them. */
function listedTools(tools: readonly OfferView[], current: string | undefined): readonly OfferView[] {
  const first = tools.slice(0, mostTools);
  const own = tools.slice(mostTools).find(tool => tool.name === current);
  return own ? [...first, own] : first;
}

/** The same of a server, whose name is bold and shares its line. */
const mostLettersOfServer = 16;

/** How many letters at the end of a long name stay visible: names often differ there. */
const endLetters = 9;

/** A name of which, where it is cut, the beginning and the end remain. */
const cut = (text: string, most = mostLetters): Html =>
  text.length <= most
    ? visibleHtml(text, 200)
    : html`<span class="cut"><span>${visibleHtml(text.slice(0, -endLetters), 200)}</span><span>${visibleHtml(text.slice(-endLetters), 200)}</span></span>`;

const longest = ({ name, title = '' }: OfferView): number => Math.max(name.length, title.length);

function toolGroup(server: ServerView, place: Place, open: boolean, { link }: DeskView): Html | false {
  if (server.tools.length === 0) return false;
  const isCurrent = place.serverId === server.id;
  const tools = open ? listedTools(server.tools, isCurrent ? place.tool : undefined) : [];
  const left = server.tools.length - tools.length;
  return html`<details${attributes({ open, class: 'tool-group', 'data-fold': server.id })}><summary${attributes({ 'aria-label': texts.servers.toolsOf(server.id, server.tools.length) })}>${server.tools.length}${icons.unfold}</summary><ul class="tools">${tools.map(
    tool =>
      html`<li><a${attributes({ href: link(offerPath(server.id, 'tool', tool.name)), class: 'tool', title: longest(tool) > mostLetters && visible(tool.name, { max: 200 }), 'aria-current': isCurrent && place.tool === tool.name && 'page' })}>${named(tool.name, tool.title, 200, text => cut(text))}</a></li>`,
  )}${left > 0 && html`<li><a class="tool more-tools" href="${link(serverPath(server.id))}">${texts.servers.moreTools(left, tools.length === 0)}</a></li>`}</ul></details>`;
}

function serverEntry(server: ServerView, place: Place, open: boolean, view: DeskView): Html {
  const isCurrent = place.serverId === server.id;
  return html`<li class="server" data-key="side-${server.id}"><a${attributes({ href: view.link(serverPath(server.id)), class: 'server-name', 'aria-current': isCurrent && place.tool === undefined && place.at === undefined && 'page' })}><span class="state state-${server.state}"></span><span class="server-label">${server.id.length > mostLettersOfServer ? cut(server.id, mostLettersOfServer) : visibleHtml(server.id, 80)}</span>${server.state !== 'ready' && server.fresh !== true && html` <span class="server-state">${texts.servers.state[server.state]}</span>`}${server.muted !== undefined && html` <span class="server-state">${texts.servers.mutedShort}</span>`}</a>${toolGroup(server, place, open, view)}</li>`;
}

/** The box that finds servers and tools; without client script it leads to a page with what was found. */
function findBox(view: DeskView, id: string, query?: string): Html {
  return html`<form${attributes({ role: 'search', 'aria-label': texts.find.label, class: 'find-box', method: 'get', action: view.link('/find') })}><label class="unseen" for="${id}">${texts.find.label}</label><input${attributes({ id, type: 'search', name: 'q', placeholder: texts.find.label, autocomplete: 'off', spellcheck: 'false', 'data-find': query })}></form>`;
}

/** The sidebar. */
export function sidebar(view: DeskView, place: Place): Html {
  const { servers } = view;
  const tools = servers.reduce((sum, server) => sum + server.tools.length, 0);
  const isOpen = (server: ServerView): boolean => {
    const folded = view.isFolded(server.id);
    return folded === undefined ? tools <= mostTools || server.id === place.serverId : !folded;
  };
  return part(
    'nav',
    { class: 'side', id: 'side', 'aria-labelledby': 'servers-title' },
    html`<h2 id="servers-title">${texts.servers.title}</h2>${findBox(view, 'side-find', 'side-found')}<div class="side-list"><div id="side-found" class="side-found" data-morph="keep" aria-live="polite" hidden></div>${
      servers.length === 0
        ? html`<p class="rail-empty">${texts.servers.none}</p>`
        : html`<ul class="servers">${servers.map(server => serverEntry(server, place, isOpen(server), view))}</ul>`
    }</div><a${attributes({ class: 'add-server', href: view.link('/add'), 'aria-current': place.at === '/add' && 'page' })}>${icons.plus}${texts.servers.add}</a>`,
  );
}
