/** The folders on offer, and which server may know of which: shown, and the forms that change it. Pure. */
import { attributes, type Html, html } from '@midcall/core/page';
import type { OfferedRoot } from '../../index.ts';
import { visibleHtml } from '../html/index.ts';
import { texts } from '../texts/index.ts';
import type { ServerView, Session } from '../workspace/index.ts';
import { buttonForm } from './button-form.ts';
import type { Content } from './layout.ts';

function folderForm({ csrf, link }: Session, error: string | undefined, value: string): Html {
  const described = error === undefined ? 'root-help' : 'root-help root-error';
  return html`<section class="panel" aria-labelledby="root-title"><div class="panel-title"><h2 id="root-title">${texts.roots.add}</h2></div><form method="post" action="${link('/roots')}" novalidate id="root-form"><input type="hidden" name="csrf" value="${csrf}"><div class="fields"><div class="field"><label for="root-path">${texts.roots.folder}</label><p class="help" id="root-help">${texts.roots.folderHelp}</p><input${attributes({ id: 'root-path', name: 'path', class: 'mono', value, 'aria-describedby': described, 'aria-invalid': error !== undefined && 'true', spellcheck: 'false' })}>${error !== undefined && html`<p class="error" id="root-error">${visibleHtml(error, 400)}</p>`}</div><div class="field"><label for="root-name">${texts.roots.label} <span class="need">${texts.field.optional}</span></label><input id="root-name" name="name" class="narrow"></div></div><div class="actions"><button class="button primary">${texts.roots.offer}</button></div></form></section>`;
}

/** One folder, and for each server whether it may know of it. */
function folderRow(root: OfferedRoot, servers: readonly ServerView[], session: Session): Html {
  const chip = root.state !== 'there' && html` <span class="chip chip-failed">${texts.roots.state[root.state]}</span>`;
  return html`<tr data-key="${root.uri}"><th${attributes({ scope: 'row', 'data-then': servers.length > 0 && texts.roots.mayBeUsedBy })}><strong>${visibleHtml(root.name, 120)}</strong>${chip}<br><span class="mono">${visibleHtml(texts.roots.place(root), 600)}</span></th>${servers.map(
    server =>
      html`<td class="grant"><label><input${attributes({ type: 'checkbox', form: `grant-${server.id}`, name: 'uri', value: root.uri, checked: server.roots.some(({ uri }) => uri === root.uri), 'aria-label': texts.roots.may(server.id, root.name), 'data-save': true })}><span aria-hidden="true">${visibleHtml(server.id, 80)}</span></label></td>`,
  )}<td>${buttonForm(session, '/roots/remove', texts.roots.withdraw, 'small', { uri: root.uri })}</td></tr>`;
}

/** With more servers than this, a folder and who may use it stand below each other at any width. */
const mostColumns = 4;

/** Folders by servers. Ticking or clearing a box saves it at once; without client script, the button below its column does. */
function grantsTable(roots: readonly OfferedRoot[], servers: readonly ServerView[], session: Session): Html {
  const forms = servers.map(
    server =>
      html`<form${attributes({ method: 'post', action: session.link('/roots/grant'), id: `grant-${server.id}`, 'data-saved': texts.roots.saved })}><input type="hidden" name="csrf" value="${session.csrf}"><input type="hidden" name="server" value="${server.id}"></form>`,
  );
  const save = (server: ServerView): Html =>
    html`<td><noscript><button${attributes({ class: 'button small', form: `grant-${server.id}`, 'aria-label': texts.roots.saveFor(server.id) })}>${texts.roots.grant}</button></noscript></td>`;
  const foot = servers.length > 0 && html`<tfoot><tr><td></td>${servers.map(save)}<td></td></tr></tfoot>`;
  return html`<div hidden>${forms}</div><div class="panel table-wrap grants${servers.length > mostColumns && ' many'}" tabindex="0" role="region" aria-label="${texts.roots.title}"><table><thead>${servers.length > 0 && html`<tr class="grants-of"><td></td><th scope="colgroup" colspan="${servers.length}">${texts.roots.mayBeUsedBy}</th><td></td></tr>`}<tr><th scope="col">${texts.roots.folder}</th>${servers.map(server => html`<th scope="col">${visibleHtml(server.id, 80)}</th>`)}<th><span class="unseen">${texts.roots.withdraw}</span></th></tr></thead><tbody>${roots.map(root => folderRow(root, servers, session))}</tbody>${foot}</table></div>`;
}

/** The folders on offer, and which server may know of which. */
export function rootsPage(
  roots: readonly OfferedRoot[],
  servers: readonly ServerView[],
  session: Session,
  form: { readonly message?: string; readonly value: string },
): Content {
  const list =
    roots.length === 0
      ? html`<div class="panel"><p class="empty">${texts.roots.none}</p></div>`
      : grantsTable(roots, servers, session);
  return {
    title: texts.roots.title,
    at: '/roots',
    main: html`<div class="head"><h1>${texts.roots.title}</h1></div><p class="lead">${texts.roots.lead}</p>${list}${folderForm(session, form.message, form.value)}`,
  };
}
