/** The page of a tool, a prompt or a resource, with a form for its arguments. Pure. */
import type { Issue } from '@midcall/core/form';
import { areaControl, attributes, type Html, html } from '@midcall/core/page';
import { secretNames, visible } from '../../index.ts';
import { problemSummary } from '../card/index.ts';
import {
  type ArgumentField,
  argumentControl,
  argumentFields,
  type Draft,
  type FieldIssue,
  first,
  isJson,
  jsonControl,
  untouched,
} from '../form/index.ts';
import { icons, named, visibleHtml } from '../html/index.ts';
import { texts } from '../texts/index.ts';
import type { OfferKind, OfferView, ServerView } from '../workspace/index.ts';
import { jsonTree } from './json-tree.ts';
import type { Content } from './layout.ts';
import { offerPath, serverPath } from './paths.ts';
import { hintChips, serverNotice } from './server-parts.ts';
import { type DrawerSession, drawerButton } from './wire-page.ts';

/** What the form of an offer holds. */
export interface ArgumentsContext extends DrawerSession {
  readonly zone: string;
  readonly now: number;
  readonly draft?: Draft;
  readonly issues?: readonly FieldIssue[];
  /** The names of the templates of its arguments. */
  readonly templates?: readonly string[];
  /** True if the person marked it as a favourite. */
  readonly favourite?: boolean;
  /** Values of earlier calls by argument, to be offered. */
  readonly earlier?: ReadonlyMap<string, readonly string[]>;
}

/** All arguments in one text. */
function jsonEditor(draft: Draft, issues: readonly Issue[], schema: unknown): Html {
  const id = `arguments-${jsonControl}`;
  const wrong = issues.filter(issue => issue.field === jsonControl);
  const control = areaControl(
    {
      id,
      name: jsonControl,
      rows: 12,
      class: 'mono',
      spellcheck: 'false',
      autocomplete: 'off',
      'aria-describedby': wrong.length > 0 ? `${id}-help ${id}-error` : `${id}-help`,
      'aria-invalid': wrong.length > 0 && 'true',
    },
    first(draft, jsonControl) ?? '',
  );
  return html`<input type="hidden" name="as" value="${jsonControl}"><div class="field" data-field="${jsonControl}" data-key="json-editor"><label for="${id}"><span class="field-title">${texts.tool.json}</span></label><p class="help" id="${id}-help">${texts.tool.jsonHelp}</p>${control}${wrong.length > 0 && html`<p class="error" id="${id}-error">${wrong.map(issue => visibleHtml(issue.message, 400))}</p>`}<details class="schema"><summary>${texts.tool.schema}</summary>${jsonTree(schema)}</details></div>`;
}

function favouriteButton({ id }: ServerView, kind: OfferKind, { name }: OfferView, context: ArgumentsContext): Html {
  const { add, remove } = texts.favourite;
  const label = context.favourite === true ? remove : add;
  return html`<form method="post" action="${context.link(`${offerPath(id, kind, name)}/favourite`)}" id="favourite"><input type="hidden" name="csrf" value="${context.csrf}"><input type="hidden" name="favourite" value="${context.favourite === true ? 'false' : 'true'}"><button${attributes({ class: context.favourite === true ? 'button icon-button favourite' : 'button icon-button', title: label, 'aria-label': label })}>${icons.star}</button></form>`;
}

/** The templates of an offer's arguments: each fills in the form, or is removed. */
function templateList(names: readonly string[], path: string, session: ArgumentsContext): Html | false {
  if (names.length === 0) return false;
  const own = texts.template;
  return html`<div class="templates" role="group" aria-label="${own.title}"><span class="quiet-text">${own.title}</span>${names.map(
    name =>
      html`<span class="template"><a href="${session.link(`${path}?template=${encodeURIComponent(name)}`)}">${visibleHtml(name, 60)}</a><form method="post" action="${session.link(`${path}/template/remove`)}"><input type="hidden" name="csrf" value="${session.csrf}"><input type="hidden" name="name" value="${name}"><button${attributes({ class: 'icon-button small', title: own.remove(visible(name, { max: 60 })), 'aria-label': own.remove(visible(name, { max: 60 })) })}>${icons.declined}</button></form></span>`,
  )}</div>`;
}

/** Longer descriptions fold, in characters and lines, so that the first field is on the first screen. */
const [mostOfAbout, mostLinesOfAbout] = [280, 4];
/** The most characters of what stays in sight. */
const mostOfBeginning = 180;

/** What a server says about an offer; of a long text, its first sentence, or a part of that. */
function about(text: string): Html {
  const whole = text.trim();
  if (whole.length <= mostOfAbout && whole.split('\n').length <= mostLinesOfAbout)
    return html`<p class="lead">${visibleHtml(whole, 2_000, true)}</p>`;
  const beginning = whole.slice(0, mostOfBeginning);
  const sentence = /^[\s\S]*?(?:[.!?](?=\s)|\n)/.exec(beginning)?.[0].length;
  const space = beginning.lastIndexOf(' ');
  const at = sentence ?? (space > 0 ? space : beginning.length);
  return html`<details class="about-fold"><summary>${visibleHtml(whole.slice(0, at).trimEnd(), mostOfBeginning)} <span class="about-more">${texts.tool.more}</span></summary><p class="lead">${visibleHtml(whole.slice(at).trimStart(), 10_000, true)}</p></details>`;
}

/**
 * The form of an offer's arguments.
 * @param callId - the call on whose page it is; absent on the offer's own page
 */
export function argumentsForm(
  server: ServerView,
  kind: OfferKind,
  offer: OfferView,
  context: ArgumentsContext,
  callId?: string,
): Html {
  const fields: readonly ArgumentField[] = argumentFields(offer.inputSchema);
  const draft = context.draft ?? untouched(fields, context.zone);
  const issues = context.issues ?? [];
  const path = context.link(offerPath(server.id, kind, offer.name));
  const place = {
    scope: 'arguments',
    draft,
    issues,
    secrets: secretNames(fields),
    warns: false,
    zone: context.zone,
    now: context.now,
    ...(context.earlier && { earlier: context.earlier }),
    ...(server.completes && (kind === 'prompt' || offer.template) && { completes: `${path}/complete` }),
  };
  const json = isJson(draft);
  const ready = server.state === 'ready';
  return html`<section class="panel split-form" aria-label="${texts.tool.arguments}">${templateList(context.templates ?? [], offerPath(server.id, kind, offer.name), context)}<form${attributes({ method: 'post', action: path, id: 'arguments-form', novalidate: true, autocomplete: 'off', 'data-hold': 'arguments', 'data-first': callId === undefined, 'data-again': callId === undefined, 'data-check': `${path}/check` })}><input type="hidden" name="csrf" value="${context.csrf}">${callId !== undefined && html`<input type="hidden" name="at" value="${callId}">`}${problemSummary(issues)}${
    fields.length === 0
      ? html`<p class="quiet-text">${texts.tool.noArguments[kind]}</p>`
      : json
        ? jsonEditor(draft, issues, offer.inputSchema)
        : html`<div class="fields" data-key="fields">${fields.map((field, at) => argumentControl(field, at, place))}</div>`
  }<div class="actions"><button${attributes({ class: 'button primary', disabled: !ready })}>${icons.call}${texts.tool.run[kind]}</button>${
    fields.length > 0 &&
    html`<button${attributes({ class: 'button', name: 'to', value: json ? 'form' : 'json', formaction: `${path}/check` })}>${json ? texts.tool.asForm : texts.tool.asJson}</button>`
  }${!ready && html`<span class="quiet-text">${texts.tool.unavailable}</span>`}</div></form></section>`;
}

/** A tool, a prompt or a resource with a form for its arguments. */
export function offerPage(server: ServerView, kind: OfferKind, offer: OfferView, context: ArgumentsContext): Content {
  const path = offerPath(server.id, kind, offer.name);
  return {
    title: offer.title ?? offer.name,
    serverId: server.id,
    tool: offer.name,
    isSplit: true,
    drawer: { serverId: server.id },
    main: html`<div class="head"><h1><a class="crumb" href="${context.link(serverPath(server.id))}">${visibleHtml(server.id, 80)}</a> ${named(offer.name, offer.title, 400)}</h1><span class="chips-inline">${hintChips(offer)}</span><div class="head-actions">${favouriteButton(server, kind, offer, context)}${server.elsewhere === undefined && drawerButton(context, path)}</div></div>${
      offer.description !== undefined && about(offer.description)
    }${serverNotice(server, context)}${offer.isRemembered ? html`<p class="lead">${texts.tool.remembered}</p>` : html`<div class="split">${argumentsForm(server, kind, offer, context)}<section class="split-result split-empty" aria-label="${texts.call.result}"><p class="quiet-text">${texts.tool.resultHere[kind]}</p></section></div>`}`,
  };
}
