/** Builds what a handler holds over one run of the engine. Every operation of it goes through the run, so that none starts
 * while the run is held. */
import { MidcallError } from '../errors.ts';
import {
  type Answer,
  type Assurance,
  assures,
  type Channel,
  form as compile,
  type Form,
  type FormInput,
  type FormValue,
  isForm,
  refuseSecretMessage,
} from '../form/index.ts';
import { checkMessage } from './ask-message.ts';
import type { Unstamped } from './audit.ts';
import type { Call, ElicitAsk, Jsonified, StepContext, StepOptions } from './call.ts';
import type { Config } from './config.ts';
import { digest, type Json } from './digest.ts';
import { AskHistory, askAgain, judge, readRecorded, standingDecline } from './elicit.ts';
import type { Run } from './engine.ts';
import { formParams, missingCapability, type WireAsk } from './era.ts';
import type { FileAccess } from './file-access.ts';
import { shortLabel } from './journal.ts';
import { observed } from './observe.ts';
import type { CallRequest } from './request.ts';
import { type Sampler, sampler } from './sampler.ts';
import type { AskRequest } from './seam.ts';
import type { UrlAnswer } from './url-ask.ts';
import { type UrlAsker, urlAsker } from './url-elicit.ts';
import { type PageCall, roads } from './url-plan.ts';

export interface HandleOptions {
  readonly config: Config;
  readonly request: Pick<CallRequest, 'client' | 'registered' | 'name' | 'principal'>;
  /** The same in every round of the call. */
  readonly flow: string;
  readonly audit: (event: Unstamped) => void;
  readonly files: FileAccess;
  /** Where pages of ours can be asked on. */
  readonly pages?: PageCall | undefined;
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
/** What a timer of Node can hold. */
const MAX_TIMEOUT_MS = 0x7fff_ffff;

export function makeCall(run: Run<unknown>, options: HandleOptions): Call {
  const { config, request, audit, files } = options;
  const { client } = request;
  const history = new AskHistory();
  // Made when they are first used: most handlers never do.
  let pagesAsker: UrlAsker | undefined;
  const elicitUrl: UrlAsker = ask => {
    pagesAsker ??= urlAsker(run, { config, request, pages: options.pages, history, audit });
    return pagesAsker(ask);
  };
  let ownSampler: Sampler | undefined;
  const sampling = (): Sampler => {
    ownSampler ??= sampler(run, request, config);
    return ownSampler;
  };

  const report = (id: string, answer: Answer<unknown>): void =>
    audit({
      kind: 'answered',
      ask: id,
      action: answer.action,
      ...(answer.action === 'cancel' ? { reason: answer.reason } : {}),
      by: answer.by,
    });

  /** What stands in for an answer where no switched-on channel can give one that counts. */
  const cannotAsk = (ask: ElicitAsk<FormInput>): Json => {
    if (ask.fallback === undefined || !enough('relayed', ask)) return { none: 'unavailable', ms: 0 };
    if (request.registered.mayFallBack) return { fallback: true, ms: 0 };
    throw new MidcallError(
      'server/setup',
      `'${request.name}' gives a fallback for a question, but may be destructive: declare readOnlyHint: true or ` +
        'destructiveHint: false, or leave the fallback out.',
    );
  };

  /** The error for a handler that cannot go on unasked; a capability is only asked for where it would be enough. */
  const required = (ask: ElicitAsk<FormInput>): Error => {
    const needs = `This needs an answer from the person ('${shortLabel(ask.message)}')`;
    if (!client.can.form && nativeCounts(ask, config)) {
      return missingCapability(
        client.asks,
        { elicitation: { form: {} } },
        `${needs}, and this client cannot show a form.`,
      );
    }
    return new MidcallError(
      'ask/unavailable',
      `${needs}, and no channel that is switched on can give one that counts.`,
    );
  };

  let asked = 0;
  async function elicit<const I extends FormInput>(given: ElicitAsk<I>): Promise<Answer<FormValue<I>>> {
    const ask = given as unknown as ElicitAsk<FormInput>;
    if (++asked > MAX_ASKS) return run.fail(tooMany());
    checkAsk(ask, request.principal !== undefined);
    const compiled = (isForm(ask.form) ? ask.form : compile(ask.form)) as unknown as Form<FormValue<I>>;
    refuseSecretMessage(ask.message, compiled.fields);
    const channel = roadFor(ask, options);
    if (channel === 'page') return onPage(ask, compiled);
    const question = AskHistory.question(ask.message, compiled.digest);

    let message = ask.message;
    for (let attempt = 0; ; attempt++) {
      const open: AskRequest = {
        kind: 'elicit',
        identity: [message, compiled.digest, ask.key],
        label: message,
        detail: {
          method: 'elicitation/create',
          params: formParams(client.asks, message, compiled.schema),
          key: ask.key,
          timeoutMs: ask.timeoutMs ?? config.askTimeoutMs,
          channel: channel ?? 'native',
          fields: compiled.fields,
        } satisfies WireAsk,
      };
      let instead: Json | undefined;
      if (!run.foresees(open)) {
        const exhausted = history.exhausted(question, ask.message);
        if (exhausted) return run.fail(exhausted);
        if (!channel && ask.required && ask.fallback === undefined) return run.fail(required(ask));
        instead = history.declined(question) ? standingDecline : channel ? undefined : cannotAsk(ask);
      }
      const { id, value, fresh } = await run.ask(open, instead);
      const judged = await judge(readRecorded(value), compiled, {
        demanded: ask.assurance,
        suspectBelowMs: config.suspectBelowMs,
        fallback: ask.fallback,
      });
      if ('again' in judged && attempt < ASK_AGAIN) {
        message = askAgain(ask.message, judged.again);
        continue;
      }
      const suspect = 'answer' in judged && judged.answer.action === 'cancel' && judged.answer.reason === 'suspect';
      if (suspect && pageCounts(ask, options)) return onPage(ask, compiled);
      const answer: Answer<FormValue<I>> =
        'answer' in judged ? judged.answer : { action: 'cancel', reason: 'invalid', by: judged.by };
      history.record(question, answer);
      if (fresh) report(id, answer);
      return answer;
    }
  }

  /** The same question on a page of ours, where the host and the model cannot answer it. */
  async function onPage<T>(ask: ElicitAsk<FormInput>, compiled: Form<T>): Promise<Answer<T>> {
    const { message, key, timeoutMs, assurance, channels } = ask;
    const answer = await elicitUrl<Json>({
      message,
      page: { kind: 'question', data: { schema: compiled.schema as unknown as Json } },
      ...given({ key, timeoutMs, assurance, channels }),
    });
    return checkedPage(answer, compiled);
  }

  async function step<T>(
    name: string,
    fn: (context: StepContext) => Promise<T> | T,
    stepOptions: StepOptions<T> = {},
  ): Promise<Jsonified<T>> {
    const { check, idempotent = false, effect = false } = stepOptions;
    const value = await run.step(name, id => {
      const context: StepContext = {
        key: digest([options.flow, id]),
        get signal() {
          return run.signal;
        },
      };
      return {
        run: () => (effect ? observed(config.observe, run, { by: 'step', name }, () => fn(context)) : fn(context)),
        idempotent,
        ...(check ? { check: () => check(context) } : {}),
      };
    });
    return value as Jsonified<T>;
  }

  return {
    elicit,
    elicitUrl,
    step,
    roots: () => files.roots(run),
    files: () => files.files(run),
    sample: request => sampling().sample(request),
    sampleWithTools: request => sampling().sampleWithTools(request),
    defer: fn => run.defer(fn),
    can: client.can,
    get signal() {
      return run.signal;
    },
    principal: request.principal,
  };
}

/**
 * The road a form takes: the first switched-on channel that reaches the client and can give the demanded assurance; asking
 * where the answer could not count would only waste the person's time. The relay needs the ask's own word where the tool
 * may be destructive.
 */
function roadFor(ask: ElicitAsk<FormInput>, options: HandleOptions): 'native' | 'page' | 'relay' | undefined {
  const { request, config } = options;
  const { client, registered } = request;
  if (client.can.form && client.asks !== 'none' && nativeCounts(ask, config)) return 'native';
  if (pageCounts(ask, options)) return 'page';
  const allowed = registered.mayFallBack || (ask.channels?.includes('relay') ?? false);
  if (isOn('relay', ask, config) && registered.method === 'tools/call' && allowed && enough('relayed', ask))
    return 'relay';
  return undefined;
}

const isOn = (channel: Channel, ask: ElicitAsk<FormInput>, config: Config): boolean =>
  config.channels.includes(channel) && (ask.channels?.includes(channel) ?? true);
const enough = (level: Assurance, ask: ElicitAsk<FormInput>): boolean =>
  ask.assurance === undefined || assures(level, ask.assurance);
const nativeCounts = (ask: ElicitAsk<FormInput>, config: Config): boolean =>
  isOn('native', ask, config) && enough('in-band', ask);

/** True where a page of ours reaches the person and gives what the ask demands. */
function pageCounts(ask: ElicitAsk<FormInput>, { pages, request, config }: HandleOptions): boolean {
  if (!pages || !(ask.channels ?? config.channels).includes('page')) return false;
  const { message, assurance: demanded, channels, timeoutMs = config.askTimeoutMs } = ask;
  const page = { kind: 'question', data: null };
  return roads({ message, page, demanded, channels, timeoutMs, asError: false }, request, pages, config).length > 0;
}

/** What came from the page, judged by the form like any other answer. */
async function checkedPage<T>(answer: UrlAnswer<Json>, compiled: Form<T>): Promise<Answer<T>> {
  if (answer.action !== 'accept') return answer;
  if (!answer.completed) return { action: 'cancel', reason: 'timeout', by: answer.by };
  const checked = await compiled.check(answer.content);
  if (checked.ok) return { action: 'accept', content: checked.value, by: answer.by };
  return { action: 'cancel', reason: 'invalid', by: answer.by };
}

/** The members that have a value. */
function given<T extends object>(members: T): { [K in keyof T]?: Exclude<T[K], undefined> } {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined)) as never;
}

/** @throws MidcallError what the author must mend */
function checkAsk(ask: ElicitAsk<FormInput>, known: boolean): void {
  checkMessage(ask.message);
  if (ask.key !== undefined && !/^[A-Za-z0-9][\w.-]{0,63}$/.test(ask.key)) {
    throw new MidcallError(
      'form/unsupported',
      'The key of a question is 1 to 64 letters, digits, dots, dashes and underscores, beginning with a letter or digit.',
    );
  }
  if (ask.timeoutMs !== undefined && !(ask.timeoutMs > 0 && ask.timeoutMs <= MAX_TIMEOUT_MS)) {
    throw new MidcallError('form/unsupported', 'timeoutMs is a number of milliseconds above 0, and at most 24 days.');
  }
  if (ask.assurance === 'verified' && !known) {
    throw new MidcallError(
      'server/setup',
      "A question demands a verified answer, but nobody knows whose call this is: give midcall() the 'principal' option.",
    );
  }
}
