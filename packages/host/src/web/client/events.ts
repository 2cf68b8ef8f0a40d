/**
 * Receives changes. A browser allows few connections to one host, so only one of all open pages listens, and tells the others;
 * when it is closed, another takes over and every page updates. Only that page sounds an alert.
 */

import { base } from './base.ts';

/** An event for the page. */
export type PageEvent =
  /** `id`: the number of the change; absent if some may have been missed. */
  | { readonly type: 'changed'; readonly id?: number; readonly text?: string; readonly alert?: boolean }
  /** The desk cannot be reached; repeated with every attempt. */
  | { readonly type: 'lost' }
  | { readonly type: 'found' };

const name = 'midcall-events';

/** Follows the desk's stream. @returns ends it */
function follow(since: string, tell: (heard: PageEvent) => void): () => void {
  const events = new EventSource(`${base()}/events?since=${since}`);
  let away = false;
  events.addEventListener('changed', event => {
    const { data, lastEventId } = event as MessageEvent<string>;
    const news = JSON.parse(data) as { text?: string; alert?: boolean };
    tell({ type: 'changed', id: Number(lastEventId), ...news });
  });
  events.addEventListener('error', () => {
    away = true;
    tell({ type: 'lost' });
  });
  events.addEventListener('open', () => {
    tell({ type: 'found' });
    if (away) tell({ type: 'changed' });
    away = false;
  });
  return () => events.close();
}

/**
 * Calls `hear` for every event of the desk, through this page's own stream or another page's.
 * @param since - the newest event that this page reflects
 */
export function startEvents(since: string, hear: (heard: PageEvent) => void): void {
  const channel = new BroadcastChannel(name);
  const leaving = new AbortController();
  channel.onmessage = event => hear(event.data as PageEvent);
  const tell = (heard: PageEvent): void => {
    hear(heard);
    if (!leaving.signal.aborted) channel.postMessage(heard.type === 'changed' ? { ...heard, alert: false } : heard);
  };
  const lead = (): Promise<void> =>
    new Promise(resolve => {
      const stop = follow(since, tell);
      leaving.signal.addEventListener('abort', () => {
        stop();
        resolve();
      });
    });
  navigator.locks.request(name, { signal: leaving.signal }, lead).catch(() => {});
  window.addEventListener('pagehide', () => {
    leaving.abort();
    channel.close();
  });
}
