/**
 * Receives changes. A browser allows few connections to one host, so only one of all open pages listens, and tells the others;
 * when it is closed, another takes over and every page updates. Only that page sounds an alert.
 *
 * - listening-E1 A stream that breaks off or is refused is opened again, for as long as it takes.
 * - listening-E2 A page that has heard nothing for `silentMs` takes the stream for dead, whoever listens, and listens itself: a connection
 *   can end without a sign, as while a device sleeps, and the page that listens may be stopped by the system.
 * - listening-E3 Whoever listens begins after the last change that it has heard of, so that nothing is said twice.
 * - listening-E4 Where the stream is refused or silent, pages fetch themselves each time: they may be answered all the same, or find that
 *   the session has ended.
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
  | { readonly type: 'found' };

/** What one page tells the others; `alive`: the stream is there, and has nothing new. */
type Heard = PageEvent | { readonly type: 'alive' };

/** For how many milliseconds a page may hear nothing: on a quiet stream, there is a sign of life every 15 seconds. */
const silentMs = 40_000;
/** Milliseconds between two looks at how long it has been silent: a timer alone would stop while the device sleeps. */
const lookEveryMs = 5_000;
/** After how many milliseconds a stream is opened again; doubled each time, up to the second value. */
const [firstRetryMs, lastRetryMs] = [1_000, 15_000];

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
  /** Where the pages tell each other. */
  let channel: BroadcastChannel | undefined;
  /** True once the page has been left, until the browser brings it back. */
  let isLeft = false;
  let last = Number(since);
  let heardAt = Date.now();
  /** True if something may have been missed that no stream makes up for. */
  let hasMissed = false;
  /** The page for which this page's own stream was opened; undefined while another page listens. */
  let listensFor: string | undefined;
  let stream: EventSource | undefined;
  let retry = 0;
  let retryMs = firstRetryMs;
  /** Ends when this page no longer waits for its turn to listen, or has it no longer. */
  let turn = new AbortController();

  const heed = (heard: Heard): void => {
    heardAt = Date.now();
    if (heard.type === 'changed') last = Math.max(last, heard.id ?? 0);
    if (heard.type !== 'alive') hear(heard);
  };
  const tell = (heard: Heard): void => {
    heed(heard);
    if (heard.type !== 'changed') channel?.postMessage(heard);
    else {
      const { page, ...rest } = heard;
      channel?.postMessage({ ...rest, alert: false });
    }
  };
  const lose = (): void => {
    hasMissed = true;
    tell({ type: 'lost' });
  };

  /** Opens the stream, in place of the one that there may be. */
  const open = (): void => {
    close();
    const own = shownPage();
    const events = new EventSource(`${base()}/events?${new URLSearchParams({ since: String(last), page: own })}`);
    [stream, listensFor] = [events, own];
    events.addEventListener('changed', event => {
      const { data, lastEventId } = event as MessageEvent<string>;
      const { page, ...news } = JSON.parse(data) as Omit<PageEvent & { type: 'changed' }, 'type' | 'id'>;
      const isShown = page !== undefined && own === shownPage();
      tell({ type: 'changed', id: Number(lastEventId), ...news, ...(isShown && { page }) });
    });
    events.addEventListener('alive', () => tell({ type: 'alive' }));
    events.addEventListener('open', () => {
      retryMs = firstRetryMs;
      tell({ type: 'found' });
      if (hasMissed) tell({ type: 'changed' });
      hasMissed = false;
    });
    events.addEventListener('error', () => {
      const isRefused = events.readyState === EventSource.CLOSED;
      events.close();
      retry = window.setTimeout(open, retryMs);
      retryMs = Math.min(2 * retryMs, lastRetryMs);
      lose();
      if (isRefused) tell({ type: 'changed' });
    });
  };
  const close = (): void => {
    window.clearTimeout(retry);
    stream?.close();
    [stream, listensFor] = [undefined, undefined];
  };

  /** Listens when it is this page's turn. @param options - `steal`: true if that is now, whoever listens */
  const listen = (options: { readonly steal?: true } = {}): void => {
    turn.abort();
    const own = new AbortController();
    turn = own;
    let hasBegun = false;
    const untilOver = (): Promise<void> =>
      new Promise(resolve => {
        if (own.signal.aborted) return resolve();
        hasBegun = true;
        own.signal.addEventListener('abort', () => {
          close();
          resolve();
        });
        open();
      });
    const take = async (): Promise<void> =>
      navigator.locks.request(name, options.steal ? options : { signal: own.signal }, untilOver);
    void take()
      // A browser that is to store nothing may also refuse the lock, and then each page listens.
      .catch(() => (hasBegun ? undefined : untilOver()))
      // If another page has taken the turn, this one queues again.
      .then(() => hasBegun && turn === own && listen());
  };

  const look = (): void => {
    if (isLeft || Date.now() - heardAt < silentMs) return;
    lose();
    tell({ type: 'changed' });
    if (stream) open();
    else listen({ steal: true });
  };

  const start = (): void => {
    isLeft = false;
    channel = channelOf(name);
    channel?.addEventListener('message', ({ data }) => heed(data as Heard));
    heardAt = Date.now();
    listen();
  };
  window.setInterval(look, lookEveryMs);
  document.addEventListener('visibilitychange', look);
  document.addEventListener('midcall:shown', () => {
    if (listensFor !== undefined && listensFor !== shownPage()) open();
  });
  window.addEventListener('online', () => {
    if (stream) open();
    hear({ type: 'changed' });
  });
  window.addEventListener('pagehide', () => {
    turn.abort();
    turn = new AbortController();
    isLeft = true;
    channel?.close();
    channel = undefined;
  });
  // A page that the browser has kept is what it was when it was left.
  window.addEventListener('pageshow', event => {
    if (!event.persisted) return;
    start();
    hear({ type: 'changed' });
  });
  start();
}
