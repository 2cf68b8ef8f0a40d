/**
 * The object a handler is given for one run of the engine. All of its operations go through the run, so that none starts while
 * the run is held. They are standalone functions: a handler may destructure its call.
 */
import { authorMistakes, isMidcallError } from '@midcall/core/errors';
import { jsonLoss, lossText } from '@midcall/core/json';
import { checkKind, name, oneOf } from '@midcall/core/options';
import { Operations } from '../engine/index.ts';
import { type Listener, tellProgress } from '../eras/index.ts';
import type { FileAccess } from '../files/index.ts';
import {
  type AskerOptions,
  asker,
  type CallRun,
  checkProgress,
  gatewayQuestion,
  hasCard,
  lazySampler,
} from '../questions/index.ts';
import { type AboutClient, type Config, type GatewayCall, type LogLevel, whenDetached } from '../request/index.ts';
import { Steps } from './take-step.ts';

export interface HandleOptions extends AskerOptions {
  /** Stays the same in every round of the call. */
  readonly flow: string;
  /** See {@link GatewayCall.outlivesRequest}. */
  readonly outlivesRequest: boolean;
  /** The roots and files of one run. */
  readonly files: () => FileAccess;
  readonly client: () => AboutClient | undefined;
  /** Sends messages to the client; undefined if the call has none. */
  readonly listener: Listener | undefined;
}

export function makeCall(run: CallRun, options: HandleOptions): GatewayCall {
  const { config, request, audit, misused, listener } = options;
  const ctx = listener?.ctx;
  const operations = new Operations();
  run.operations = operations;
  const asking = asker(run, options);
  const steps = new Steps(run, options);
  const files = once(options.files);
  const sampling = once(() => lazySampler(run, request, config));

  const report = (work: Promise<unknown>): void => {
    if (misused) work.catch(error => isMisuse(error) && misused(error));
  };
  const watch = <T>(label: string, work: Promise<T>): Promise<T> => {
    report(work);
    return operations.watch(label, work);
  };
  const watchAsk = <T>(label: string, work: Promise<T>, method: string): Promise<T> => {
    report(work);
    return operations.watchAsk(label, work, method);
  };

  return {
    elicit: (ask, withdrawn) => watchAsk('a question', asking.elicit(ask, withdrawn), 'elicit'),
    wizard: ask => watchAsk('a wizard', asking.wizard(ask), 'wizard'),
    elicitUrl: ask => watchAsk('a question on a page', asking.elicitUrl(ask), 'elicitUrl'),
    pass: (question, withdrawn) =>
      watchAsk(
        'a question of another server',
        gatewayQuestion(run, config, request, audit, question, withdrawn),
        'pass',
      ),
    roots: () => watch('roots', files().roots(run)),
    files: () => watch('files', files().files(run)),
    sample: asked => watch('sample', sampling().sample(asked)),
    sampleWithTools: asked => watch('sampleWithTools', sampling().sampleWithTools(asked)),
    step: (name, work, stepOptions) => watch(`step '${name}'`, steps.take(name, work, stepOptions)) as never,
    now: () =>
      watch(
        'call.now',
        steps.draw('now', () => config.clock.now()),
      ),
    random: () => watch('call.random', steps.draw('random', Math.random)),
    uuid: () =>
      watch(
        'call.uuid',
        steps.draw('uuid', () => crypto.randomUUID()),
      ),
    sleep: until => watch('call.sleep', steps.sleep(until)),
    defer: work => run.defer(work),
    log: (level, data, logger) => tellLog(listener, config, run, { level, data, logger }),
    progress(progress, of = {}) {
      checkProgress(progress, of);
      if (listener && run.say(['progress', progress, of])) tellProgress(listener, progress, of);
    },
    auth: ctx?.http?.authInfo,
    request: { headers: ctx?.http?.req?.headers, meta: ctx?.mcpReq._meta ?? {} },
    can: request.client.can,
    get client() {
      return options.client();
    },
    principal: request.principal,
    roundsLeft: options.roundsLeft,
    outlivesRequest: options.outlivesRequest,
    hasCard: config.cards && hasCard(request),
    onTask: told => ctx && whenDetached(ctx, told),
    get signal() {
      return run.signal;
    },
  };
}

/** @returns a function that makes a value on its first call, and returns it from then on */
function once<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}

/** Whether an error is the author's mistake. A wrong option is a TypeError; an error thrown by a step arrives as a copy, which is not one. */
const isMisuse = (error: unknown): boolean =>
  error instanceof TypeError || (isMidcallError(error) && authorMistakes.has(error.code));

const logLevel = oneOf('debug', 'info', 'notice', 'warning', 'error', 'critical', 'alert', 'emergency');

interface Logged {
  readonly level: LogLevel;
  readonly data: unknown;
  readonly logger: string | undefined;
}

/**
 * Sends a handler's log message to a client that asked for them (server/utilities/logging).
 * @throws TypeError for an unknown level, and for data that is not JSON
 */
function tellLog(listener: Listener | undefined, config: Config, run: CallRun, logged: Logged): void {
  checkKind('call.log', 'the level', logged.level, logLevel);
  if (logged.logger !== undefined) checkKind('call.log', 'the logger', logged.logger, name);
  const loss = jsonLoss(logged.data);
  if (loss) throw new TypeError(`call.log: the data has ${lossText(loss)}`);
  if (!listener) return;
  const { server, ctx } = listener;
  if (!server.server.getCapabilities().logging) {
    const remedy = 'Give the server capabilities: { logging: {} }.';
    config.warnOnce('log', `midcall: call.log reaches nobody, since the server declares no logging. ${remedy}`);
    return;
  }
  if (!run.say(['log', logged])) return;
  // No client is connected to a task; a disconnected client is noticed by the request's signal.
  void ctx.mcpReq.log?.(logged.level, logged.data, logged.logger)?.catch(() => {});
}
