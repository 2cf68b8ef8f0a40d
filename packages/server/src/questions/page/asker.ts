/**
 * Asks a question on a page: the page is opened and announced, the person consents in the host, and the call waits until the
 * page is finished. Each of the three is recorded separately, so a replay continues where the last run stopped.
 */
import { isMidcallError } from '@midcall/core/errors';
import { type Answer, type Assurance, assures, type By } from '@midcall/core/form';
import { defined } from '@midcall/core/json';
import { digest, type Json } from '../../base/index.ts';
import { shortLabel } from '../../engine/index.ts';
import {
  type CallRequest,
  type Config,
  formParams,
  missingCapability,
  type PageOutcome,
  type UrlAsk,
  urlParams,
  urlRequired,
} from '../../request/index.ts';
import type { Unstamped } from '../../state/index.ts';
import { checkUrlAsk } from '../check-ask.ts';
import { checkPageChannels } from '../check-channels.ts';
import { AskHistory } from '../judge.ts';
import { askConsent } from '../native/native.ts';
import { type ApartAsk, answeredEvent, type CallRun, type ClientAsk, stepsDone } from '../outgoing.ts';
import { elapsed, type Recording, readRecording, unanswered } from '../recording.ts';
import type { PageCall } from './page-call.ts';
import {
  type Announced,
  asksConsent,
  channelOf,
  type PageQuestion,
  type Plan,
  pageSwitch,
  pageWords,
  plan,
  spoken,
  spokenCode,
  ways,
} from './plan.ts';

/** Milliseconds for which what was sent in time is waited for, once the time of its page is up. */
const FINISHING_MS = 60_000;

export interface UrlAskerOptions {
  readonly config: Config;
  readonly request: Pick<CallRequest, 'client' | 'registered' | 'name' | 'principal'>;
  readonly pages: PageCall | undefined;
  readonly history: AskHistory;
  readonly audit: (event: Unstamped) => void;
}

/** @param onlyLink - true if the host seems to have refused the question by itself */
export type UrlAsker = <T>(ask: UrlAsk<T>, onlyLink?: boolean) => Promise<Answer<T>>;

export function urlAsker(run: CallRun, options: UrlAskerOptions): UrlAsker {
  const { config, request, pages, history, audit } = options;
  const { client } = request;

  /** @returns true if somebody had finished it already */
  const withdraw = async (pageId: string): Promise<boolean> => {
    await config.waiting.remove({ kind: 'page', ref: pageId });
    if (!pages || (await pages.service.withdraw(pageId))) return false;
    return !(await pages.service.endUnanswered(pageId));
  };
  /** The pages that this run has opened or is opening. */
  const opened: Promise<Plan>[] = [];
  const open = (question: PageQuestion, pages: PageCall): Promise<Plan> => {
    const planned = plan(question, request, pages, config);
    opened.push(planned);
    return planned;
  };

  /** Plans a page. If this person has too many open, the call ends and the pages it opened are withdrawn. */
  const planned = async (question: PageQuestion, identity: readonly unknown[]): Promise<Json> => {
    if (!pages) return { kind: 'unavailable' } satisfies Plan;
    // After an error the client calls again, from the top: a step that is done would be done twice.
    const asError = question.asError && stepsDone(run) === 0;
    try {
      const pagePlan = await (asError
        ? toldByError(question, identity, pages)
        : open({ ...question, asError: false }, pages));
      return pagePlan as unknown as Json;
    } catch (error) {
      const outcomes = isMidcallError(error, 'connect/limit') ? await Promise.allSettled(opened) : [];
      for (const each of outcomes) {
        if (each.status === 'fulfilled' && each.value.kind === 'announced') await withdraw(each.value.at.pageId);
      }
      throw error;
    }
  };

  /** Finished pages, announced by an error, that this run has taken, with the number of steps it had run by then. */
  const taken: { readonly key: string; readonly at: Announced; readonly steps: number }[] = [];
  const keep = (key: string, at: Announced): Promise<boolean> => {
    const ttlMs = Math.max(1, at.dueAt + config.stateTtlMs - config.clock.now());
    return config.contents.set(key, JSON.stringify(at), { ttlMs, ifAbsent: true });
  };

  /** True if a page is finished; once its time is up also if what was sent in time is still being finished, or may be done. */
  const hasAnswer = async ({ pageId, dueAt }: Announced, { service }: PageCall): Promise<boolean> =>
    !!(await service.outcome(pageId, 0)) || (config.clock.now() >= dueAt && !(await service.endUnanswered(pageId)));

  /** The page that an error announced to an earlier attempt of the same call, or a new one. Concurrent attempts share it. */
  const toldByError = async (question: PageQuestion, identity: readonly unknown[], pages: PageCall): Promise<Plan> => {
    const key = `page-asked:${digest([pages.binding, identity])}`;
    const read = (text: string | undefined): Announced | undefined =>
      text === undefined ? undefined : JSON.parse(text);
    for (;;) {
      const before = read(await config.contents.get(key));
      const isOpen = before && config.clock.now() < before.dueAt && !(await hasAnswer(before, pages));
      if (isOpen) return { kind: 'announced', at: before };
      if (before) {
        // Only the run that takes a finished page gets its answer.
        const announcement = read(await config.contents.take(key));
        if (announcement && (await hasAnswer(announcement, pages))) {
          taken.push({ key, at: announcement, steps: stepsDone(run) });
          return { kind: 'announced', at: announcement };
        }
        if (announcement && config.clock.now() < announcement.dueAt) await keep(key, announcement);
        continue;
      }
      const pagePlan = await open(question, pages);
      if (pagePlan.kind !== 'announced' || pagePlan.at.announce !== 'error') return pagePlan;
      const { pageId, elicitationId } = pagePlan.at;
      if (await keep(key, pagePlan.at)) {
        pages.notify(pageId, elicitationId, question.timeoutMs + FINISHING_MS);
        return pagePlan;
      }
      await withdraw(pageId);
    }
  };

  /** The audit entry for a question on a page: one per question, however many messages announce it. */
  const auditFields = (ask: string, { demanded: assurance }: PageQuestion, { announce }: Announced) => ({
    ask,
    channel: channelOf(announce),
    ...defined({ assurance }),
  });

  /** The host's consent; undefined if the call continues to wait. */
  const announced = async (
    id: string,
    question: PageQuestion,
    at: Announced,
    key: string | undefined,
  ): Promise<{ readonly answer: Answer<never>; readonly fresh: boolean } | undefined> => {
    if (!asksConsent(at.announce)) return undefined;
    const channel = channelOf(at.announce);
    const consent = async (step: 'consent' | 'code', message: string) => {
      const detail: ClientAsk = {
        to: 'client',
        channel: 'native',
        method: 'elicitation/create',
        params:
          at.announce === 'url'
            ? urlParams(client.asks, message, at.url, at.elicitationId)
            : formParams(client.asks, message, { type: 'object', properties: {} }),
        key,
        timeoutMs: Math.max(1, at.dueAt - config.clock.now()),
        withdraw: () => withdraw(at.pageId),
        audited: step === 'code' ? 'already' : auditFields(id, question, at),
      };
      const identity = [step, at.pageId];
      return askConsent(run, config, { identity, label: question.message, detail, channel });
    };
    let consented = await consent('consent', spoken(question.message, at));
    const code = spokenCode(question.message, at);
    if (consented.answer.action === 'accept' && code !== undefined) consented = await consent('code', code);
    const { answer, fresh } = consented;
    if (answer.action === 'accept') return undefined;
    const isAnswered = await run.guarded(() => withdraw(at.pageId));
    // Who finished the page has answered, whatever became of the host's question. A no stands.
    if (answer.action === 'cancel' && (isAnswered || run.foresees(ending(at)))) return undefined;
    const refused = answer.action === 'decline' || answer.reason === 'dismissed';
    const { by } = answer;
    const suspect = refused && by.suspect && question.demanded !== undefined;
    return { answer: suspect ? { action: 'cancel', reason: 'suspect', by } : answer, fresh };
  };

  const waited = async <T>(
    id: string,
    question: PageQuestion,
    at: Announced,
  ): Promise<{ readonly fresh: boolean; readonly answer: Answer<T> }> => {
    let endsAt = at.dueAt;
    const detail: ApartAsk = {
      to: 'apart',
      channel: 'page',
      timeoutMs: question.timeoutMs,
      askedAt: at.at,
      dueAt: at.dueAt,
      // A link in a result has to be passed on by the model.
      isHeld: at.announce !== 'link',
      sign: () => 'Waiting until the page is finished.',
      async collect(ms, signal) {
        const { clock } = config;
        const until = clock.now() + ms;
        for (let by = endsAt; ; by += FINISHING_MS) {
          const left = Math.min(until, Math.max(by, clock.now() + 1)) - clock.now();
          const outcome = await pages?.service.outcome(at.pageId, left, signal);
          if (outcome) return asRecording(outcome, at);
          const now = clock.now();
          if (now < by) return undefined;
          if (by > endsAt) return unanswered('error', now - at.at);
          // What was sent in time may be done: a call that said it was not would be made again.
          if ((await pages?.service.endUnanswered(at.pageId)) ?? true) return unanswered('timeout', now - at.at);
        }
      },
      withdraw() {
        endsAt = Math.min(endsAt, config.clock.now());
        return withdraw(at.pageId);
      },
      ...(at.announce === 'url' && pages && { finished: () => pages.finished(at.elicitationId) }),
      words: () => pageWords(question.message, at),
      // A link in a result is sent with the result; every other announcement has been sent by now.
      audited: at.announce === 'link' ? auditFields(id, question, at) : 'already',
    };
    config.observe?.({ kind: 'page' });
    const request = { ...ending(at), label: question.message, detail };
    const { value, fresh } = await run.ask(request);
    return { fresh, answer: judgePage<T>(readRecording(value), at, question.demanded) };
  };

  const answer: UrlAsker = async (ask, onlyLink = false) => {
    const pageQuestion = { ...readAsk(ask, request.name, config), onlyLink };
    const identity = [ask.message, ask.page.kind, ask.page.data, ask.key];
    const question = AskHistory.question(ask.message, digest(['page', ask.page.kind, ask.page.data]));
    const draw = { kind: 'url', identity: ['plan', ...identity], label: ask.message } as const;
    if (!run.foresees(draw)) {
      const exhausted = history.exhausted(question, ask.message);
      if (exhausted) return run.fail(exhausted);
    }
    // The person's time starts with the page, so it is opened only when nothing else delays the question.
    const drawn = await run
      .find(draw, history.declined(question) ? { kind: 'standing-decline' } : () => planned(pageQuestion, identity))
      .catch(error => (isMidcallError(error, 'connect/limit') ? run.fail(error) : Promise.reject(error)));
    const pagePlan = drawn.value as unknown as Plan;
    const end = <T>(id: string, fresh: boolean, answer: Answer<T>): Answer<T> => {
      if (answer.action !== 'accept') history.record(question, answer);
      if (fresh) audit(answeredEvent(id, answer));
      return answer;
    };
    if (pagePlan.kind === 'unavailable' && ask.required) {
      const message =
        `This needs the person's answer on a page ('${shortLabel(ask.message)}'), and no page can be shown to them here. ` +
        'Use a client with URL mode elicitation.';
      return run.fail(missingCapability(client.asks, { elicitation: { url: {} } }, message));
    }
    if (pagePlan.kind !== 'announced') {
      const by: By = { channel: 'native', assurance: 'in-band', elapsedMs: 0 };
      if (pagePlan.kind === 'standing-decline') return end(drawn.id, drawn.fresh, { action: 'decline', by });
      return end(drawn.id, drawn.fresh, { action: 'cancel', reason: 'unavailable', by });
    }
    const { at } = pagePlan;
    if (at.announce === 'error' && pages && !run.foresees(ending(at))) {
      const ready = await run.guarded(async () => {
        const isReady = await hasAnswer(at, pages);
        // The call will be retried for this page: other finished pages are returned for that retry, unless a step acted on
        // them.
        const unused = isReady ? [] : taken.filter(each => each.steps === stepsDone(run));
        for (const each of unused) await keep(each.key, each.at);
        return isReady;
      });
      if (!ready) {
        if (opened.length > 0) audit({ kind: 'asked', ...auditFields(drawn.id, pageQuestion, at) });
        return run.fail(urlRequired(ask.message, at.url, at.elicitationId));
      }
    }
    // The browser has it already.
    if (drawn.fresh && at.announce === 'browser') audit({ kind: 'asked', ...auditFields(drawn.id, pageQuestion, at) });
    const refused = await announced(drawn.id, pageQuestion, at, ask.key);
    if (refused?.answer.action === 'cancel' && refused.answer.reason === 'suspect' && pages) {
      const left = { ...pageQuestion, onlyLink: true };
      if (ways(left, request, pages, config).length > 0) return answer(ask, true);
    }
    if (refused) return end(drawn.id, refused.fresh, refused.answer);
    const { fresh, answer: waitedFor } = await waited<never>(drawn.id, pageQuestion, at);
    return end(drawn.id, fresh, waitedFor) as never;
  };
  return answer;
}

/** What the journal knows the end of a page by. */
const ending = ({ pageId }: Announced) => ({ kind: 'url', identity: ['page', pageId] }) as const;

function readAsk(ask: UrlAsk<unknown>, name: string, config: Config): PageQuestion {
  checkUrlAsk(ask);
  checkPageChannels(ask, name, config);
  return {
    message: ask.message,
    page: ask.page,
    demanded: ask.assurance ?? ask.page.assurance,
    timeoutMs: ask.timeoutMs ?? config.askTimeoutMs,
    channels: ask.channels,
    asError: ask.asError ?? false,
  };
}

/** The record of a finished page. */
const asRecording = (outcome: PageOutcome, { at: askedAt }: Announced): Recording => {
  const { assurance, at, ...got } = outcome;
  return { kind: 'answered', channel: 'page', assurance, got, ms: Math.max(0, at - askedAt) };
};

/** The answer from the recorded end of a wait. */
function judgePage<T>(recording: Recording, { announce }: Announced, demanded: Assurance | undefined): Answer<T> {
  const elapsedMs = elapsed(recording);
  if (recording.kind === 'answered' && recording.channel === pageSwitch.name) {
    const by: By = { channel: 'page', assurance: recording.assurance, elapsedMs };
    const { action, content, reason } = recording.got as unknown as PageAnswer<T>;
    if (action === 'decline') return { action, by };
    if (action !== 'accept') return { action: 'cancel', reason: reason ?? 'error', by };
    if (demanded !== undefined && !assures(recording.assurance, demanded))
      return { action: 'cancel', reason: 'suspect', by };
    return { action, content: content as T, by };
  }
  const reason = recording.kind === 'unanswered' ? recording.why : 'error';
  // If the host asked for consent, it was given; a link in a text proves nothing.
  if (reason !== 'error' && asksConsent(announce)) {
    const by: By = { channel: channelOf(announce), assurance: 'in-band', elapsedMs };
    return { action: 'cancel', reason: 'unfinished', by };
  }
  return { action: 'cancel', reason, by: { channel: 'page', assurance: 'in-band', elapsedMs } };
}

/** A page's recorded outcome. */
interface PageAnswer<T> {
  readonly action?: unknown;
  readonly content?: T;
  readonly reason?: 'suspect' | 'error';
}
