/** Builds what a handler holds over one run of the engine. Every operation of it goes through the run, so that none starts
 * while the run is held. */
import { MidcallError } from '../errors.ts';
import {
  type Answer,
  type Assurance,
  assures,
  form as compile,
  type Form,
  type FormInput,
  type FormValue,
  isForm,
  refuseSecretMessage,
} from '../form/index.ts';
import type { Unstamped } from './audit.ts';
import type { Call, ElicitAsk, Jsonified, StepContext, StepOptions } from './call.ts';
import type { Config } from './config.ts';
import { digest } from './digest.ts';
import { AskHistory, askAgain, judge, readRecorded } from './elicit.ts';
import type { Run } from './engine.ts';
import { formParams, missingCapability, type WireAsk } from './era.ts';
import type { FileAccess } from './file-access.ts';
import type { CallRequest } from './request.ts';
import { sampler } from './sampler.ts';

export interface HandleOptions {
  readonly config: Config;
  readonly request: CallRequest;
  /** The same in every round of the call. */
  readonly flow: string;
  readonly audit: (event: Unstamped) => void;
  readonly files: FileAccess;
}

/** Bad answers are asked again so often. */
const ASK_AGAIN = 2;
const MAX_MESSAGE = 2000;

export function makeCall(run: Run<unknown>, options: HandleOptions): Call {
  const { config, request, audit, files } = options;
  const { client } = request;
  const history = new AskHistory();

  const cannotAsk = async <T>(ask: ElicitAsk<FormInput>, compiled: Form<T>): Promise<Answer<T>> => {
    if (ask.fallback !== undefined) {
      if (!request.registered.mayFallBack) {
        throw new MidcallError(
          'server/setup',
          `'${request.name}' gives a fallback for a question, but may be destructive: declare readOnlyHint: true or ` +
            'destructiveHint: false, or leave the fallback out.',
        );
      }
      const by = { channel: 'fallback', assurance: 'relayed', elapsedMs: 0 } as const;
      return { action: 'accept', content: ask.fallback as T, by };
    }
    if (ask.required) {
      const message = `This needs an answer from the person ('${ask.message.slice(0, 80)}'), and this client cannot show a form.`;
      return run.fail(missingCapability(client.asks, { elicitation: { form: {} } }, message));
    }
    const note = {
      kind: 'elicit',
      identity: ['unavailable', ask.message],
      label: ask.message,
      detail: undefined,
    } as const;
    const { value, fresh } = await run.note(note, { none: 'unavailable', ms: 0 });
    const judged = await judge(readRecorded(value), compiled, { demanded: undefined, suspectBelowMs: 0 });
    const answer = 'answer' in judged ? judged.answer : unreachable();
    if (fresh) report(ask.message, answer);
    return answer;
  };

  const report = (message: string, answer: Answer<unknown>): void =>
    audit({
      kind: 'answered',
      ask: digest(message).slice(0, 22),
      action: answer.action,
      ...(answer.action === 'cancel' ? { reason: answer.reason } : {}),
      by: answer.by,
    });

  async function elicit<const I extends FormInput>(ask: ElicitAsk<I>): Promise<Answer<FormValue<I>>> {
    if (ask.message.length > MAX_MESSAGE) {
      throw new MidcallError(
        'form/unsupported',
        `A message has at most ${MAX_MESSAGE} characters; this one has ${ask.message.length}.`,
      );
    }
    const compiled = (isForm(ask.form) ? ask.form : compile(ask.form as I)) as Form<FormValue<I>>;
    refuseSecretMessage(ask.message, compiled.fields);
    const channel = roadFor(ask as ElicitAsk<never>, request, config);
    if (!channel) return cannotAsk(ask as unknown as ElicitAsk<FormInput>, compiled);

    const question = AskHistory.question(ask.message, compiled.schema);
    const standing = history.standing(question);
    if (standing) return standing;
    const exhausted = history.exhausted(question, ask.message);
    if (exhausted) return run.fail(exhausted);

    let message = ask.message;
    for (let attempt = 0; ; attempt++) {
      const detail: WireAsk = {
        method: 'elicitation/create',
        params: formParams(client.asks, message, compiled.schema),
        key: ask.key,
        timeoutMs: ask.timeoutMs ?? config.askTimeoutMs,
        channel,
        fields: compiled.fields,
      };
      const identity = [message, compiled.schema, ask.key];
      const { value, fresh } = await run.ask({ kind: 'elicit', identity, label: message, detail });
      const judged = await judge(readRecorded(value), compiled, {
        demanded: ask.assurance,
        suspectBelowMs: config.suspectBelowMs,
      });
      if ('again' in judged && attempt < ASK_AGAIN) {
        message = askAgain(ask.message, judged.again);
        continue;
      }
      const answer: Answer<FormValue<I>> =
        'answer' in judged ? judged.answer : { action: 'cancel', reason: 'invalid', by: judged.by };
      history.record(question, answer);
      if (fresh) report(ask.message, answer);
      return answer;
    }
  }

  async function step<T>(
    name: string,
    fn: (context: StepContext) => Promise<T> | T,
    stepOptions: StepOptions<T> = {},
  ): Promise<Jsonified<T>> {
    const { check, idempotent = false } = stepOptions;
    const value = await run.step(name, id => {
      const context: StepContext = { key: digest([options.flow, id]), signal: run.signal };
      return {
        run: () => fn(context),
        idempotent,
        ...(check ? { check: () => check(context) } : {}),
      };
    });
    return value as Jsonified<T>;
  }

  return {
    elicit,
    step,
    roots: () => files.roots(run),
    files: () => files.files(run),
    ...sampler(run, request, config),
    defer: fn => run.defer(fn),
    can: client.can,
    signal: run.signal,
    principal: request.principal,
  };
}

/**
 * The road a form takes: the first switched-on channel that reaches the client and can give the demanded assurance; asking
 * where the answer could not count would only waste the person's time. The relay needs the ask's own word where the tool
 * may be destructive.
 */
function roadFor(ask: ElicitAsk<never>, request: CallRequest, config: Config): 'native' | 'relay' | undefined {
  const { client, registered } = request;
  const on = config.channels.filter(channel => ask.channels?.includes(channel) ?? true);
  const enough = (level: Assurance) => ask.assurance === undefined || assures(level, ask.assurance);
  if (on.includes('native') && client.can.form && client.asks !== 'none' && enough('in-band')) return 'native';
  const allowed = registered.mayFallBack || (ask.channels?.includes('relay') ?? false);
  if (on.includes('relay') && registered.method === 'tools/call' && allowed && enough('relayed')) return 'relay';
  return undefined;
}

function unreachable(): never {
  throw new Error('An unavailable question has no content to check.');
}
