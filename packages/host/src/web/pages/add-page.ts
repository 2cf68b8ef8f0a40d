/** The page that puts servers on the desk: by a command, by an address, or by an mcp.json. Pure. */
import { attributes, html } from '@midcall/core/page';
import { type Draft, first } from '../form/index.ts';
import { visibleHtml } from '../html/index.ts';
import { texts } from '../texts/index.ts';
import type { Session } from '../workspace/index.ts';
import type { Content } from './layout.ts';
import { secretLines, workingDirectory } from './server-fields.ts';

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
  { csrf, link }: Session,
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
        return html`<section class="panel" aria-labelledby="${id}-title"><div class="panel-title"><h2 id="${id}-title">${way.title}</h2></div><form method="post" action="${link('/add')}" novalidate id="${id}-form"${way.by === 'command' && html` data-first`}><input type="hidden" name="csrf" value="${csrf}"><input type="hidden" name="by" value="${way.by}"><div class="fields"><div class="field"><label for="${id}">${way.label}</label><p class="help" id="${id}-help">${way.help}</p>${
          way.rows > 0
            ? html`<textarea${attributes({ ...control, rows: way.rows })}>\n${value}</textarea>`
            : html`<input${attributes({ ...control, type: 'text', value })}>`
        }${error !== undefined && html`<p class="error" id="${id}-error">${visibleHtml(error, 600)}</p>`}</div>${
          way.by !== 'config' &&
          html`<div class="field"><label for="${id}-name">${texts.servers.name} <span class="need">${texts.field.optional}</span></label><p class="help" id="${id}-name-help">${texts.servers.nameHelp}</p><input${attributes({ id: `${id}-name`, name: 'name', class: 'narrow', 'aria-describedby': `${id}-name-help`, value: own ? (first(draft, 'name') ?? '') : '' })}></div>`
        }${way.by === 'command' && workingDirectory(id, own ? (first(draft, 'cwd') ?? '') : '')}${way.by !== 'config' && secretLines(id, way.by === 'url')}</div><div class="actions"><button class="button primary">${way.go}</button></div></form></section>`;
      },
    )}`,
  };
}
