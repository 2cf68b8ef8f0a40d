/** What the page of a call says while the call continues as a task. */
import { type Html, html } from '@midcall/core/page';
import { visibleHtml } from '../html/index.ts';
import { texts } from '../texts/index.ts';
import type { CallView } from '../workspace/index.ts';

/** The server's own words for its work, and whether the desk has to stay open. */
export function taskNote({ task }: CallView): Html | false {
  if (!task) return false;
  const { message, kept } = task;
  return html`${message !== undefined && html`<p class="task-status">${visibleHtml(message, 500)}</p>`}<p class="quiet-text">${kept ? texts.task.goesOn : texts.task.needsDesk}</p>`;
}
