/** The page that changes a server: its name, how it is reached, and its secrets, which are never shown. Pure. */
import { attributes, type Html, html } from '@midcall/core/page';
import type { ServerEntry } from '../../index.ts';
import { type Draft, first } from '../form/index.ts';
import { visibleHtml } from '../html/index.ts';
import { texts } from '../texts/index.ts';
import { type Session, secretsOf, writtenTarget } from '../workspace/index.ts';
import { secretLines, workingDirectory } from './add-page.ts';
import type { Content } from './layout.ts';
import { serverPath } from './paths.ts';

function secretList(entry: ServerEntry): Html | false {
  const names = Object.keys(secretsOf(entry.target));
  const { variables, headers, drop } = texts.servers;
  return (
    names.length > 0 &&
    html`<fieldset class="field"><legend>${entry.target.kind === 'url' ? headers : variables}</legend><ul class="secret-names">${names.map(
      name =>
        html`<li><code>${visibleHtml(name, 120)}</code><span class="quiet-text">${texts.servers.hiddenValue}</span><label class="switch"><input${attributes({ type: 'checkbox', name: 'drop', value: name })}> <span>${drop}<span class="unseen"> ${visibleHtml(name, 120)}</span></span></label></li>`,
    )}</ul></fieldset>`
  );
}

/** @param wrong - why the form came back */
export function editPage(entry: ServerEntry, { csrf, link }: Session, draft?: Draft, wrong?: string): Content {
  const { id, target } = entry;
  const own = texts.servers;
  const url = target.kind === 'url';
  const what = (draft && first(draft, 'what')) ?? writtenTarget(target);
  const described = wrong === undefined ? 'edit-what-help' : 'edit-what-help edit-error';
  return {
    title: own.editTitle(id),
    serverId: id,
    main: html`<div class="head"><h1><a class="crumb" href="${link(serverPath(id))}">${visibleHtml(id, 80)}</a> ${own.edit}</h1></div><section class="panel" aria-label="${own.edit}"><form method="post" action="${link(serverPath(id, 'edit'))}" id="edit-form" data-first autocomplete="off" novalidate><input type="hidden" name="csrf" value="${csrf}"><input type="hidden" name="by" value="${url ? 'url' : 'command'}">${wrong !== undefined && html`<p class="problems" role="alert" id="edit-error">${visibleHtml(wrong, 600)}</p>`}<div class="fields"><div class="field"><label for="edit-name">${own.name}</label><input${attributes({ id: 'edit-name', name: 'name', class: 'narrow', value: (draft && first(draft, 'name')) ?? id })}></div><div class="field"><label for="edit-what">${url ? own.url : own.command}</label><p class="help" id="edit-what-help">${url ? own.urlHelp : own.commandHelp}</p><input${attributes({ id: 'edit-what', name: 'what', class: 'mono', spellcheck: 'false', value: what, 'aria-describedby': described })}></div>${
      !url &&
      workingDirectory('edit', (draft && first(draft, 'cwd')) ?? (target.kind === 'command' ? (target.cwd ?? '') : ''))
    }${secretList(entry)}${secretLines('edit', url)}</div><div class="actions"><button class="button primary">${own.save}</button><a class="button" href="${link(serverPath(id))}">${own.cancel}</a></div></form></section>`,
  };
}
