/** Waiting for pages: for as long as a request may be held, with signs of life for a client that asked for them. */
import type { Config } from '../config.ts';
import type { Json } from '../digest.ts';
import { signsOfLife } from '../drivers/signs-of-life.ts';
import type { OpenAsk } from '../engine/seam.ts';
import type { CallRequest } from '../request.ts';
import { wireOf } from '../wire-ask.ts';
import type { PageWait } from './announced.ts';
import type { PageOutcome } from './pages.ts';

/** True where an ask waits for a page and nothing of it is sent to the client. */
export const isPageWait = (ask: OpenAsk): boolean => wireOf(ask).channel === 'page';

export const waitOf = (ask: OpenAsk): PageWait => wireOf(ask).wait!;

/**
 * Waits until one of the pages is finished or its time is up, at most `ms`.
 * @returns what is known by then, by ask; empty where nothing is, or the client is gone
 */
export async function awaitPages(
  waits: readonly OpenAsk[],
  ms: number,
  request: CallRequest,
  config: Config,
): Promise<ReadonlyMap<string, Json>> {
  const road = config.pages;
  if (!road) return new Map();
  const look = async (): Promise<Map<string, Json>> => {
    const known = new Map<string, Json>();
    for (const ask of waits) {
      const wait = waitOf(ask);
      const outcome = await road.outcome(wait.ticket, 0);
      if (outcome) known.set(ask.id, recorded(outcome, wait.at));
      else if (config.now() >= wait.dueAt) known.set(ask.id, timedOut(wait, config.now()));
    }
    return known;
  };
  const first = await look();
  if (first.size > 0 || ms <= 0) return first;
  const done = new AbortController();
  const { signal } = request.ctx.mcpReq;
  const stop = () => done.abort();
  signal.addEventListener('abort', stop, { once: true });
  const quiet = signsOfLife(request, config, {
    message: 'Waiting for the person, who is on a web page.',
    atOnce: true,
  });
  try {
    const left = Math.min(ms, ...waits.map(ask => Math.max(1, waitOf(ask).dueAt - config.now())));
    await Promise.race(waits.map(ask => road.outcome(waitOf(ask).ticket, left, done.signal)));
  } finally {
    quiet();
    done.abort();
    signal.removeEventListener('abort', stop);
  }
  return signal.aborted ? new Map() : look();
}

/** What is recorded where a page was not finished while it could be waited for. */
export const timedOut = (wait: PageWait, now: number): Json => ({ none: 'timeout', ms: Math.max(0, now - wait.at) });

function recorded(outcome: PageOutcome, askedAt: number): Json {
  const { assurance, at, ...got } = outcome;
  return { got, ms: Math.max(0, at - askedAt), via: 'page', assurance };
}
