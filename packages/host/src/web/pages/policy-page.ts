/** Standing decisions: listed, made and revoked. Pure. */
import { attributes, type Html, html } from '@midcall/core/page';
import type { Rule } from '../../index.ts';
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
  rules: readonly Rule[],
  servers: readonly ServerView[],
  session: Session,
  zone: string,
  keepsRules: boolean,
  returned: { readonly wrong?: string; readonly draft?: Draft } = {},
): Content {
  const { wrong, draft } = returned;
  const entered = (name: string): string | undefined => draft && first(draft, name);
  const { effects, subjects, scopes } = texts.policy;
  const rows = rules.map(
    rule =>
      html`<tr data-key="${rule.id}"><td>${rule.server === '*' ? texts.policy.every : visibleHtml(rule.server, 80)}</td><td>${subjects[rule.subject]}</td><td>${effects[rule.effect]}</td><td data-head="${texts.policy.until}">${rule.until === undefined ? scopes[rule.scope] : clock(rule.until, zone)}</td><td>${buttonForm(session, '/policy/revoke', texts.policy.revoke, 'small', { id: rule.id })}</td></tr>`,
  );
  const { server, kind, action, until } = texts.policy;
  return {
    title: texts.policy.title,
    at: '/policy',
    main: html`<div class="head"><h1>${texts.policy.title}</h1></div><p class="lead">${texts.policy.lead}</p>${table(texts.policy.title, [server, kind, action, until, texts.policy.change], rows, texts.policy.none)}<section class="panel" aria-labelledby="rule-title"><div class="panel-title"><h2 id="rule-title">${texts.policy.add}</h2></div><form method="post" action="${session.link('/policy')}" id="rule-form"><input type="hidden" name="csrf" value="${session.csrf}">${wrong !== undefined && html`<div class="problems" role="alert"><p>${wrong}</p></div>`}<div class="inline-fields">${select('rule-server', 'server', server, [['*', texts.policy.every], ...servers.map(each => [each.id, each.id] as const)], entered('server'))}${select(
      'rule-subject',
      'subject',
      kind,
      Object.entries(subjects),
      entered('subject'),
    )}${select('rule-effect', 'effect', action, Object.entries(effects), entered('effect'))}${select(
      'rule-for',
      'for',
      until,
      durations(keepsRules).map(each => [each, texts.policy.durations[each]] as const),
      entered('for'),
    )}</div><div class="actions"><button class="button primary">${texts.policy.save}</button></div></form></section>`,
  };
}
