/** The audit log: searched, checked and exported. Pure. */
import { type Html, html } from '@midcall/core/page';
import type { AuditEntry, AuditVerdict } from '../../index.ts';
import { clock, visibleHtml } from '../html/index.ts';
import { texts } from '../texts/index.ts';
import type { Session } from '../workspace/index.ts';
import type { Content } from './layout.ts';
import { table } from './table.ts';

function auditRow(entry: AuditEntry, zone: string): Html {
  const { event } = entry;
  const what = texts.audit.event(event);
  return html`<tr><td>${entry.n}</td><td>${clock(Date.parse(entry.at), zone)}</td><td>${visibleHtml(entry.asker?.id ?? '', 80)}${entry.principal !== undefined && html` <small>${visibleHtml(texts.audit.principal(entry.principal), 200)}</small>`}</td><td>${entry.call && html`<code>${visibleHtml(entry.call.name, 80)}</code>`}</td><td class="long">${visibleHtml(what, 300)}</td></tr>`;
}

/** How many entries of the audit log a page shows. */
const auditShown = 200;

/** The audit log, newest first, searched and exported. */
export function auditPage(
  entries: readonly AuditEntry[],
  search: string,
  verdict: AuditVerdict,
  unwritten: number,
  { link }: Session,
  zone: string,
): Content {
  const { intact, broken, lost, shown: count } = texts.audit;
  const missing = unwritten + (verdict.ok ? verdict.lost : 0);
  const state = [
    count(Math.min(entries.length, auditShown), verdict.ok ? verdict.entries : entries.length),
    verdict.ok ? intact : broken(verdict.line),
    ...(missing > 0 ? [lost(missing)] : []),
  ];
  const newest = entries.slice(-auditShown).reverse();
  return {
    title: texts.audit.title,
    at: '/audit',
    main: html`<div class="head"><h1>${texts.audit.title}</h1><a class="button small" href="${link('/audit.jsonl')}" download="midcall-audit.jsonl">${texts.audit.export}</a></div><p class="lead">${texts.audit.lead}</p><form class="search" method="get" action="${link('/audit')}" role="search"><div class="field grow"><input type="search" id="audit-q" name="q" aria-label="${texts.audit.search}" placeholder="${texts.audit.search}" value="${search}"></div><button class="button">${texts.audit.search}</button></form><p class="help audit-state">${state.join(' ')}</p><div class="audit">${table(
      texts.audit.title,
      texts.audit.heads,
      newest.map(entry => auditRow(entry, zone)),
      search === '' ? texts.audit.none : texts.audit.noMatch,
    )}</div>`,
  };
}
