/** The frames of Apps: above the form that one fills in, and above the result that one shows. Pure. */
import { attributes, type Html, html } from '@midcall/core/page';
import { texts } from '../texts/index.ts';

/**
 * The document is loaded by client script once it listens: anything an App said before that would be lost. By its key, the page
 * of another question or call gets a frame of its own.
 */
function frame(
  src: string,
  args: Readonly<Record<string, unknown>>,
  words: Readonly<Record<'title' | 'help' | 'stopped' | 'intruded', string>>,
  [use, path]: readonly ['data-propose' | 'data-result', string],
  more: Readonly<Record<string, string>> = {},
): Html {
  return html`<div class="app script-only" data-key="app ${path}"><iframe${attributes({ 'data-src': src, sandbox: 'allow-scripts', title: words.title, 'data-stopped': words.stopped, 'data-intruded': words.intruded, 'data-aside': texts.app.aside, 'data-arguments': JSON.stringify(args), [use]: path, ...more, referrerpolicy: 'no-referrer', 'data-morph': 'keep', allow: '' })}></iframe><p class="help">${words.help}</p></div>`;
}

/**
 * An App that fills in a form.
 * @param src - the path of the App's document
 * @param propose - where the page posts what the App proposes
 * @param args - of the call, for the App
 */
export const formAppFrame = (src: string, propose: string, args: Readonly<Record<string, unknown>>): Html =>
  frame(src, args, texts.app.form, ['data-propose', propose]);

/**
 * An App that shows a result.
 * @param src - the path of the App's document
 * @param result - where the page gets the result for the App
 * @param args - of the call, for the App
 * @param calls - where the page posts what the App calls, and with which token
 */
export const resultAppFrame = (
  src: string,
  result: string,
  args: Readonly<Record<string, unknown>>,
  calls: { readonly path: string; readonly csrf: string },
): Html =>
  frame(src, args, texts.app.result, ['data-result', result], { 'data-call': calls.path, 'data-token': calls.csrf });
