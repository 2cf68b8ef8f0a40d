/** A call that asks on pages, its run for real; pages, client and clock are the test's. */
import type { Answer } from '@midcall/core/form';
import { memoryStore } from '@midcall/server/stores/memory';
import { Run } from '../../../packages/server/src/engine/run.ts';
import { AskHistory } from '../../../packages/server/src/questions/judge.ts';
import type { Outgoing } from '../../../packages/server/src/questions/outgoing.ts';
import { type UrlAskerOptions, urlAsker } from '../../../packages/server/src/questions/page/asker.ts';
import type { PageCall } from '../../../packages/server/src/questions/page/page-call.ts';
import { fromClient } from '../../../packages/server/src/questions/recording.ts';
import type { PageAsk, PageOutcome, UrlAsk } from '../../../packages/server/src/request/pages.ts';

export const NOW = 1_000_000;
export const ask: UrlAsk<unknown> = { message: 'Sign', page: { kind: 'confirm', data: { a: 1 } }, timeoutMs: 60_000 };

export interface Scene {
  readonly asks?: 'push' | 'rounds' | 'none';
  readonly can?: { readonly form?: boolean; readonly url?: boolean };
  readonly channels?: readonly string[];
  readonly check?: 'code' | 'none' | 'sign-in';
  readonly method?: string;
  readonly http?: boolean;
  readonly local?: boolean;
  readonly browser?: boolean;
  readonly note?: string;
  readonly pages?: false;
  readonly suspectBelowMs?: number;
  /** True once somebody has sent the page, whatever becomes of it. */
  readonly answered?: () => boolean;
  readonly open?: (ask: PageAsk) => Promise<{ url: string; note?: string }>;
}

/** A call whose pages and clock are the test's. */
export function scene(given: Scene = {}) {
  const { asks = 'push', can = {}, channels = ['native', 'page'], check = 'none', method = 'tools/call' } = given;
  const log: string[] = [];
  const audited: unknown[] = [];
  const warned: string[] = [];
  const waits: unknown[] = [];
  const opened: PageAsk[] = [];
  const outcomes = new Map<string, PageOutcome>();
  const clock = { now: NOW };
  let ids = 0;
  const service = {
    newPageId: () => `page-${++ids}`,
    newCode: () => 'C0DE-1',
    checkFor: ({ mayShowCode }: { mayShowCode: boolean }) => (check === 'code' && !mayShowCode ? 'none' : check),
    open: async (page: PageAsk) => {
      opened.push(page);
      return (
        (await given.open?.(page)) ?? {
          url: `https://p.example/${page.pageId}`,
          ...(given.note && { note: given.note }),
        }
      );
    },
    local: given.local ?? false,
    showLocally: async ({ url }: { url: string }) => log.push(`show ${url}`) > 0 && given.browser === true,
    outcome: async (id: string) => outcomes.get(id),
    withdraw: async (id: string) => log.push(`withdraw ${id}`) > 0 && !given.answered?.(),
    endUnanswered: async () => !given.answered?.(),
    close: async () => {},
  };
  const pages = {
    service,
    call: { method, name: 'act', principal: undefined, flow: 'f' },
    arguments: { x: 1 },
    http: given.http ?? false,
    binding: 'b',
    finished: async (id: string) => void log.push(`finished ${id}`),
    notify: (page: string, id: string, ms: number) => void log.push(`notify ${page} ${id} ${ms}`),
  } as unknown as PageCall;
  const config = {
    ...{
      channels,
      askTimeoutMs: 900_000,
      stateTtlMs: 600_000,
      suspectBelowMs: given.suspectBelowMs ?? 0,
      contents: memoryStore(),
      pages: service,
    },
    waiting: {
      add: async (each: unknown) => void waits.push(each),
      remove: async (each: object) => void log.push(`remove ${Object.values(each).join(' ')}`),
    },
    clock: { now: () => clock.now, after: () => () => {} },
    id: () => `id-${++ids}`,
    warnOnce: (topic: string, text: string) => void warned.push(`${topic}: ${text}`),
  } as unknown as UrlAskerOptions['config'];
  const client = { asks, can: { form: false, url: false, ...can } };
  const options = {
    ...{
      config,
      request: { client, registered: { method }, name: 'act', principal: undefined },
      history: new AskHistory(),
    },
    pages: given.pages === false ? undefined : pages,
    audit: (event: unknown) => void audited.push(event),
  } as unknown as UrlAskerOptions;
  const begin = <T>(
    handler: (put: ReturnType<typeof urlAsker>, run: Run<T, Outgoing>) => Promise<T>,
    journal: Run<T>['journal'] = [],
  ) => new Run<T, Outgoing>(run => handler(urlAsker(run as never, options), run), journal);
  /** Puts the question, and gives what leaves what the test says. */
  const put = async (
    question: UrlAsk<unknown> = ask,
    answer: (detail: Outgoing, at: number) => unknown = () => fromClient({ action: 'accept' }, 5),
    onlyLink?: boolean,
  ) => {
    const left: Outgoing[] = [];
    const run = begin(each => each(question, onlyLink));
    for (;;) {
      const outcome = await run.next();
      if (outcome.kind !== 'needs') return { left, outcome, journal: run.journal };
      for (const { id, detail } of outcome.asks) {
        left.push(detail);
        run.settle(new Map([[id, (await answer(detail, left.length)) as never]]));
      }
    }
  };
  return { ...{ log, audited, warned, waits, opened, outcomes, clock, config, begin, put } };
}

type Put = Awaited<ReturnType<ReturnType<typeof scene>['put']>>;
export const answerOf = ({ outcome }: Put) => (outcome.kind === 'done' ? (outcome.result as Answer<unknown>) : outcome);
export const finished = (assurance = 'in-band', action: object = { action: 'accept', content: 7 }, ms = 40) => ({
  ...{ kind: 'answered', channel: 'page', assurance, ms },
  got: action,
});
/** Accepts in the host; the page ends as given. */
export const byPage = (end: unknown) => (detail: Outgoing) =>
  detail.to === 'apart' ? end : fromClient({ action: 'accept' }, 5);
