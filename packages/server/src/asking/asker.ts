/**
 * Puts the questions of one run: finds the road of each, asks again where an answer does not fit, and never goes in
 * circles (judge.ts has the rules). What most handlers never use is made when it is used, since many calls may wait
 * at once.
 */

import { MidcallError } from '@midcall/core/errors';
import {
  type Answer,
  type Assurance,
  assures,
  type Channel,
  form as compile,
  type Form,
  type FormInput,
  type FormValue,
  firstSpelling,
  isForm,
  type Judging,
  refuseSecretMessage,
} from '@midcall/core/form';
import { defined } from '@midcall/core/json';
import type { Unstamped } from '../audit.ts';
import type { ElicitAsk } from '../call.ts';
import type { Config } from '../config.ts';
import type { Json } from '../digest.ts';
import { shortLabel } from '../engine/journal.ts';
import type { Run } from '../engine/run.ts';
import type { AskRequest } from '../engine/seam.ts';
import { formParams, missingCapability } from '../era.ts';
import type { CallRequest } from '../request.ts';
import type { UrlAnswer, UrlAsk } from '../url/ask.ts';
import { type UrlAsker, urlAsker } from '../url/asker.ts';
import { type PageCall, roads } from '../url/plan.ts';
import type { WireAsk } from '../wire-ask.ts';
import { checkAsk } from './check-ask.ts';
import { checkFallback, checkRoads } from './check-roads.ts';
import { formDigest } from './form-digest.ts';
import { AskHistory, askAgain, judge, readRecorded, standingDecline } from './judge.ts';
import { recordedCheck } from './recorded-check.ts';

export interface AskerOptions {
  readonly config: Config;
  readonly request: Pick<CallRequest, 'client' | 'registered' | 'name' | 'principal'>;
  readonly audit: (event: Unstamped) => void;
  /** Told of a mistake in the use of this library, whether or not the handler lets it end the call; where somebody listens. */
  readonly misused: ((error: unknown) => void) | undefined;
  /** Where pages of ours can be asked on; undefined where there are none. */
  readonly pages: () => PageCall | undefined;
}

/** A handler that asks more often than this goes in circles, and where nobody can be asked it would never let go. */
const MAX_ASKS = 1_000;
const tooMany = () =>
  new MidcallError(
    'ask/repeated',
    `This call has put ${MAX_ASKS} questions and is ended. Ask once for what is needed.`,
  );

/** Bad answers are asked again so often. */
const ASK_AGAIN = 2;

export class Asker {
  readonly #run: Run<unknown>;
  readonly #options: AskerOptions;
  #history: AskHistory | undefined;
  #urlAsker: UrlAsker | undefined;
  #pages: PageCall | undefined;
  #asked = 0;

  constructor(run: Run<unknown>, options: AskerOptions) {
    this.#run = run;
    this.#options = options;
  }

  /** @param withdrawn - fires when the question is taken back, where it is another server's */
  async elicit<const I extends FormInput>(given: ElicitAsk<I>, withdrawn?: AbortSignal): Promise<Answer<FormValue<I>>> {
    const run = this.#run;
    const { config, request } = this.#options;
    const { client } = request;
    const ask = given as unknown as ElicitAsk<FormInput>;
    if (++this.#asked > MAX_ASKS) return run.fail(tooMany());
    checkAsk(ask, request.principal !== undefined);
    checkRoads(ask, request, config);
    const compiled = (isForm(ask.form) ? ask.form : compile(ask.form)) as unknown as Form<FormValue<I>>;
    if (ask.fallback !== undefined) await checkFallback(ask, request, compiled);
    refuseSecretMessage(ask.message, compiled.fields);
    const channel = this.#roadFor(ask);
    if (channel === 'page') return this.#onPage(ask, compiled);
    this.#history ??= new AskHistory();
    const question = AskHistory.question(ask.message, formDigest(compiled.schema));

    const asked = channel === 'native' && client.firstForms ? firstSpelling(compiled) : compiled;
    let message = ask.message;
    for (let attempt = 0; ; attempt++) {
      const open: AskRequest = {
        kind: 'elicit',
        identity: [message, formDigest(compiled.schema), ask.key],
        label: message,
        detail: {
          method: 'elicitation/create',
          params: formParams(client.asks, message, asked.schema),
          key: ask.key,
          timeoutMs: ask.timeoutMs ?? config.askTimeoutMs,
          withdrawn,
          channel: channel ?? 'native',
          fields: compiled.fields,
        } satisfies WireAsk,
      };
      let instead: Json | undefined;
      if (!run.foresees(open)) {
        const exhausted = this.#history.exhausted(question, ask.message);
        if (exhausted) return run.fail(exhausted);
        if (!channel && ask.required && ask.fallback === undefined) return run.fail(this.#required(ask));
        instead = this.#history.declined(question) ? standingDecline : channel ? undefined : cannotAsk(ask);
      }
      const { id, value, fresh } = await run.ask(open, instead);
      const judged = await judge(readRecorded(value), asked, {
        demanded: ask.assurance,
        suspectBelowMs: config.suspectBelowMs,
        fallback: ask.fallback,
        judging: recordedCheck(run, ask.message, id),
      });
      if ('again' in judged && attempt < ASK_AGAIN) {
        message = askAgain(ask.message, judged.again);
        continue;
      }
      const suspect = 'answer' in judged && judged.answer.action === 'cancel' && judged.answer.reason === 'suspect';
      const refused = suspect && !isYes(value);
      if (suspect && this.#pageCounts(ask, refused)) return this.#onPage(ask, compiled, refused);
      const answer: Answer<FormValue<I>> =
        'answer' in judged ? judged.answer : { action: 'cancel', reason: 'invalid', by: judged.by };
      if (!request.registered.gateway) this.#history.record(question, answer);
      if (fresh) this.#report(id, answer);
      return answer;
    }
  }

  elicitUrl<T>(ask: UrlAsk<T>, onlyLink = false): Promise<UrlAnswer<T>> {
    this.#history ??= new AskHistory();
    this.#urlAsker ??= urlAsker(this.#run, { ...this.#options, pages: this.#pageCall(), history: this.#history });
    return this.#urlAsker(ask, onlyLink);
  }

  /** The same question on a page of ours, where the host and the model cannot answer it. */
  async #onPage<T>(ask: ElicitAsk<FormInput>, compiled: Form<T>, onlyLink = false): Promise<Answer<T>> {
    const { message, key, timeoutMs, assurance, channels } = ask;
    const answer = await this.elicitUrl<Json>(
      {
        message,
        page: { kind: 'question', data: { schema: compiled.schema as unknown as Json } },
        ...defined({ key, timeoutMs, assurance, channels }),
      },
      onlyLink,
    );
    return checkedPage(
      answer,
      compiled,
      recordedCheck(this.#run, message, ['page', message, formDigest(compiled.schema), key]),
    );
  }

  /**
   * The road a form takes: the first switched-on channel that reaches the client and can give the demanded assurance;
   * asking where the answer could not count would only waste the person's time. The relay needs the ask's own word where
   * the tool may be destructive.
   */
  #roadFor(ask: ElicitAsk<FormInput>): 'native' | 'page' | 'relay' | undefined {
    const { request, config } = this.#options;
    const { client, registered } = request;
    if (client.can.form && client.asks !== 'none' && nativeCounts(ask, config)) return 'native';
    if (this.#pageCounts(ask)) return 'page';
    const allowed = registered.mayFallBack || (ask.channels?.includes('relay') ?? false);
    if (isOn('relay', ask, config) && registered.method === 'tools/call' && allowed && enough('relayed', ask))
      return 'relay';
    return undefined;
  }

  /** True where a page of ours reaches the person and gives what the ask demands. */
  #pageCounts(ask: ElicitAsk<FormInput>, onlyLink = false): boolean {
    const { request, config } = this.#options;
    if (!(ask.channels ?? config.channels).includes('page')) return false;
    const pages = this.#pageCall();
    if (!pages) return false;
    const { message, assurance: demanded, channels, timeoutMs = config.askTimeoutMs } = ask;
    const page = { kind: 'question', data: null };
    return (
      roads({ message, page, demanded, channels, timeoutMs, asError: false, onlyLink }, request, pages, config).length >
      0
    );
  }

  #pageCall(): PageCall | undefined {
    this.#pages ??= this.#options.pages();
    return this.#pages;
  }

  /** The error for a handler that cannot go on unasked; a capability is only asked for where it would be enough. */
  #required(ask: ElicitAsk<FormInput>): Error {
    const { request, config } = this.#options;
    const { can, asks } = request.client;
    const needs = `This needs an answer from the person ('${shortLabel(ask.message)}')`;
    if (!can.form && nativeCounts(ask, config)) {
      return missingCapability(asks, { elicitation: { form: {} } }, `${needs}, and this client cannot show a form.`);
    }
    return new MidcallError(
      'ask/unavailable',
      `${needs}, and no channel that is switched on can give one that counts.`,
    );
  }

  #report(id: string, answer: Answer<unknown>): void {
    const reason = answer.action === 'cancel' ? { reason: answer.reason } : {};
    this.#options.audit({ kind: 'answered', ask: id, action: answer.action, ...reason, by: answer.by });
  }
}

/** What stands in for an answer where no switched-on channel can give one that counts. */
const cannotAsk = ({ fallback }: ElicitAsk<FormInput>): Json =>
  fallback === undefined ? { none: 'unavailable', ms: 0 } : { fallback: true, ms: 0 };
const isYes = (recorded: Json): boolean =>
  (readRecorded(recorded) as { got?: { action?: unknown } | null }).got?.action === 'accept';

const isOn = (channel: Channel, ask: ElicitAsk<FormInput>, config: Config): boolean =>
  config.channels.includes(channel) && (ask.channels?.includes(channel) ?? true);
const enough = (level: Assurance, ask: ElicitAsk<FormInput>): boolean =>
  ask.assurance === undefined || assures(level, ask.assurance);
const nativeCounts = (ask: ElicitAsk<FormInput>, config: Config): boolean =>
  isOn('native', ask, config) && enough('in-band', ask);

/** What came from the page, judged by the form like any other answer. */
async function checkedPage<T>(answer: UrlAnswer<Json>, compiled: Form<T>, judging: Judging): Promise<Answer<T>> {
  if (answer.action !== 'accept') return answer;
  if (!answer.completed) return { action: 'cancel', reason: 'timeout', by: answer.by };
  const checked = await compiled.check(answer.content, judging);
  if (checked.ok) return { action: 'accept', content: checked.value, by: answer.by };
  return { action: 'cancel', reason: 'invalid', by: answer.by };
}
