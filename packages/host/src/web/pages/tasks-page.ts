/** The calls that continue as tasks. Pure. */
import { type Html, html } from '@midcall/core/page';
import { minute, visibleHtml } from '../html/index.ts';
import { texts } from '../texts/index.ts';
import type { LeftCall, Session } from '../workspace/index.ts';
import { buttonForm } from './button-form.ts';
import type { Content } from './layout.ts';
import { table } from './table.ts';

function row(call: LeftCall, session: Session, now: number, zone: string): Html {
  const { id, name, serverId, startedAt, waits, message, follower } = call;
  const path = `/calls/${encodeURIComponent(id)}`;
  const label = visibleHtml(name, 120);
  const linkedName =
    follower === 'desk'
      ? html`<a class="mono" href="${session.link(path)}">${label}</a>`
      : html`<span class="mono">${label}</span>`;
  const { cancelled, waits: waiting, working } = texts.task;
  const state = follower === 'cancelled' ? cancelled : waits ? waiting : working;
  const chip = html`<span class="chip ${waits ? 'chip-wait' : 'chip-running'}">${state}</span>`;
  const note = message !== undefined && html` <span class="quiet-text">${visibleHtml(message, 200)}</span>`;
  const forget = () => buttonForm(session, '/tasks/forget', texts.task.forget, 'small', { call: id });
  const act = {
    desk: () => buttonForm(session, `${path}/cancel`, texts.task.cancel),
    other: () => html``,
    nobody: forget,
    cancelled: forget,
  };
  return html`<tr data-key="${id}"><td>${minute(startedAt, now, zone)}</td><td>${linkedName}<br><span class="quiet-text one-line">${visibleHtml(serverId, 80)}</span></td><td class="long">${chip}${note} <span class="quiet-text">${texts.task.follower[follower]}</span></td><td>${act[follower]()}</td></tr>`;
}

/** @param wrong - why the stored calls cannot be read */
export function tasksPage(
  calls: readonly LeftCall[],
  session: Session,
  now: number,
  zone: string,
  wrong: string | undefined,
): Content {
  const { when, tool } = texts.history;
  const rows = calls.map(call => row(call, session, now, zone));
  return {
    title: texts.task.title,
    at: '/tasks',
    refresh: { after: 10, to: session.link('/tasks') },
    main: html`<div class="head"><h1>${texts.task.title}</h1></div><p class="lead">${texts.task.lead}</p>${wrong !== undefined && html`<div class="problems" role="alert"><p>${wrong}</p></div>`}${table(texts.task.title, [when, tool, texts.task.state, texts.task.change], rows, texts.task.none)}`,
  };
}
