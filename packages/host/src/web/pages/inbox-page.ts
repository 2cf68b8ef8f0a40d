/** Every open question as a list, since the rail beside each page may not hold them all. Pure. */
import { html } from '@midcall/core/page';
import { foldAlike } from '../../index.ts';
import { texts } from '../texts/index.ts';
import type { DeskView } from '../workspace/index.ts';
import { alertSwitch, type Content, inboxItem } from './layout.ts';
import { pager } from './pager.ts';

/** How many rows a page of the inbox shows. */
const inboxPageSize = 50;

/** Every open question, oldest first, in pages. */
export function inboxPage(view: DeskView, from: number): Content {
  const { open, link } = view;
  const rows = foldAlike(open);
  const start = Math.min(Math.max(0, from), Math.max(0, rows.length - 1));
  const shownOnes = rows.slice(start, start + inboxPageSize);
  const shown = { from: start, most: inboxPageSize, count: rows.length };
  return {
    title: texts.inbox.title,
    isWide: true,
    refresh: { after: 10, to: link(`/inbox?from=${start}`) },
    main: html`<section id="inbox"><div class="head"><h1>${texts.inbox.title}</h1><span class="quiet-text">${texts.inbox.count(open.length)}</span></div>${
      open.length === 0
        ? html`<p class="lead">${texts.inbox.empty}</p>`
        : html`<ul class="home-questions">${shownOnes.map(row => inboxItem(row, view, undefined))}</ul>`
    }${pager(shown, at => link(`/inbox?from=${at}`), [texts.inbox.previous, texts.inbox.next])}${alertSwitch}</section>`,
  };
}
