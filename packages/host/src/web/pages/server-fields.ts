/** Fields of the forms that add or change a server. Pure. */
import { attributes, type Html, html } from '@midcall/core/page';
import { texts } from '../texts/index.ts';

/** The directory a command is started in. */
export const workingDirectory = (scope: string, value: string): Html =>
  html`<div class="field"><label for="${scope}-cwd">${texts.servers.directory} <span class="need">${texts.field.optional}</span></label><input${attributes({ id: `${scope}-cwd`, name: 'cwd', class: 'mono', spellcheck: 'false', value })}></div>`;

/** Variables or headers, one per line. The input is hidden, and never put into a page again. */
export function secretLines(scope: string, url: boolean): Html {
  const { newVariables, newHeaders, variablesHelp, headersHelp } = texts.servers;
  const id = `${scope}-secrets`;
  return html`<div class="field" data-secret><label for="${id}">${url ? newHeaders : newVariables} <span class="need">${texts.field.optional}</span></label><p class="help" id="${id}-help">${url ? headersHelp : variablesHelp}</p><div class="secret-entry"><textarea${attributes({ id, name: 'secrets', rows: 2, class: 'mono masked', spellcheck: 'false', autocomplete: 'off', 'aria-describedby': `${id}-help` })}></textarea><button${attributes({ type: 'button', class: 'button small script-only', 'data-reveal': id, 'aria-pressed': 'false', 'data-morph': 'keep' })}>${texts.field.reveal}</button></div></div>`;
}
