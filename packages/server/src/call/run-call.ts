/**
 * Runs one call from its present state: chooses the driver, gives the handler its call, and turns the outcome into a result.
 */

import { MidcallError } from '@midcall/core/errors';
import { digest, type Json } from '../base/index.ts';
import type { EngineOptions, StepLedger } from '../engine/index.ts';
import {
  askedEvent,
  type Ends,
  interrupted,
  leaveToModel,
  type OpenedCall,
  type PushEnd,
  park,
  parkForRounds,
  runByPush,
  runByRounds,
} from '../eras/index.ts';
import type { FileAccess, FileAccesses } from '../files/index.ts';
import type { CallRun, ModelAsk, OpenQuestion, PageCall } from '../questions/index.ts';
import {
  type AboutClient,
  aboutClient,
  auditor,
  type Call,
  type CallRequest,
  type Config,
  callRef,
  detachedOf,
  HandedOver,
  inRounds,
  isOverHttp,
  isWireError,
  outlivesRequest,
  tellCompleted,
  tellCompletedLater,
} from '../request/index.ts';
import { asThrown, checkSendable, type Departure } from '../sdk-seam/index.ts';
import { AuditedLedger, type CallRef, flowSteps, shrinkJournal, stepLedger, type Unstamped } from '../state/index.ts';
import type { CallEnd } from './call-end.ts';
import type { Ending, Final } from './ending.ts';
import { type HandleOptions, makeCall } from './handle.ts';
import { type RoundTrace, traceRound } from './trace.ts';

export type Handler<R> = (call: Call) => R | Promise<R>;

/** What the client may get in place of the handler's own result: a round of questions, or a text. */
export type CallEnding<R> = Ending<R>;

type Settled = ((outcome: Final) => Promise<boolean>) | undefined;

interface Running<R> {
  readonly request: CallRequest;
  readonly rawArguments: unknown;
  readonly handler: Handler<R>;
}

/**
 * Runs a call from its present state to its end. Throws, and rejects, only if nothing about it is known yet. Not an asynchronous
 * function, whose frame would be held for as long as a person thinks.
 */
export function runCall<R>(
  opened: OpenedCall,
  running: Running<R>,
  end: CallEnd,
  access: FileAccesses,
  config: Config,
): Promise<CallEnding<R>> {
  const { request } = running;
  const call = callRef(request, opened.flow);
  end.known(call);
  const traced = traceRound(request, opened.flow, opened.round, config.clock);
  end.trace = traced;
  const record = auditor(request, opened.flow, config);
  const audit = traced ? tracedToo(record, traced) : record;
  const { attempt, keptMs = 1 } = opened;
  const { stepStore: kept = config.contents } = opened;
  const stored = attempt && stepLedger(kept, opened.flow, keptMs);
  const { apart } = opened;
  const shrink = async (): Promise<void> => {
    // It only takes room, for as long as it lives.
    if (apart) await shrinkJournal(apart, config).catch(() => {});
  };
  const settled =
    attempt &&
    (async (outcome: Final) => {
      const settle = async (response: unknown) => {
        const answered = await attempt.answer(response);
        if (answered) await stored?.forget();
        if (answered) await shrink();
        return answered;
      };
      const detached = detachedOf(request.ctx);
      if (!detached) return settle(storable(outcome));
      // The task stores the outcome first: if the process dies in between, the steps of this run are still known.
      if (!(await attempt.holds())) return false;
      // Whoever runs it again then finds it finished, and does not need the result.
      detached.settle = async () => {
        if (!detached.isStanding) return settle({ result: {} });
        await stored?.forget();
        await attempt.forget();
        await shrink();
      };
      return true;
    });
  const engine = new RunOptions(new AuditedLedger(stored, attempt, audit), call, config);
  const ends = new CallEnds(opened, running, end, settled, config);
  const driving = { access, config, engine, audit };
  if (!attempt || attempt.first) return drive(opened, running, ends, driving);
  return refuseInDoubt(opened, audit, config).then(
    () => drive(opened, running, ends, driving),
    (error: unknown) => ends.failed(error),
  );
}

/** What the end of a run means for the request. */
class CallEnds<R> implements Ends<R, CallEnding<R>> {
  readonly end: CallEnd;
  readonly #opened: OpenedCall;
  readonly #running: Running<R>;
  readonly #settled: Settled;
  readonly #config: Config;

  constructor(opened: OpenedCall, running: Running<R>, end: CallEnd, settled: Settled, config: Config) {
    this.end = end;
    this.#opened = opened;
    this.#running = running;
    this.#settled = settled;
    this.#config = config;
  }

  came(outcome: Came<R>): CallEnding<R> | Promise<CallEnding<R>> {
    const settled = this.#settled;
    try {
      const ending = endingOf(outcome, this.#opened, this.#running, this.end, this.#config);
      if (!(ending instanceof Promise)) return { settled, ...ending };
      return ending.then(
        each => ({ settled, ...each }),
        (error: unknown) => this.failed(error),
      );
    } catch (error) {
      return this.failed(error);
    }
  }

  failed(error: unknown): CallEnding<R> {
    this.end.failed(error);
    return { kind: 'failed', error, settled: this.#settled };
  }
}

interface Driving {
  readonly access: FileAccesses;
  readonly config: Config;
  readonly engine: EngineOptions;
  readonly audit: (event: Unstamped) => void;
}

type Came<R> = Awaited<ReturnType<typeof runByRounds<R>>> | PushEnd<R>;

function drive<R>(
  opened: OpenedCall,
  { request, handler }: Running<R>,
  ends: CallEnds<R>,
  { access, config, engine, audit }: Driving,
): Promise<CallEnding<R>> {
  const rounds = inRounds(request);
  const surroundings = new Surroundings(opened, request, ends.end, { access, config, audit });
  const handle = (run: CallRun<R>) => handler(makeCall(run as CallRun, surroundings));
  const body = config.observe ? (run: CallRun<R>) => watched(() => handle(run), config) : handle;
  if (!rounds) return runByPush(body, opened, request, config, engine, audit, ends);
  return runByRounds(body, opened, request, config, engine, audit).then(
    outcome => ends.came(outcome),
    (error: unknown) => ends.failed(error),
  );
}

/** Both record an event. */
const tracedToo =
  (record: (event: Unstamped) => void, trace: RoundTrace) =>
  (event: Unstamped): void => {
    record(event);
    trace.saw(event);
  };

/** How the engine runs a call. Not a set of closures, like the next: many calls may be waiting at once. */
class RunOptions implements EngineOptions {
  readonly ledger: StepLedger;
  readonly #call: CallRef;
  readonly #config: Config;

  constructor(ledger: StepLedger, call: CallRef, config: Config) {
    this.ledger = ledger;
    this.#call = call;
    this.#config = config;
  }

  get clock(): Config['clock'] {
    return this.#config.clock;
  }

  onDeferError(error: unknown): void {
    this.#config.warn(deferFailed(this.#call.name, error));
    this.#config.onError(error, this.#call);
  }
}

/** What a handler's call needs besides its run. */
class Surroundings implements HandleOptions {
  readonly config: Config;
  readonly request: CallRequest;
  readonly audit: (event: Unstamped) => void;
  readonly misused: HandleOptions['misused'];
  readonly #opened: OpenedCall;
  readonly #access: FileAccesses;

  constructor(
    opened: OpenedCall,
    request: CallRequest,
    end: CallEnd,
    { access, config, audit }: Pick<Driving, 'access' | 'config' | 'audit'>,
  ) {
    this.config = config;
    this.request = request;
    this.audit = audit;
    this.misused = error => end.misused(error);
    this.#opened = opened;
    this.#access = access;
  }

  get flow(): string {
    return this.#opened.flow;
  }

  get roundsLeft(): number {
    const isBounded = inRounds(this.request) && !this.outlivesRequest;
    return isBounded ? this.config.maxRounds - this.#opened.round : Number.POSITIVE_INFINITY;
  }

  get outlivesRequest(): boolean {
    return outlivesRequest(this.request);
  }

  get listener(): CallRequest {
    return this.request;
  }

  files(): FileAccess {
    return this.#access.of(this.request);
  }

  client(): AboutClient {
    return aboutClient(this.request.server, this.request.ctx);
  }

  pages(): PageCall | undefined {
    return pageCall(this.request, this.flow, this.config);
  }
}

type Ended<R> = Exclude<CallEnding<R>, { kind: 'answered-before' }>;

/** Not an async function: most outcomes need nothing more. */
function endingOf<R>(
  outcome: Came<R>,
  opened: OpenedCall,
  { request, rawArguments }: Running<R>,
  end: CallEnd,
  config: Config,
): Ended<R> | Promise<Ended<R>> {
  const where = { flow: opened.flow, arguments: rawArguments };
  // What replaces a handler's result is allowed by its method; the SDK's types know only one result for each.
  const instead = (result: unknown, departure?: Departure) =>
    ({ kind: 'returned', result: result as R, departure }) as const;
  switch (outcome.kind) {
    case 'done':
      end.returned(outcome.result);
      checkSendable(request.name, request.registered.method, outcome.result);
      return { kind: 'returned', result: outcome.result };
    case 'input-required':
      end.is('input-required', outcome.asks.map(askedEvent));
      return instead(outcome.result, outcome.departure);
    case 'relayed': {
      // The model asks one question; the others wait for their turn.
      const [ask] = outcome.asks as readonly [OpenQuestion<ModelAsk>];
      end.is('relayed', [askedEvent(ask)]);
      return leaveToModel(ask, outcome.journal, where, request, config).then(result => instead(result));
    }
    case 'parked':
      end.is('parked', outcome.asks.map(askedEvent));
      return park(outcome.asks, outcome.journal, where, request, config).then(result => instead(result));
    case 'out-of-rounds':
      end.is('parked');
      return parkForRounds(outcome.asks, outcome.journal, where, request, config).then(result => instead(result));
    case 'failed':
      end.failed(outcome.error);
      config.observe?.({ kind: 'failed', error: outcome.error });
      return isWireError(outcome.error)
        ? { kind: 'failed', error: outcome.error, asItself: true }
        : { kind: 'failed', error: asThrown(outcome.error) };
    case 'handed-over': {
      end.handedOver();
      return { kind: 'failed', error: new HandedOver() };
    }
    case 'cancelled': {
      end.is('cancelled');
      const error = new MidcallError(
        'call/interrupted',
        'The client cancelled this call, or is gone. The call has stopped.',
      );
      end.failed(error);
      // There is nobody to answer, so there is no answer to store: a client that comes back continues from here.
      const settled = async () => {
        await opened.attempt?.abandon();
        return true;
      };
      return { kind: 'failed', error, settled };
    }
  }
}

async function watched<R>(handler: () => R | Promise<R>, config: Config): Promise<R> {
  config.observe?.({ kind: 'run' });
  try {
    return await handler();
  } finally {
    config.observe?.({ kind: 'returned' });
  }
}

/**
 * Checks the steps of a retry that follows an earlier attempt.
 * @throws MidcallError `step/in-doubt` if that attempt died while a step was in progress
 */
async function refuseInDoubt(
  { flow, stepStore: kept }: OpenedCall,
  audit: (event: Unstamped) => void,
  config: Config,
): Promise<void> {
  const steps = await flowSteps(kept ?? config.contents, flow);
  for (const step of steps.inDoubt) audit({ kind: 'step-in-doubt', step });
  if (steps.inDoubt.length > 0) throw interrupted(steps, false);
}

const deferFailed = (name: string, error: unknown): string =>
  `midcall: what '${name}' gave to call.defer failed: ${error instanceof Error ? error.message : String(error)}`;

/** What a call needs to ask on pages; undefined if there are none. */
function pageCall(request: CallRequest, flow: string, config: Config): PageCall | undefined {
  const { pages } = config;
  if (!pages) return undefined;
  return {
    service: pages,
    call: callRef(request, flow),
    arguments: request.arguments as Json,
    http: isOverHttp(request.ctx),
    binding: digest(request.binding),
    finished: elicitationId => tellCompleted(request.ctx, elicitationId).catch(() => {}),
    notify(pageId, elicitationId, ms) {
      const done = pages
        .outcome(pageId, ms)
        .then(outcome => outcome && tellCompletedLater(request.server, elicitationId));
      // A client that is gone may or may not call again.
      void done.catch(() => {});
    },
  };
}

/** The outcome for a duplicate of a retry: the same result, or the same error. */
function storable(outcome: Final): unknown {
  if ('result' in outcome) return outcome;
  const error = (outcome.error ?? {}) as { code?: unknown; message?: unknown; data?: unknown };
  return { error: { message: String(error.message ?? outcome.error), code: error.code, data: error.data } };
}
