/**
 * The body of the card that tells a server which folders it may use. A server is asked about only while nothing has been
 * decided, so it has no earlier grants and no box is ticked.
 */
import { attributes, html } from '@midcall/core/page';
import type { RootsQuestion } from '../../index.ts';
import { type Draft, first } from '../form/index.ts';
import { visibleHtml } from '../html/index.ts';
import { texts } from '../texts/index.ts';
import { problemSummary } from './form-body.ts';
import type { CardBody, CardContext } from './frame.ts';

/** The control in which a folder is named that is not on offer yet. */
export const newFolder = 'folder';

export function rootsBody(question: RootsQuestion, context: CardContext): CardBody {
  const { draft, issues = [] } = context;
  const chosen = draft?.get('roots');
  const id = `q-${question.id}-folder`;
  const wrong = issues.filter(({ field }) => field === newFolder);
  const offered = html`<fieldset class="field choices"><legend>${texts.roots.offered}</legend><div class="options">${question.roots.map(
    (root, at) =>
      html`<label class="option"><input${attributes({ type: 'checkbox', name: 'roots', value: String(at), checked: chosen?.includes(String(at)) })}><span class="option-text"><span>${visibleHtml(root.name ?? root.uri, 200)}</span><code class="option-value">${visibleHtml(root.uri, 400)}</code></span></label>`,
  )}</div></fieldset>`;
  const described = wrong.length > 0 ? `${id}-help ${id}-error` : `${id}-help`;
  return {
    content: html`${problemSummary(issues)}${question.roots.length > 0 && offered}<div class="fields"><div class="field"><label for="${id}">${texts.roots.another} <span class="need">${texts.field.optional}</span></label><p class="help" id="${id}-help">${texts.roots.anotherHelp}</p><input${attributes({ id, name: newFolder, class: 'mono', spellcheck: 'false', autocomplete: 'off', value: (draft && first(draft, newFolder)) ?? '', 'aria-describedby': described, 'aria-invalid': wrong.length > 0 && 'true' })}>${wrong.length > 0 && html`<p class="error" id="${id}-error">${wrong.map(({ message }) => visibleHtml(message, 400))}</p>`}</div></div>`,
    accept: texts.roots.share,
    needsChoice: true,
    waysOut: texts.question.waysOut,
  };
}

/** The folders that a person left ticked. */
export function grantedRoots(question: RootsQuestion, draft: Draft): readonly string[] {
  const chosen = new Set(draft.get('roots') ?? []);
  return question.roots.flatMap((root, at) => (chosen.has(String(at)) ? [root.uri] : []));
}
