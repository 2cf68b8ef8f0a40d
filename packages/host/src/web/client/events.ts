/**
 * Receives changes. A browser allows few connections to one host, so only one of all open pages listens, and tells the others;
 * when it is closed, another takes over and every page updates. Only that page sounds an alert.
 */

import { base } from './base.ts';

/** A question that has come. */
export interface AskedEvent {
  readonly id: string;
  /** True if there is nothing to fill in or to choose, so that it can be declined without being seen whole. */
  readonly isBrief: boolean;
}

/** An event for the page. */
export type PageEvent =
  /** `id`: the number of the change; absent if some may have been missed. */
  | {
      readonly type: 'changed';
      readonly id?: number;
      readonly text?: string;
      readonly alert?: boolean;
      /** The question that has come. */
      readonly asked?: AskedEvent;
      /** The id of the question that has ended. */
      readonly ended?: string;
      /** This page as it is now, if it came with the event. */
      readonly page?: string;
    }
  /** The desk cannot be reached; repeated with every attempt. */
  | { readonly type: 'lost' }
  /** There is a desk again, which does not know this page. */
  | { readonly type: 'replaced' }
  | { readonly type: 'found' };

/** Follows the desk's stream, for the page that is shown. @returns ends it */
function follow(since: string, tell: (heard: PageEvent) => void, shownPage: () => string): () => void {
  const own = shownPage();
  const events = new EventSource(`${base()}/events?${new URLSearchParams({ since, page: own })}`);
  let away = false;
  events.addEventListener('changed', event => {
    const { data, lastEventId } = event as MessageEvent<string>;
    const { page, ...news } = JSON.parse(data) as Omit<PageEvent & { type: 'changed' }, 'type' | 'id'>;
    tell({
      type: 'changed',
      id: Number(lastEventId),
      ...news,
      ...(page !== undefined && own === shownPage() && { page }),
    });
  });
  events.addEventListener('error', () => {
    away = true;
    tell({ type: 'lost' });
    // A stream that cannot be reached is tried again; one that was refused is not.
    if (events.readyState === EventSource.CLOSED) tell({ type: 'replaced' });
  });
  events.addEventListener('open', () => {
    tell({ type: 'found' });
    if (away) tell({ type: 'changed' });
    away = false;
  });
  return () => events.close();
}

/** Connects the pages of this browser; undefined if it keeps them apart, as one may that is to store nothing. */
function channelOf(name: string): BroadcastChannel | undefined {
  try {
    return new BroadcastChannel(name);
  } catch {
    return undefined;
  }
}

/**
 * Calls `hear` for every event of the desk, through this page's own stream or another page's.
 * @param since - the newest event that this page reflects
 * @param shownPage - the page that is shown, which may come with an event; always the same if none does
 */
export function startEvents(since: string, hear: (heard: PageEvent) => void, shownPage: () => string): void {
  // Two sessions in one browser are told of their own changes.
  const name = `midcall-events ${base()}`;
  const channel = channelOf(name);
  const leaving = new AbortController();
  let last = Number(since);
  const heed = (heard: PageEvent): void => {
    if (heard.type === 'changed') last = Math.max(last, heard.id ?? 0);
    hear(heard);
  };
  channel?.addEventListener('message', ({ data }) => heed(data as PageEvent));
  const tell = (heard: PageEvent): void => {
    heed(heard);
    if (leaving.signal.aborted) return;
    if (heard.type !== 'changed') channel?.postMessage(heard);
    else {
      const { page, ...rest } = heard;
      channel?.postMessage({ ...rest, alert: false });
    }
  };
  const lead = (): Promise<void> =>
    new Promise(resolve => {
      let own = shownPage();
      let stop = follow(since, tell, shownPage);
      document.addEventListener('midcall:shown', () => {
        if (own === shownPage() || leaving.signal.aborted) return;
        own = shownPage();
        stop();
        stop = follow(String(last), tell, shownPage);
      });
      leaving.signal.addEventListener('abort', () => {
        stop();
        resolve();
      });
    });
  const take = async (): Promise<void> => navigator.locks.request(name, { signal: leaving.signal }, lead);
  take().catch(() => {
    // Such a browser may also refuse the lock, and then each page listens.
    if (!leaving.signal.aborted) void lead();
  });
  window.addEventListener('pagehide', () => {
    leaving.abort();
    channel?.close();
  });
}
