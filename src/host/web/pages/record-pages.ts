/** What has been and what holds: history, the inbox, roots, policy, the audit log. Pure. */
import { attributes, type Html, html } from '../../../html.ts';
import type { AuditEntry, AuditVerdict, OfferedRoot, Rule } from '../../index.ts';
import { durations } from '../card/durations.ts';
import { questionHeadline } from '../card/frame.ts';
import { texts } from '../texts/texts.ts';
import type { CallView, DeskView, QuestionView, ServerView } from '../workspace/views.ts';
import { icons } from './icons.ts';
import { type Content, inboxItem, questionPath } from './layout.ts';
import { buttonForm } from './server-pages.ts';
import { shown } from './shown.ts';
import { callChip, clock, endingChip } from './timeline.ts';

/** A table that scrolls sideways where it must; says so where it is empty. */
export function table(heads: readonly string[], rows: readonly Html[], empty: string): Html {
  if (rows.length === 0) return html`<div class="panel"><p class="empty">${empty}</p></div>`;
  return html`<div class="panel table-wrap" tabindex="0" role="region" aria-label="${heads.join(', ')}"><table><thead><tr>${heads.map(head => html`<th scope="col">${head}</th>`)}</tr></thead><tbody>${rows}</tbody></table></div>`;
}

/** The calls and questions of this session, newest first. */
export function historyPage(calls: readonly CallView[], questions: readonly QuestionView[], zone: string): Content {
  const { when, server, tool, outcome } = texts.history;
  const callRows = calls.map(
    call =>
      html`<tr><td>${clock(call.startedAt, zone)}</td><td>${shown(call.serverId, 80)}</td><td><a class="mono" href="/calls/${encodeURIComponent(call.context.id)}">${shown(call.context.name, 120)}</a></td><td>${callChip(call)}</td></tr>`,
  );
  const questionRows = questions.map(
    ({ question, ending }) =>
      html`<tr><td>${clock(question.askedAt, zone)}</td><td>${shown(question.asker.id, 80)}</td><td class="long"><a href="${questionPath(question)}">${'message' in question ? shown(question.message, 140) : questionHeadline(question)}</a></td><td>${ending ? endingChip(ending) : html`<span class="chip chip-wait">${texts.question.waiting}</span>`}</td></tr>`,
  );
  return {
    title: texts.history.title,
    at: '/history',
    refresh: { after: 10, to: '/history' },
    main: html`<div class="head"><h1>${texts.history.title}</h1></div><p class="lead">${texts.history.lead}</p><section class="section"><h2>${texts.history.calls}</h2>${table([when, server, tool, outcome], callRows, texts.call.none)}</section><section class="section"><h2>${texts.history.questions}</h2>${table([when, server, texts.history.question, outcome], questionRows, texts.history.noQuestions)}</section>`,
  };
}

/** How many questions a page of the inbox shows. */
const inboxPageSize = 50;

/** Every open question, oldest first, in pages. */
export function inboxPage(view: DeskView, from: number): Content {
  const { open, now } = view;
  const start = Math.min(Math.max(0, from), Math.max(0, open.length - 1));
  const shownOnes = open.slice(start, start + inboxPageSize);
  const end = start + shownOnes.length;
  const pager =
    open.length > inboxPageSize &&
    html`<p class="pager">${start > 0 && html`<a href="/inbox?from=${Math.max(0, start - inboxPageSize)}">${texts.inbox.previous}</a>`}<span class="quiet-text">${texts.inbox.pages(start + 1, end, open.length)}</span>${end < open.length && html`<a href="/inbox?from=${end}">${texts.inbox.next}</a>`}</p>`;
  return {
    title: texts.inbox.title,
    refresh: { after: 10, to: `/inbox?from=${start}` },
    main: html`<div class="head"><h1>${texts.inbox.title}</h1><span class="quiet-text">${texts.inbox.count(open.length)}</span></div>${
      open.length === 0
        ? html`<p class="lead">${texts.inbox.empty}</p>`
        : html`<ul class="inbox-page">${shownOnes.map(question => inboxItem(question, now, undefined))}</ul>`
    }${pager}`,
  };
}

function folderForm(csrf: string, error: string | undefined, value: string): Html {
  const described = error === undefined ? 'root-help' : 'root-help root-error';
  return html`<section class="panel" aria-labelledby="root-title"><div class="panel-title"><h2 id="root-title">${texts.roots.add}</h2></div><form method="post" action="/roots" novalidate id="root-form"><input type="hidden" name="csrf" value="${csrf}"><div class="fields"><div class="field"><label for="root-path">${texts.roots.folder}</label><p class="help" id="root-help">${texts.roots.folderHelp}</p><input${attributes({ id: 'root-path', name: 'path', class: 'mono', value, 'aria-describedby': described, 'aria-invalid': error !== undefined && 'true', spellcheck: 'false' })}>${error !== undefined && html`<p class="error" id="root-error">${shown(error, 400)}</p>`}</div><div class="field"><label for="root-name">${texts.roots.label} <span class="need">${texts.field.optional}</span></label><input id="root-name" name="name" class="narrow"></div></div><div class="actions"><button class="button primary">${texts.roots.offer}</button></div></form></section>`;
}

/** The folders on offer, and which server may know of which. */
export function rootsPage(
  roots: readonly OfferedRoot[],
  servers: readonly ServerView[],
  csrf: string,
  form: { readonly message?: string; readonly value: string },
): Content {
  const list =
    roots.length === 0
      ? html`<p class="empty">${texts.roots.none}</p>`
      : html`<ul class="roots-list">${roots.map(
          root =>
            html`<li data-key="${root.uri}">${icons.folder}<span><strong>${shown(root.name, 120)}</strong>${root.state !== 'there' && html` <span class="chip chip-failed">${texts.roots.state[root.state]}</span>`}<br><span class="mono">${shown(root.path, 600)}</span></span>${buttonForm(csrf, '/roots/remove', texts.roots.withdraw, 'small', { uri: root.uri })}</li>`,
        )}</ul>`;
  const grants =
    roots.length > 0 &&
    servers.map(server => {
      const granted = new Set(server.roots.map(root => root.uri));
      return html`<section class="panel" data-key="g-${server.id}"><form method="post" action="/roots/grant" id="grant-${server.id}"><input type="hidden" name="csrf" value="${csrf}"><input type="hidden" name="server" value="${server.id}"><fieldset class="field choices"><legend>${texts.roots.perServer(server.id)}</legend><div class="options">${roots.map(
        root =>
          html`<label class="option"><input${attributes({ type: 'checkbox', name: 'uri', value: root.uri, checked: granted.has(root.uri) })}><span class="option-text"><span>${shown(root.name, 120)}</span><code class="option-value">${shown(root.path, 300)}</code></span></label>`,
      )}</div></fieldset><div class="actions"><button class="button">${texts.roots.grant}</button></div></form></section>`;
    });
  return {
    title: texts.roots.title,
    at: '/roots',
    main: html`<div class="head"><h1>${texts.roots.title}</h1></div><p class="lead">${texts.roots.lead}</p><div class="panel">${list}</div>${grants}${folderForm(csrf, form.message, form.value)}`,
  };
}

function select(id: string, name: string, label: string, options: readonly (readonly [string, string])[]): Html {
  return html`<div class="field"><label for="${id}">${label}</label><select id="${id}" name="${name}">${options.map(([value, text]) => html`<option value="${value}">${text}</option>`)}</select></div>`;
}

/** Standing decisions: listed, made, revoked. */
export function policyPage(
  rules: readonly Rule[],
  servers: readonly ServerView[],
  csrf: string,
  zone: string,
  keepsRules: boolean,
  wrong?: string,
): Content {
  const { effects, subjects, scopes } = texts.policy;
  const rows = rules.map(
    rule =>
      html`<tr data-key="${rule.id}"><td>${rule.server === '*' ? texts.policy.every : shown(rule.server, 80)}</td><td>${subjects[rule.subject]}</td><td>${effects[rule.effect]}</td><td>${rule.until === undefined ? scopes[rule.scope] : clock(rule.until, zone)}</td><td>${buttonForm(csrf, '/policy/revoke', texts.policy.revoke, 'small', { id: rule.id })}</td></tr>`,
  );
  const { server, kind, action, until } = texts.policy;
  return {
    title: texts.policy.title,
    at: '/policy',
    main: html`<div class="head"><h1>${texts.policy.title}</h1></div><p class="lead">${texts.policy.lead}</p>${table([server, kind, action, until, texts.policy.change], rows, texts.policy.none)}<section class="panel" aria-labelledby="rule-title"><div class="panel-title"><h2 id="rule-title">${texts.policy.add}</h2></div><form method="post" action="/policy" id="rule-form"><input type="hidden" name="csrf" value="${csrf}">${wrong !== undefined && html`<div class="problems" role="alert"><p>${wrong}</p></div>`}<div class="inline-fields">${select('rule-server', 'server', server, [['*', texts.policy.every], ...servers.map(each => [each.id, each.id] as const)])}${select(
      'rule-subject',
      'subject',
      kind,
      Object.entries(subjects),
    )}${select('rule-effect', 'effect', action, Object.entries(effects))}${select(
      'rule-for',
      'for',
      until,
      durations(keepsRules).map(each => [each, texts.policy.durations[each]] as const),
    )}</div><div class="actions"><button class="button primary">${texts.policy.save}</button></div></form></section>`,
  };
}

function auditRow(entry: AuditEntry, zone: string): Html {
  const { event } = entry;
  const what = texts.audit.event(event);
  return html`<tr><td>${entry.n}</td><td>${clock(Date.parse(entry.at), zone)}</td><td>${shown(entry.asker?.id ?? '', 80)}</td><td>${entry.call && html`<code>${shown(entry.call.name, 80)}</code>`}</td><td class="long">${shown(what, 300)}</td></tr>`;
}

/** How many entries of the audit log a page shows. */
const auditShown = 200;

/** The audit log, newest first, searched and exported. */
export function auditPage(
  entries: readonly AuditEntry[],
  all: number,
  search: string,
  verdict: AuditVerdict,
  zone: string,
): Content {
  const newest = entries.slice(-auditShown).reverse();
  return {
    title: texts.audit.title,
    at: '/audit',
    main: html`<div class="head"><h1>${texts.audit.title}</h1><a class="button small" href="/audit.jsonl" download="midcall-audit.jsonl">${texts.audit.export}</a></div><p class="lead">${texts.audit.lead}</p><form class="search" method="get" action="/audit" role="search"><div class="field grow"><input type="search" name="q" aria-label="${texts.audit.search}" placeholder="${texts.audit.search}" value="${search}"></div><button class="button">${texts.audit.search}</button></form><p class="help audit-state">${texts.audit.shown(newest.length, all)} ${verdict.ok ? texts.audit.intact : texts.audit.broken(verdict.line)}</p>${table(
      texts.audit.heads,
      newest.map(entry => auditRow(entry, zone)),
      search === '' ? texts.audit.none : texts.audit.noMatch,
    )}`,
  };
}
