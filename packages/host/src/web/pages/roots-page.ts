/** The folders on offer, and which server may know of which: shown, and the forms that change it. Pure. */
import { attributes, type Html, html } from '@midcall/core/page';
import type { OfferedRoot } from '../../index.ts';
import { icons } from '../icons.ts';
import type { Session } from '../session.ts';
import { texts } from '../texts/texts.ts';
import { visibleHtml } from '../visible-html.ts';
import type { ServerView } from '../workspace/views.ts';
import { buttonForm } from './button-form.ts';
import type { Content } from './layout.ts';

function folderForm({ csrf, link }: Session, error: string | undefined, value: string): Html {
  const described = error === undefined ? 'root-help' : 'root-help root-error';
  return html`<section class="panel" aria-labelledby="root-title"><div class="panel-title"><h2 id="root-title">${texts.roots.add}</h2></div><form method="post" action="${link('/roots')}" novalidate id="root-form"><input type="hidden" name="csrf" value="${csrf}"><div class="fields"><div class="field"><label for="root-path">${texts.roots.folder}</label><p class="help" id="root-help">${texts.roots.folderHelp}</p><input${attributes({ id: 'root-path', name: 'path', class: 'mono', value, 'aria-describedby': described, 'aria-invalid': error !== undefined && 'true', spellcheck: 'false' })}>${error !== undefined && html`<p class="error" id="root-error">${visibleHtml(error, 400)}</p>`}</div><div class="field"><label for="root-name">${texts.roots.label} <span class="need">${texts.field.optional}</span></label><input id="root-name" name="name" class="narrow"></div></div><div class="actions"><button class="button primary">${texts.roots.offer}</button></div></form></section>`;
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
      ? html`<p class="empty">${texts.roots.none}</p>`
      : html`<ul class="roots-list">${roots.map(
          root =>
            html`<li data-key="${root.uri}">${icons.folder}<span><strong>${visibleHtml(root.name, 120)}</strong>${root.state !== 'there' && html` <span class="chip chip-failed">${texts.roots.state[root.state]}</span>`}<br><span class="mono">${visibleHtml(texts.roots.place(root), 600)}</span></span>${buttonForm(session, '/roots/remove', texts.roots.withdraw, 'small', { uri: root.uri })}</li>`,
        )}</ul>`;
  const grants =
    roots.length > 0 &&
    servers.map(server => {
      const granted = new Set(server.roots.map(root => root.uri));
      return html`<section class="panel" data-key="g-${server.id}"><form method="post" action="${session.link('/roots/grant')}" id="grant-${server.id}"><input type="hidden" name="csrf" value="${session.csrf}"><input type="hidden" name="server" value="${server.id}"><fieldset class="field choices"><legend>${texts.roots.perServer(server.id)}</legend><div class="options">${roots.map(
        root =>
          html`<label class="option"><input${attributes({ type: 'checkbox', name: 'uri', value: root.uri, checked: granted.has(root.uri) })}><span class="option-text"><span>${visibleHtml(root.name, 120)}</span><code class="option-value">${visibleHtml(texts.roots.place(root), 300)}</code></span></label>`,
      )}</div></fieldset><div class="actions"><button class="button">${texts.roots.grant}</button></div></form></section>`;
    });
  return {
    title: texts.roots.title,
    at: '/roots',
    main: html`<div class="head"><h1>${texts.roots.title}</h1></div><p class="lead">${texts.roots.lead}</p><div class="panel">${list}</div>${grants}${folderForm(session, form.message, form.value)}`,
  };
}
