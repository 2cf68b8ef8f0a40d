/** The page of a tool, a prompt or a resource, with a form for its arguments. Pure. */
import type { Issue } from '@midcall/core/form';
import { areaControl, attributes, type Html, html } from '@midcall/core/page';
import { secretNames } from '../../index.ts';
import { problemSummary } from '../card/index.ts';
import {
  type ArgumentField,
  argumentControl,
  argumentFields,
  type Draft,
  first,
  isJson,
  jsonControl,
  untouched,
} from '../form/index.ts';
import { icons, visibleHtml } from '../html/index.ts';
import { texts } from '../texts/index.ts';
import type { OfferKind, OfferView, ServerView, Session } from '../workspace/index.ts';
import { jsonTree } from './json-tree.ts';
import type { Content } from './layout.ts';
import { offerPath, serverPath } from './paths.ts';
import { hintChips, serverNotice } from './server-parts.ts';

/** What the form of an offer holds. */
export interface ArgumentsContext extends Session {
  readonly zone: string;
  readonly now: number;
  readonly draft?: Draft;
  readonly issues?: readonly Issue[];
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

/** A tool, a prompt or a resource with a form for its arguments. */
export function offerPage(server: ServerView, kind: OfferKind, offer: OfferView, context: ArgumentsContext): Content {
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
  };
  const json = isJson(draft);
  const ready = server.state === 'ready';
  return {
    title: offer.name,
    serverId: server.id,
    tool: offer.name,
    main: html`<div class="head"><h1><a class="crumb" href="${context.link(serverPath(server.id))}">${visibleHtml(server.id, 80)}</a> <span class="mono">${visibleHtml(offer.name, 400)}</span></h1><span class="chips-inline">${hintChips(offer)}</span>${favouriteButton(server, kind, offer, context)}</div>${
      offer.description !== undefined && html`<p class="lead">${visibleHtml(offer.description, 2_000, true)}</p>`
    }${serverNotice(server, context)}<section class="panel" aria-label="${texts.tool.arguments}"><form${attributes({ method: 'post', action: path, id: 'arguments-form', novalidate: true, autocomplete: 'off', 'data-hold': 'arguments', 'data-first': true, 'data-again': true, 'data-check': `${path}/check` })}><input type="hidden" name="csrf" value="${context.csrf}">${problemSummary(issues)}${
      fields.length === 0
        ? html`<p class="quiet-text">${texts.tool.noArguments[kind]}</p>`
        : json
          ? jsonEditor(draft, issues, offer.inputSchema)
          : html`<div class="fields" data-key="fields">${fields.map((field, at) => argumentControl(field, at, place))}</div>`
    }<div class="actions"><button${attributes({ class: 'button primary', disabled: !ready })}>${icons.call}${texts.tool.run[kind]}</button>${
      fields.length > 0 &&
      html`<button${attributes({ class: 'button', name: 'to', value: json ? 'form' : 'json', formaction: `${path}/check` })}>${json ? texts.tool.asForm : texts.tool.asJson}</button>`
    }${!ready && html`<span class="quiet-text">${texts.tool.unavailable}</span>`}</div></form></section>`,
  };
}
