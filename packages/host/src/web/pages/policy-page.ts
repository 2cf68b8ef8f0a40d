/** Standing decisions: listed, made and revoked; and the grants by which calls pass, listed, searched and revoked. Pure. */
import { attributes, type Html, html } from '@midcall/core/page';
import type { CallGrant, Decision } from '../../index.ts';
import { type Draft, first } from '../form/index.ts';
import { clock, visibleHtml } from '../html/index.ts';
import { texts } from '../texts/index.ts';
import { durations, type ServerView, type Session } from '../workspace/index.ts';
import { buttonForm } from './button-form.ts';
import type { Content } from './layout.ts';
import { table } from './table.ts';

function select(
  id: string,
  name: string,
  label: string,
  options: readonly (readonly [string, string])[],
  chosen: string | undefined,
): Html {
  return html`<div class="field"><label for="${id}">${label}</label><select id="${id}" name="${name}">${options.map(([value, text]) => html`<option${attributes({ value, selected: value === chosen })}>${text}</option>`)}</select></div>`;
}

/** Standing decisions: listed, made, revoked. */
export function policyPage(
  decisions: readonly Decision[],
  servers: readonly ServerView[],
  session: Session,
  zone: string,
  keepsRules: boolean,
  grants: GrantsView | undefined,
  returned: { readonly wrong?: string; readonly draft?: Draft } = {},
): Content {
  const { wrong, draft } = returned;
  const entered = (name: string): string | undefined => draft && first(draft, name);
  const { effects, subjects, scopes } = texts.policy;
  const rows = decisions.map(
    decision =>
      html`<tr data-key="${decision.id}"><td>${decision.server === '*' ? texts.policy.every : visibleHtml(decision.server, 80)}</td><td>${subjects[decision.subject]}</td><td>${effects[decision.effect]}</td><td data-head="${texts.policy.until}">${decision.until === undefined ? scopes[decision.scope] : clock(decision.until, zone)}</td><td>${buttonForm(session, '/policy/revoke', texts.policy.revoke, 'small', { id: decision.id })}</td></tr>`,
  );
  const { server, kind, action, until } = texts.policy;
  return {
    title: texts.policy.title,
    at: '/policy',
    main: html`<div class="head"><h1>${texts.policy.title}</h1></div><p class="lead">${texts.policy.lead}</p>${table(texts.policy.title, [server, kind, action, until, texts.policy.change], rows, texts.policy.none)}<section class="panel" aria-labelledby="decision-title"><div class="panel-title"><h2 id="decision-title">${texts.policy.add}</h2></div><form method="post" action="${session.link('/policy')}" id="decision-form"><input type="hidden" name="csrf" value="${session.csrf}">${wrong !== undefined && html`<div class="problems" role="alert"><p>${wrong}</p></div>`}<div class="inline-fields">${select('decision-server', 'server', server, [['*', texts.policy.every], ...servers.map(each => [each.id, each.id] as const)], entered('server'))}${select(
      'decision-subject',
      'subject',
      kind,
      Object.entries(subjects),
      entered('subject'),
    )}${select('decision-effect', 'effect', action, Object.entries(effects), entered('effect'))}${select(
      'decision-for',
      'for',
      until,
      durations(keepsRules).map(each => [each, texts.policy.durations[each]] as const),
      entered('for'),
    )}</div><div class="actions"><button class="button primary">${texts.policy.save}</button></div></form></section>${grants !== undefined && grantsPart(grants, session, zone)}`,
  };
}

/** The grants, as far as they fit a search. */
export interface GrantsView {
  readonly search: string;
  readonly listed: readonly CallGrant[];
  /** Why they cannot be read. */
  readonly problem?: string;
}

function grantsPart({ search, listed, problem }: GrantsView, session: Session, zone: string): Html {
  const { title, lead, none, noMatch, find, heads, scopes, whose } = texts.policy.grants;
  const rows = listed.map(
    ({ id, server, tool, principal, scope, shows, until }) =>
      html`<tr data-key="${id}"><td>${visibleHtml(server, 80)}${principal !== undefined && html` <small>${visibleHtml(whose(principal), 200)}</small>`}</td><td><code>${visibleHtml(tool, 80)}</code></td><td class="long">${scopes[scope]}${scope !== 'tool' && html` <code>${visibleHtml(shows, 300)}</code>`}</td><td data-head="${texts.policy.until}">${clock(until, zone)}</td><td>${buttonForm(session, '/policy/grants/revoke', texts.policy.revoke, 'small', { id })}</td></tr>`,
  );
  return html`<div class="grants"><div class="head"><h2 id="grants-title">${title}</h2></div><p class="lead">${lead}</p>${problem !== undefined && html`<div class="problems" role="alert"><p>${problem}</p></div>`}<form class="search" method="get" action="${session.link('/policy')}" role="search"><div class="field grow"><input type="search" id="grants-q" name="q" aria-label="${find}" placeholder="${find}" value="${search}"></div><button class="button">${find}</button></form>${table(title, heads, rows, search === '' ? none : noMatch)}</div>`;
}
