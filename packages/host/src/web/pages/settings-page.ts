/** How the desk looks, what it remembers, and how it alerts the person. Pure. */
import { attributes, type Html, html } from '@midcall/core/page';
import type { Theme } from '../keeping/index.ts';
import { texts } from '../texts/index.ts';
import type { Session } from '../workspace/index.ts';
import { buttonForm } from './button-form.ts';
import { alertSwitch, type Content } from './layout.ts';

/** The present settings. */
export interface Settings {
  readonly theme: Theme | undefined;
  /** How many calls of earlier sessions are stored; absent if the desk stores none. */
  readonly history?: { readonly count: number; readonly on: boolean };
}

function themeForm(theme: Theme | undefined, { csrf, link }: Session): Html {
  const { themes, save } = texts.settings;
  return html`<section class="panel" aria-labelledby="theme-title"><div class="panel-title"><h2 id="theme-title">${texts.settings.theme}</h2></div><form method="post" action="${link('/preferences/theme')}" id="theme-form"><input type="hidden" name="csrf" value="${csrf}"><fieldset class="field"><legend class="unseen">${texts.settings.theme}</legend><div class="options inline">${(
    ['system', 'light', 'dark'] as const
  ).map(
    each =>
      html`<label class="option"><input${attributes({ type: 'radio', name: 'theme', value: each, checked: each === (theme ?? 'system') })}><span class="option-text">${themes[each]}</span></label>`,
  )}</div></fieldset><div class="actions"><button class="button">${save}</button></div></form></section>`;
}

function historyForm({ count, on }: { readonly count: number; readonly on: boolean }, session: Session): Html {
  const own = texts.settings.history;
  return html`<section class="panel" aria-labelledby="history-title"><div class="panel-title"><h2 id="history-title">${own.title}</h2></div><div class="panel-body"><p>${on ? own.on(count) : own.off}</p><div class="actions">${buttonForm(session, '/preferences/history', on ? own.switchOff : own.switchOn, '', { keep: on ? 'off' : 'on' })}${count > 0 && buttonForm(session, '/history/clear', own.clear, '')}</div></div></section>`;
}

export function settingsPage({ theme, history }: Settings, session: Session): Content {
  const { title } = texts.settings;
  return {
    title,
    at: '/settings',
    main: html`<div class="head"><h1>${title}</h1></div>${themeForm(theme, session)}${history && historyForm(history, session)}<section class="panel" aria-labelledby="alerts-title"><div class="panel-title"><h2 id="alerts-title">${texts.settings.alerts}</h2></div><div class="panel-body">${alertSwitch}<p class="help">${texts.settings.alertsHelp}</p></div></section>`,
  };
}
