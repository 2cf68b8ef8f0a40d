/** The layout of every page: navigation, servers, and open questions. Pure. */

import { createHash } from 'node:crypto';
import { attributes, brandMark, Html, html, type Page, page } from '@midcall/core/page';
import { foldAlike, type Question, visible } from '../../index.ts';
import { age, questionIcon, questionSubject } from '../card/index.ts';
import { icons, named, visibleHtml } from '../html/index.ts';
import { keptTexts, texts } from '../texts/index.ts';
import type { DeskView, OfferView, ServerView } from '../workspace/index.ts';
import { keptBox } from './kept-box.ts';
import { offerPath, questionPath, serverPath, togetherPath } from './paths.ts';

const nameOf = (text: string): string => createHash('sha256').update(text).digest('base64url').slice(0, 16);

/**
 * An element of a page that an open page may have already. When the page comes again with a question, it is left out, so that the
 * browser has to read only what is new (`client/morph.ts`). It is named after its content: whatever has that name is the same.
 */
export function part(tag: 'li' | 'nav' | 'dialog' | 'div', all: Parameters<typeof attributes>[0], content: Html): Html {
  const rest = html`${attributes(all)}>${new Html(content.text)}</${tag}>`.text;
  const name = nameOf(rest);
  const text = `<${tag} data-part="${name}"${rest}`;
  const instead =
    html`<${tag} data-part="${name}"${attributes({ id: all['id'], 'data-key': all['data-key'] })} data-left-out></${tag}>`
      .text;
  return new Html(text, [{ name, start: 0, end: text.length, instead }]);
}

/** The palette; its results are fetched while somebody types. */
const palette: Html = part(
  'dialog',
  { id: 'palette', class: 'palette', 'aria-label': texts.find.title, 'data-morph': 'keep' },
  html`<input${attributes({ type: 'search', 'aria-label': texts.find.anything, placeholder: texts.find.anything, autocomplete: 'off', spellcheck: 'false', 'aria-controls': 'palette-found' })}><div id="palette-found" class="palette-found" aria-live="polite"></div><p class="palette-help quiet-text"><span class="to-found"><kbd>↑</kbd> <kbd>↓</kbd> ${texts.keys.choose} <kbd>Enter</kbd> ${texts.keys.go} </span><kbd>Esc</kbd> ${texts.keys.leave}</p>`,
);

/** All shortcuts. */
const keyList: Html = part(
  'dialog',
  { id: 'keys', class: 'keys', 'aria-labelledby': 'keys-title', 'data-morph': 'keep' },
  html`<h2 id="keys-title">${texts.keys.title}</h2><dl>${texts.keys.all.map(
    ([keys, does]) => html`<div><dt>${keys.map(key => html`<kbd>${key}</kbd>`)}</dt><dd>${does}</dd></div>`,
  )}</dl><label class="switch"><input type="checkbox" data-single-keys> <span>${texts.keys.single}</span></label><form method="dialog"><button class="button small">${texts.keys.close}</button></form>`,
);

/** The two dialogs that every page has for the keyboard: the palette, which finds anything, and the list of keys. Pure. */
const keyboardDialogs: Html = html`${palette}${keyList}`;

/** Where pages find our own files. */
export interface PageAssets {
  readonly icon: string;
  /** The icon of a tab in which a question waits. */
  readonly waiting: string;
  readonly style: string;
  readonly script: string;
}

/** Where the desk's pages find theirs. */
export interface AssetPaths extends PageAssets {
  /** For the page of a used start link. */
  readonly usedLinkScript: string;
  readonly worker: string;
  readonly manifest: string;
}

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

/** How many letters of the name of a server are visible, which is bold and shares its line. */
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

/** The servers beside every page, with their tools below them if they are unfolded, and one box to find any. */
function sidebar(view: DeskView, place: Place): Html {
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

/** The content of one page. */
export interface Content extends Place {
  readonly title: string;
  readonly main: Html;
  /** True for a page that shows the open questions itself, and needs the room of the list beside the other pages. */
  readonly isWide?: true;
  /** True for a form with what comes of it beside it: they get all the room that there is. */
  readonly isSplit?: true;
  /** The server whose messages and logs can be shown below the page, and from when on. */
  readonly drawer?: { readonly serverId: string; readonly since?: number };
  /** The question whose card is on the page. */
  readonly questionId?: string;
  /** The address that a browser without client script reloads, and after how many seconds; absent if somebody may be typing. */
  readonly refresh?: { readonly after: number; readonly to: string };
}

/** How many rows the inbox shows beside a page. */
const inRail = 12;

/** Open questions in the lists of the desk; alike calls are one row. @param fold - see {@link foldAlike} */
export function inboxItem(
  fold: readonly [Question, ...Question[]],
  { link, now }: DeskView,
  current: string | undefined,
): Html {
  const [question] = fold;
  const href = link(fold.length === 1 ? questionPath(question) : togetherPath(fold));
  return questionItem(question, { href, now, isCurrent: fold.some(({ id }) => id === current), calls: fold.length });
}

/** How many questions rows stand for. */
export const questionsOf = (rows: readonly (readonly Question[])[]): number =>
  rows.reduce((sum, { length }) => sum + length, 0);

/** One open question in a list. @param of - `calls`: how many calls the row stands for @param more - at its end */
export function questionItem(
  question: Question,
  of: { readonly href: string; readonly now: number; readonly isCurrent?: boolean; readonly calls?: number },
  more: Html | false = false,
): Html {
  const { href, now, isCurrent = false, calls = 1 } = of;
  const subject = calls > 1 ? texts.callQuestion.together.row(calls) : questionSubject(question);
  // Two pages of one server may be called the same.
  const domain = question.kind === 'url' || question.kind === 'url-finish' ? question.url.parts.domain : '';
  return html`<li><a${attributes({ href, class: 'inbox-item', 'aria-current': isCurrent && 'true', 'data-key': `i-${question.id}` })}><span class="inbox-top">${questionIcon(question)}<strong>${visibleHtml(question.asker.id, 60)}</strong>${age(question.askedAt, now)}</span>${question.kind !== 'sign-in' && html`<span class="inbox-call ${question.call ? 'mono' : 'small'}">${question.call ? visibleHtml(question.call.name, 80) : texts.question.noCall}</span>`}<span class="inbox-message">${visibleHtml(subject, 120, true)}</span>${domain !== '' && html`<span class="inbox-call mono">${visibleHtml(domain, 80)}</span>`}${more}</a></li>`;
}

/** Whether the person is alerted to new questions; shown if there is client script. */
export const alertSwitch: Html = part(
  'div',
  { class: 'alerts', hidden: true, 'data-alerts': true, 'data-key': 'alerts' },
  html`<label class="switch"><input type="checkbox" data-alerts-switch> <span>${texts.inbox.alerts}</span></label><p class="help">${texts.inbox.alertsHelp}</p><p class="help" role="status" data-alerts-denied hidden>${texts.inbox.alertsDenied}</p>`,
);

function inboxRail(view: DeskView, current: string | undefined): Html {
  const { open, link } = view;
  const rows = foldAlike(open).slice(0, inRail);
  const left = open.length - questionsOf(rows);
  return html`<aside class="rail" id="inbox" aria-labelledby="inbox-title"><div class="rail-head"><h2 id="inbox-title">${texts.inbox.title}</h2><span class="count">${open.length}</span></div><ul class="inbox-list" data-key="questions">${rows.map(each => inboxItem(each, view, current))}</ul>${left > 0 && html`<p class="rail-more"><a href="${link('/inbox')}">${texts.inbox.more(left)}</a></p>`}${alertSwitch}</aside>`;
}

/** The pages that every other page links to. */
export const pages = [
  ['/', texts.nav.home],
  ['/history', texts.nav.history],
  ['/tasks', texts.nav.tasks],
  ['/roots', texts.nav.roots],
  ['/models', texts.nav.models],
  ['/policy', texts.nav.policy],
  ['/audit', texts.nav.audit],
] as const;

function topBar(view: DeskView, content: Content): Html {
  const { open, now, link } = view;
  const oldest = open[0];
  return html`<header class="top"><a class="brand" href="${link('/')}">${brandMark}<span>${texts.product}</span> <span class="brand-desk">${texts.desk}</span></a>${part(
    'nav',
    { class: 'pages', 'aria-label': texts.nav.label },
    html`<ul>${pages.map(
      ([path, name]) =>
        html`<li><a${attributes({ href: link(path), 'aria-current': content.at === path && 'page' })}>${name}</a></li>`,
    )}</ul>`,
  )}<a${attributes({ class: 'settings-link', href: link('/settings'), title: texts.settings.title, 'aria-label': texts.settings.title, 'aria-current': content.at === '/settings' && 'page' })}>${icons.settings}</a><a class="find-button" href="${link('/find')}" data-palette aria-keyshortcuts="Control+K Meta+K">${icons.find}<span>${texts.find.go}</span><kbd class="script-only">${texts.keys.palette}</kbd></a><a${attributes({ class: open.length > 0 ? 'inbox-pill waiting' : 'inbox-pill', href: link(oldest && open.length === 1 ? questionPath(oldest) : '/inbox'), id: 'inbox-pill' })}>${icons.inbox}<span>${texts.inbox.count(open.length)}</span>${oldest && html`<span class="pill-age">${open.length > 1 && html`${texts.inbox.oldest} `}${age(oldest.askedAt, now)}</span>`}</a></header>`;
}

/** A whole page of the desk. @param drawer - at the end of the page */
export function layout(view: DeskView, content: Content, assets: AssetPaths, drawer?: Html): Page {
  const { open } = view;
  // A list of what is on the page anyway would only take room from it.
  const hasRail = content.isWide !== true && open.some(({ id }) => id !== content.questionId);
  const count = open.length > 0 ? `(${open.length}) ` : '';
  return {
    title: `${count}${visible(content.title, { max: 200 })} · ${texts.product}`,
    theme: view.theme,
    icon: open.length > 0 ? assets.waiting : assets.icon,
    styles: [assets.style],
    modules: [assets.script],
    ...(view.remembersBrowsers && { manifest: assets.manifest }),
    ...(content.refresh !== undefined && { refreshWithoutScript: content.refresh }),
    bodyAttributes: {
      'data-base': view.link(''),
      'data-event': view.event,
      'data-now': view.now,
      'data-csrf': view.csrf,
      'data-zone': view.zone,
      'data-remember': view.remembersBrowsers === true && 'on',
      'data-worker': view.remembersBrowsers === true && assets.worker,
      'data-single-keys': view.singleKeys ? 'on' : 'off',
    },
    body: html`<a class="skip" href="#main">${texts.skip}</a>
${topBar(view, content)}
${keptBox(keptTexts.desk, view.link('/'))}
<div${attributes({ class: ['frame-grid', !hasRail && 'is-wide', content.isSplit && 'is-split', content.isWide && 'is-broad', drawer && 'has-drawer'].filter(each => typeof each === 'string').join(' ') })}>
${sidebar(view, content)}
<main id="main" tabindex="-1">${content.main}${drawer}</main>
${hasRail && inboxRail(view, content.questionId)}
</div>
${keyboardDialogs}
${announceRegion}`,
  };
}

/** Where client script puts what screen readers are to say. */
export const announceRegion: Html = html`<div class="announce" role="status" aria-live="polite" id="announce" data-morph="keep"></div>`;

/** What a page outside a session has besides its words. */
export interface NoticeOptions {
  /** What Midcall is here; the desk if absent. */
  readonly place?: string;
  /** What can be done: a link, or a form with one button. */
  readonly action?: Html | false;
  readonly modules?: readonly string[];
  /** Attributes of the page for its modules. */
  readonly data?: Readonly<Record<string, string>>;
  /** The address that the page leads to at once. */
  readonly leadsTo?: string;
  /** The app that the page belongs to. */
  readonly app?: Pick<Page, 'manifest' | 'touchIcon'>;
}

/** A link from a page outside a session to the desk. */
export const backLink = (href: string): Html => html`<p><a href="${href}">${texts.session.back}</a></p>`;

/** A page outside a session: it shows nothing of what a session has. */
export function noticePage(
  title: string,
  lines: readonly string[],
  { icon, style }: Pick<PageAssets, 'icon' | 'style'>,
  { place = texts.desk, action = false, modules = [], data = {}, leadsTo, app }: NoticeOptions = {},
): string {
  return page({
    title: `${visible(title, { max: 200 })} · ${texts.product}`,
    icon,
    styles: [style],
    modules,
    ...(leadsTo !== undefined && { leadsTo }),
    ...app,
    bodyAttributes: data,
    body: html`<main class="plain-page" id="main"><p class="brand">${brandMark}<span>${texts.product}</span> <span class="brand-place">${place}</span></p><h1>${visibleHtml(title, 200)}</h1>${lines.map(line => html`<p>${visibleHtml(line, 2_000)}</p>`)}${action}</main>`,
  });
}

/**
 * Appears for a moment in the tab of a page that the person agreed to open, and redirects to it.
 * @param sent - an address that may be opened, as it was sent
 */
export function openingPage(sent: string, { icon, style }: Pick<PageAssets, 'icon' | 'style'>): string {
  // What was judged is an address of its own; on a page, `http:host/path` would be one below that page.
  const { href } = new URL(sent);
  return page({
    title: texts.opening.title,
    icon,
    styles: [style],
    leadsTo: href,
    body: html`<main class="plain-page" id="main"><h1>${texts.opening.title}</h1><p>${texts.opening.lead}</p><p class="mono"><a href="${href}" rel="noopener noreferrer">${visibleHtml(href, 8_000)}</a></p></main>`,
  });
}
