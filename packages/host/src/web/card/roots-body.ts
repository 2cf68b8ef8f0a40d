/**
 * The body of the card that tells a server which folders it may use. A server is asked about only while nothing has been
 * decided, so it has no earlier grants and no box is ticked.
 */
import { attributes, html } from '@midcall/core/page';
import type { RootsQuestion } from '../../index.ts';
import type { Draft } from '../form/index.ts';
import { visibleHtml } from '../html/index.ts';
import { texts } from '../texts/index.ts';
import { problemSummary } from './form-body.ts';
import type { CardBody, CardContext } from './frame.ts';

export function rootsBody(question: RootsQuestion, context: CardContext): CardBody {
  const chosen = context.draft?.get('roots');
  return {
    content: html`${problemSummary(context.issues ?? [])}<fieldset class="field choices"><legend>${texts.roots.offered}</legend><div class="options">${question.roots.map(
      (root, at) =>
        html`<label class="option"><input${attributes({ type: 'checkbox', name: 'roots', value: String(at), checked: chosen?.includes(String(at)) })}><span class="option-text"><span>${visibleHtml(root.name ?? root.uri, 200)}</span><code class="option-value">${visibleHtml(root.uri, 400)}</code></span></label>`,
    )}</div></fieldset>`,
    accept: texts.roots.share,
    waysOut: texts.question.waysOut,
  };
}

/** The folders that a person left ticked. */
export function grantedRoots(question: RootsQuestion, draft: Draft): readonly string[] {
  const chosen = new Set(draft.get('roots') ?? []);
  return question.roots.flatMap((root, at) => (chosen.has(String(at)) ? [root.uri] : []));
}
