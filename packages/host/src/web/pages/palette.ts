/** The two dialogs that every page has for the keyboard: the palette, which finds anything, and the list of keys. Pure. */
import { attributes, type Html, html } from '@midcall/core/page';
import { texts } from '../texts/index.ts';
import { part } from './part.ts';

/** The palette; its results are fetched while somebody types. */
const palette: Html = part(
  'dialog',
  { id: 'palette', class: 'palette', 'aria-label': texts.find.title, 'data-morph': 'keep' },
  html`<input${attributes({ type: 'search', 'aria-label': texts.find.anything, placeholder: texts.find.anything, autocomplete: 'off', spellcheck: 'false', 'aria-controls': 'palette-found' })}><div id="palette-found" class="palette-found" aria-live="polite"></div><p class="palette-help quiet-text"><span class="to-found"><kbd>↑</kbd> <kbd>↓</kbd> ${texts.keys.choose} <kbd>Enter</kbd> ${texts.keys.go} </span><kbd>Esc</kbd> ${texts.keys.leave}</p>`,
);

/** All shortcuts. */
const keyList: Html = part(
  'dialog',
  { id: 'keys', class: 'keys', 'aria-labelledby': 'keys-title', 'data-morph': 'keep' },
  html`<h2 id="keys-title">${texts.keys.title}</h2><dl>${texts.keys.all.map(
    ([keys, does]) => html`<div><dt>${keys.map(key => html`<kbd>${key}</kbd>`)}</dt><dd>${does}</dd></div>`,
  )}</dl><label class="switch"><input type="checkbox" data-single-keys> <span>${texts.keys.single}</span></label><form method="dialog"><button class="button small">${texts.keys.close}</button></form>`,
);

export const keyboardDialogs: Html = html`${palette}${keyList}`;
