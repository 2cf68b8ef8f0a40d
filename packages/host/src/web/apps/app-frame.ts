/** The frame of an App, above the form that it fills in. Pure. */
import { attributes, type Html, html } from '@midcall/core/page';
import { texts } from '../texts/texts.ts';

/**
 * The document is loaded by client script, which listens by then: what an App says before that would be lost.
 * @param src - the path of the App's document
 * @param propose - where the page posts what the App proposes
 * @param args - of the call, for the App
 */
export function appFrame(src: string, propose: string, args: Readonly<Record<string, unknown>>): Html {
  return html`<div class="app script-only" data-key="app"><iframe${attributes({ 'data-src': src, sandbox: 'allow-scripts', title: texts.app.title, 'data-app': propose, 'data-stopped': texts.app.stopped, 'data-arguments': JSON.stringify(args), referrerpolicy: 'no-referrer', 'data-morph': 'keep', allow: '' })}></iframe><p class="help">${texts.app.help}</p></div>`;
}
