/** The desk's own page, the page of a server, of a tool, and the one that adds a server. Pure. */
import type { Issue } from '../../../form/index.ts';
import { attributes, type Html, html } from '../../../html.ts';
import { problemSummary } from '../card/form-body.ts';
import { type ArgumentField, argumentFields } from '../form/argument-form.ts';
import { type Draft, first, untouched } from '../form/draft.ts';
import { fieldControl } from '../form/field-controls.ts';
import { texts } from '../texts/texts.ts';
import type { DeskView, OfferKind, OfferView, ServerView } from '../workspace/views.ts';
import { icons } from './icons.ts';
import { type Content, offerPath, serverPath } from './layout.ts';
import { shown } from './shown.ts';

/** A form that is one button. */
export function buttonForm(
  csrf: string,
  action: string,
  label: string,
  kind = 'small',
  fields: Readonly<Record<string, string>> = {},
): Html {
  return html`<form method="post" action="${action}"><input type="hidden" name="csrf" value="${csrf}">${Object.entries(
    fields,
  ).map(
    ([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`,
  )}<button class="button ${kind}">${label}</button></form>`;
}

/** What a tool says of itself, in plain words; untrusted hints. */
function toolHints(tool: OfferView): readonly string[] {
  const hints = tool.annotations;
  if (!hints) return [];
  if (hints.readOnlyHint === true) return [texts.tool.readOnly];
  return [
    ...(hints.destructiveHint === false ? [] : [texts.tool.destructive]),
    ...(hints.idempotentHint === true ? [texts.tool.idempotent] : []),
    ...(hints.openWorldHint === true ? [texts.tool.openWorld] : []),
  ];
}

const chips = (all: readonly string[]): Html => html`${all.map(each => html`<span class="chip hint">${each}</span>`)}`;

function offerList(server: ServerView, kind: OfferKind, offers: readonly OfferView[]): Html {
  return html`<ul class="tool-list">${offers.map(offer => {
    const about = offer.description ?? (kind === 'resource' ? offer.title : undefined);
    return html`<li><a class="tool-row" href="${offerPath(server.id, kind, offer.name)}"><span class="name">${shown(offer.name, 200)}</span><span class="hints">${chips(toolHints(offer))}</span>${
      about !== undefined && html`<span class="about">${shown(about.split('\n')[0] ?? '', 200)}</span>`
    }</a></li>`;
  })}</ul>`;
}

function toolList(server: ServerView): Html {
  if (server.tools.length === 0) return html`<p class="empty">${texts.servers.noTools}</p>`;
  return offerList(server, 'tool', server.tools);
}

function furtherOffers(server: ServerView): Html {
  const kinds = [
    ['prompt', texts.servers.prompts, server.prompts],
    ['resource', texts.servers.resources, server.resources],
  ] as const;
  return html`${kinds.map(
    ([kind, title, offers]) =>
      offers.length > 0 &&
      html`<section class="section"><h2>${title}</h2><div class="panel">${offerList(server, kind, offers)}</div></section>`,
  )}`;
}

/** Says on the first page what else there is. */
function furtherLine(server: ServerView): Html | false {
  const counts = texts.servers.further(server.prompts.length, server.resources.length);
  return counts !== '' && html`<p class="help audit-state"><a href="${serverPath(server.id)}">${counts}</a></p>`;
}

const isUrl = (server: ServerView): boolean => /^https?:/.test(server.origin);

/**
 * The button that starts a server again, or connects to it again.
 * @param callId - the call that is to be run again then
 */
export function restartButton(server: ServerView, csrf: string, callId?: string): Html {
  const { command, url } = texts.servers.restart;
  const fields = callId === undefined ? {} : { call: callId };
  return buttonForm(csrf, serverPath(server.id, 'restart'), isUrl(server) ? url : command, 'small', fields);
}

/** True where a server does not run, or where only trying shows whether it can be reached. */
export const mayBeRestarted = (server: ServerView): boolean =>
  server.state === 'failed' || server.state === 'stopped' || isUrl(server);

function serverNotice(server: ServerView, csrf: string): Html | false {
  if (server.state === 'ready' || server.state === 'starting') return false;
  const why = server.reason ?? texts.tool.unavailable;
  return html`<div class="notice${server.state === 'failed' && ' bad'}"><span>${shown(why, 600)}</span>${restartButton(server, csrf)}</div>`;
}

function serverFacts(server: ServerView): Html {
  return html`<dl class="meta"><div><dt>${isUrl(server) ? texts.servers.reachedAt : texts.servers.startedWith}</dt><dd class="mono">${shown(server.origin, 600)}</dd></div>${
    server.self !== undefined && html`<div><dt>${texts.servers.says}</dt><dd>${shown(server.self, 200)}</dd></div>`
  }${server.era !== undefined && html`<div><dt>${texts.servers.protocol}</dt><dd>${server.era}</dd></div>`}<div><dt>${texts.servers.roots}</dt><dd>${
    server.roots.length === 0
      ? html`<span class="quiet-text">${texts.servers.noRoots}</span>`
      : server.roots.map(
          root =>
            html`<span class="root-line">${shown(root.name ?? '', 80)} <span class="mono quiet-text">${shown(root.path, 400)}</span></span>`,
        )
  } <a href="/roots">${texts.servers.changeRoots}</a></dd></div></dl>`;
}

const anyStarting = (view: DeskView): boolean => view.servers.some(server => server.state === 'starting');

/** The first page: every server with what it can do. */
export function deskPage(view: DeskView): Content {
  const body = view.servers.map(
    server =>
      html`<section class="section" data-key="s-${server.id}"><div class="head"><h2><a class="plain-link" href="${serverPath(server.id)}">${shown(server.id, 80)}</a></h2> <span class="chip chip-${server.state}">${texts.servers.state[server.state] ?? ''}</span></div>${serverFacts(server)}${serverNotice(server, view.csrf)}<div class="panel">${toolList(server)}</div>${furtherLine(server)}</section>`,
  );
  const empty = html`<p class="lead">${texts.servers.none}</p><p class="actions"><a class="button primary" href="/add">${texts.servers.add}</a></p>`;
  return {
    title: texts.nav.desk,
    at: '/',
    refresh: { after: anyStarting(view) ? 1 : 10, to: '/' },
    main: html`<div class="head"><h1>${texts.home.title}</h1></div><p class="lead">${texts.home.lead}</p>${view.servers.length === 0 ? empty : body}`,
  };
}

function serverLog(server: ServerView): Html | false {
  return (
    server.log.length > 0 &&
    html`<details class="section log"><summary>${texts.servers.log}</summary><pre class="result-json" tabindex="0">${shown(server.log.join('\n'), 8_000, true)}</pre></details>`
  );
}

/** One server. */
export function serverPage(server: ServerView, csrf: string): Content {
  const actions = html`<div class="head-actions">${
    server.state === 'ready'
      ? buttonForm(csrf, serverPath(server.id, 'stop'), texts.servers.stop)
      : buttonForm(csrf, serverPath(server.id, 'remove'), texts.servers.remove)
  }</div>`;
  return {
    title: server.id,
    serverId: server.id,
    refresh: { after: server.state === 'starting' ? 1 : 10, to: serverPath(server.id) },
    main: html`<div class="head"><h1>${shown(server.id, 80)}</h1><span class="chips-inline"><span class="chip chip-${server.state}">${texts.servers.state[server.state] ?? ''}</span></span>${actions}</div>${serverFacts(server)}${serverNotice(server, csrf)}<section class="section"><h2>${texts.servers.tools}</h2><div class="panel">${toolList(server)}</div></section>${furtherOffers(server)}${serverLog(server)}`,
  };
}

/** What the form of an offer holds. */
export interface ArgumentsContext {
  readonly csrf: string;
  readonly zone: string;
  readonly now: number;
  readonly draft?: Draft;
  readonly issues?: readonly Issue[];
}

/** A tool, a prompt or a resource with a form for its arguments. */
export function offerPage(server: ServerView, kind: OfferKind, offer: OfferView, context: ArgumentsContext): Content {
  const fields: readonly ArgumentField[] = argumentFields(offer.inputSchema);
  const draft = context.draft ?? untouched(fields, context.zone);
  const issues = context.issues ?? [];
  const path = offerPath(server.id, kind, offer.name);
  const place = { scope: 'arguments', draft, issues, zone: context.zone, now: context.now };
  const ready = server.state === 'ready';
  return {
    title: offer.name,
    serverId: server.id,
    tool: offer.name,
    main: html`<div class="head"><h1><a class="crumb" href="${serverPath(server.id)}">${shown(server.id, 80)}</a> <span class="mono">${shown(offer.name, 400)}</span></h1><span class="chips-inline">${chips(toolHints(offer))}</span></div>${
      offer.description !== undefined && html`<p class="lead">${shown(offer.description, 2_000, true)}</p>`
    }${serverNotice(server, context.csrf)}<section class="panel" aria-label="${texts.tool.arguments}"><form${attributes({ method: 'post', action: path, id: 'arguments-form', novalidate: true, autocomplete: 'off', 'data-hold': 'arguments', 'data-check': `${path}/check` })}><input type="hidden" name="csrf" value="${context.csrf}">${problemSummary(issues)}${
      fields.length === 0
        ? html`<p class="quiet-text">${texts.tool.noArguments[kind]}</p>`
        : html`<div class="fields">${fields.map((field, at) => fieldControl(field, at, place))}</div>`
    }<div class="actions"><button${attributes({ class: 'button primary', disabled: !ready })}>${icons.call}${texts.tool.run[kind]}</button>${!ready && html`<span class="quiet-text">${texts.tool.unavailable}</span>`}</div></form></section>`,
  };
}

const ways = [
  {
    by: 'command',
    title: texts.servers.byCommand,
    label: texts.servers.command,
    help: texts.servers.commandHelp,
    go: texts.servers.start,
    rows: 0,
  },
  {
    by: 'url',
    title: texts.servers.byUrl,
    label: texts.servers.url,
    help: texts.servers.urlHelp,
    go: texts.servers.connect,
    rows: 0,
  },
  {
    by: 'config',
    title: texts.servers.byConfig,
    label: texts.servers.config,
    help: texts.servers.configHelp,
    go: texts.servers.addAll,
    rows: 6,
  },
] as const;

/** A page with the three ways to add a server; `wrong` says which of them did not work and why. */
export function addPage(
  csrf: string,
  draft?: Draft,
  wrong?: { readonly by: string; readonly message: string },
): Content {
  return {
    title: texts.servers.addTitle,
    at: '/add',
    main: html`<div class="head"><h1>${texts.servers.addTitle}</h1></div><p class="lead">${texts.servers.addLead}</p>${ways.map(
      way => {
        const own = draft !== undefined && first(draft, 'by') === way.by;
        const error = wrong?.by === way.by ? wrong.message : undefined;
        const id = `add-${way.by}`;
        const control = {
          id,
          name: 'what',
          'aria-describedby': error === undefined ? `${id}-help` : `${id}-help ${id}-error`,
          'aria-invalid': error !== undefined && 'true',
          class: 'mono',
          spellcheck: 'false',
          autocomplete: 'off',
        };
        const value = own ? (first(draft, 'what') ?? '') : '';
        return html`<section class="panel" aria-labelledby="${id}-title"><div class="panel-title"><h2 id="${id}-title">${way.title}</h2></div><form method="post" action="/add" novalidate id="${id}-form"><input type="hidden" name="csrf" value="${csrf}"><input type="hidden" name="by" value="${way.by}"><div class="fields"><div class="field"><label for="${id}">${way.label}</label><p class="help" id="${id}-help">${way.help}</p>${
          way.rows > 0
            ? html`<textarea${attributes({ ...control, rows: way.rows })}>\n${value}</textarea>`
            : html`<input${attributes({ ...control, type: 'text', value })}>`
        }${error !== undefined && html`<p class="error" id="${id}-error">${shown(error, 600)}</p>`}</div>${
          way.by !== 'config' &&
          html`<div class="field"><label for="${id}-name">${texts.servers.name} <span class="need">${texts.field.optional}</span></label><p class="help" id="${id}-name-help">${texts.servers.nameHelp}</p><input${attributes({ id: `${id}-name`, name: 'name', class: 'narrow', 'aria-describedby': `${id}-name-help`, value: own ? (first(draft, 'name') ?? '') : '' })}></div>`
        }</div><div class="actions"><button class="button primary">${way.go}</button></div></form></section>`;
      },
    )}`,
  };
}
