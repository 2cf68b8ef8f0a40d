/**
 * Asks the questions of one run: checks each, uses the channel that the ladder selects, and tries the next one if an answer
 * does not count.
 */

import { MidcallError } from '@midcall/core/errors';
import { type Answer, form as compile, type FormInput, type FormValue, refuseSecretMessage } from '@midcall/core/form';
import { shortLabel } from '../engine/index.ts';
import {
  type CallRequest,
  type Config,
  detailsDigest,
  type ElicitAsk,
  missingCapability,
  type UrlAsk,
  type WizardAsk,
  type WizardContent,
  type WizardForms,
} from '../request/index.ts';
import type { Unstamped } from '../state/index.ts';
import type { ApprovalCall } from './approvers/approval-call.ts';
import type { FormAsk, FormQuestion, Put } from './channel.ts';
import { checkAsk, checkReach, withDetails } from './check-ask.ts';
import { checkChannels, checkFallback } from './check-channels.ts';
import { AskHistory } from './judge.ts';
import { isByHost, ladder, wouldCount } from './ladder.ts';
import { native, nativeRoute } from './native/native.ts';
import { answeredEvent, type CallRun } from './outgoing.ts';
import type { UrlAsker } from './page/asker.ts';
import type { PageCall } from './page/page-call.ts';
import { historyKeyOf, putForm } from './put-form.ts';
import { type Recording, unanswered } from './recording.ts';
import type { WizardCall } from './wizard.ts';

export interface AskerOptions {
  readonly config: Config;
  readonly request: Pick<CallRequest, 'client' | 'registered' | 'name' | 'principal'>;
  readonly audit: (event: Unstamped) => void;
  /**
   * Called with a mistake in the use of this library, whether or not the handler lets it end the call; absent if nobody
   * listens.
   */
  readonly misused: ((error: unknown) => void) | undefined;
  /** Serves our pages; undefined if there are none. */
  readonly pages: PageCall | undefined;
  /** Takes questions to the inbox; undefined if there is none. */
  readonly approvals: ApprovalCall | undefined;
  /** See `GatewayCall.roundsLeft`. */
  readonly roundsLeft: number;
}

/** A handler that asks more often than this is in a loop, which would never end if nobody can be asked. */
const MAX_ASKS = 1_000;
const tooMany = () =>
  new MidcallError(
    'ask/repeated',
    `This call asked ${MAX_ASKS} questions, so it was ended. Ask once for all that is needed.`,
  );

const withoutSession =
  'midcall: a client whose revision lets it be asked only within a session called without one, so its question went to nobody. ' +
  "Serve with mcpEndpoint or serveHttp of '@midcall/server', without sessions: false.";

/** The questions of one run. */
export interface Asker {
  /** @param withdrawn - fires when another server withdraws the question, if it is one of another server's */
  elicit<const I extends FormInput>(ask: ElicitAsk<I>, withdrawn?: AbortSignal): Promise<Answer<FormValue<I>>>;
  /** Several forms as one question. */
  wizard<const F extends WizardForms>(ask: WizardAsk<F>): Promise<Answer<WizardContent<F>>>;
  elicitUrl<T>(ask: UrlAsk<T>): Promise<Answer<T>>;
}

export function asker(run: CallRun, options: AskerOptions): Asker {
  const { config, request, audit, pages, approvals, roundsLeft } = options;
  const history = new AskHistory();
  let onPage: Promise<UrlAsker> | undefined;
  let count = 0;

  const call: WizardCall = {
    run,
    config,
    request,
    roundsLeft,
    history,
    isByHost,
    audit,
    pages,
    approvals,
    async askOnPage(ask, onlyLink) {
      // Most servers ask nothing on a page. No round may leave while this loads.
      const put = await run.guarded(() => {
        onPage ??= import('./page/asker.ts').then(({ urlAsker }) =>
          urlAsker(run, { config, request, audit, pages, history }),
        );
        return onPage;
      });
      return put(ask, onlyLink);
    },
    /** Puts a question on one channel after another until an answer counts. */
    async putQuestion<T>(question: FormQuestion<T>): Promise<Answer<T>> {
      if (++count > MAX_ASKS) return run.fail(tooMany());
      const after = (before: NonNullable<FormQuestion['before']>): FormQuestion<T> => ({ ...question, before });
      let channel = ladder(question, call);
      if (channel?.unseen) {
        const other = ladder(after({ channel: channel.name, saidYes: false }), call);
        if (other && (await channel.unseen(question, call)))
          return told(question, await other.put(after({ channel: channel.name, saidYes: false }), call));
      }
      let put = await (channel ? channel.put(question, call) : putToNobody(question));
      while (channel && put.answer.action === 'cancel' && put.answer.reason === 'suspect') {
        const next = after({ channel: channel.name, saidYes: put.saidYes });
        channel = ladder(next, call);
        if (channel) put = await channel.put(next, call);
      }
      return told(question, put);
    },
  };

  const check = (ask: FormAsk<unknown>): void => {
    checkReach(ask, request.principal !== undefined);
    checkChannels(ask, request, config);
  };

  /** The result if no channel can give an answer that counts: the fallback, or that nobody could be asked. */
  const putToNobody = <T>(question: FormQuestion<T>): Promise<Put<T>> => {
    const { fallback, required } = question.ask;
    if (request.client.asks === 'none') config.warnOnce('sessions', withoutSession);
    const instead = async (): Promise<Recording> => {
      if (fallback !== undefined) return { kind: 'fallback' };
      return required ? run.fail(unmet(question)) : unanswered('unavailable', 0);
    };
    return putForm(question, call, { ...nativeRoute(question, call), form: question.form, instead });
  };

  /** Remembers an answer and records it in the audit, unless the channel has done so. */
  const told = <T>({ ask, form }: FormQuestion<T>, { answer, untold }: Put<T>): Answer<T> => {
    if (!untold) return answer;
    if (!request.registered.gateway) history.record(historyKeyOf(ask, form), answer);
    if (untold.fresh) {
      const leftOut = untold.leftOut && { leftOut: untold.leftOut };
      audit({ ...answeredEvent(untold.id, answer), ...leftOut });
    }
    return answer;
  };

  /** The error for a handler that cannot go on unasked; a capability is demanded only if it would be enough. */
  const unmet = (question: FormQuestion): Error => {
    const { can, asks } = request.client;
    const needs = `This needs an answer from the person ('${shortLabel(question.ask.message)}')`;
    if (!can.form && wouldCount(native, question, call)) {
      return missingCapability(asks, { elicitation: { form: {} } }, `${needs}, and this client cannot show a form.`);
    }
    const { details } = question.ask;
    const shows =
      details === undefined ? '' : ' Its details are too long for a message: give midcall() pages to show them on.';
    return new MidcallError('ask/unavailable', `${needs}, and no enabled channel can give one that counts.${shows}`);
  };

  return {
    async elicit(ask, withdrawn) {
      checkAsk(ask);
      check(ask);
      const form = compile(ask.form);
      if (ask.fallback !== undefined) await checkFallback(ask, request, form);
      refuseSecretMessage(ask.message, form.fields);
      const { details, ...others } = ask;
      if (details === undefined) return call.putQuestion({ ask, form, withdrawn });
      const message = withDetails(ask.message, details);
      const answer = await call.putQuestion({
        ask: message === undefined ? ask : { ...others, message },
        form,
        withdrawn,
      });
      return answer.action === 'accept' ? { ...answer, by: { ...answer.by, seen: detailsDigest(details) } } : answer;
    },
    async wizard<F extends WizardForms>(ask: WizardAsk<F>) {
      // Most servers ask none. No round may leave while this loads.
      const { askWizard } = await run.guarded(() => import('./wizard.ts'));
      return askWizard(call, ask, check) as Promise<Answer<WizardContent<F>>>;
    },
    elicitUrl: ask => call.askOnPage(ask, false),
  };
}
