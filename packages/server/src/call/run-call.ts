/**
 * Runs one call from its present state: chooses the driver, gives the handler its call, and turns the outcome into a result.
 */

import { MidcallError, messageOf } from '@midcall/core/errors';
import { digest, type Json } from '../base/index.ts';
import type { EngineOptions, OpenAsk } from '../engine/index.ts';
import {
  type DriverOutcome,
  interrupted,
  leaveInResult,
  type OpenedCall,
  park,
  parkForRounds,
  runByPush,
  runByRounds,
  withSteps,
} from '../eras/index.ts';
import type { FileAccesses } from '../files/index.ts';
import { type ApprovalCall, askedEvent, type CallRun, type PageCall, type ResultAsk } from '../questions/index.ts';
import {
  aboutClient,
  auditor,
  type Call,
  type CallRequest,
  type Config,
  callRef,
  canResume,
  detachedOf,
  type FinalOutcome,
  HandedOver,
  inRounds,
  isOverHttp,
  isWireError,
  outlivesRequest,
  tellCompleted,
  tellCompletedLater,
} from '../request/index.ts';
import { asThrown, checkSendable, type Departure, nameOf } from '../sdk-seam/index.ts';
import { type Attempt, AuditedLedger, flowSteps, shrinkJournal, stepLedger, type Unstamped } from '../state/index.ts';
import type { CallOutcome, CallReport } from './call-report.ts';
import { type HandleOptions, makeCall } from './handle.ts';
import { traceRound } from './trace.ts';

export type Handler<R> = (call: Call) => R | Promise<R>;

/** A request, and the handler that runs it. */
export interface Work<R> {
  readonly request: CallRequest;
  readonly rawArguments: unknown;
  readonly handler: Handler<R>;
  readonly end: CallReport;
}

/** Runs a call from its present state to its end. Throws only if nothing about it is known yet. */
export async function runCall<R>(
  opened: OpenedCall,
  work: Work<R>,
  access: FileAccesses,
  config: Config,
): Promise<CallOutcome<R>> {
  const { request, handler, end } = work;
  const { flow, round, attempt, stepStore = config.contents, retentionMs = 1 } = opened;
  const call = callRef(request, flow);
  end.setCall(call);
  const trace = traceRound(request, flow, round, config.clock);
  end.trace = trace;
  const record = auditor(request, flow, config);
  const audit = (event: Unstamped): void => {
    record(event);
    trace?.saw(event);
  };
  const ledger = attempt && stepLedger(stepStore, flow, retentionMs);
  const steps = new AuditedLedger(ledger, attempt, audit);
  const told = (error: unknown, isFirst = attempt?.first ?? true): unknown =>
    withSteps(error, opened.journal, steps.reached, isFirst);
  const settle = attempt && settling(attempt, ledger, opened, request, config);
  const settled =
    settle && ((outcome: FinalOutcome) => settle(outcome).catch(error => Promise.reject(told(error, false))));
  const engine: EngineOptions = {
    ledger: steps,
    clock: config.clock,
    onDeferError(error) {
      config.warn(deferFailed(call.name, error));
      config.onError(error, call);
    },
    onLate: error => config.onError(error, call),
  };
  const options: HandleOptions = {
    config,
    request,
    audit,
    misused: error => end.misused(error),
    flow,
    roundsLeft: isBounded(request, config) ? config.maxRounds - round : Number.POSITIVE_INFINITY,
    outlivesRequest: outlivesRequest(request),
    listener: request,
    files: () => access.of(request),
    client: () => aboutClient(request.server, request.ctx),
    pages: pageCall(request, flow, config),
    approvals: approvalCall(request, flow, config),
  };
  const handle = (run: CallRun<R>) => observed(() => handler(makeCall(run as CallRun, options)), config);
  try {
    if (attempt && !attempt.first) await refuseInDoubt(opened, audit, config);
    const drive = inRounds(request) ? runByRounds : runByPush;
    const driven = await drive(handle, opened, request, config, engine, audit);
    const outcome = driven.kind === 'failed' ? { ...driven, error: told(driven.error) } : driven;
    return { settled, ...(await endingOf(outcome, opened, work, config)) };
  } catch (thrown) {
    const error = told(thrown);
    end.failed(error);
    return { kind: 'failed', error, settled };
  }
}

/** True if the call ends with the client's rounds. */
const isBounded = (request: CallRequest, config: Config): boolean =>
  inRounds(request) && !outlivesRequest(request) && !canResume(request, config);

/** Stores the outcome of a retry for its duplicates. @returns what does so, or false if another process has the call */
function settling(
  attempt: Attempt,
  ledger: ReturnType<typeof stepLedger> | undefined,
  { apart }: OpenedCall,
  request: CallRequest,
  config: Config,
): (outcome: FinalOutcome) => Promise<boolean> {
  const tidy = async (): Promise<void> => {
    // What is left only takes room, for as long as it lives: the outcome is stored.
    await ledger?.forget().catch(() => {});
    if (apart) await shrinkJournal(apart, config).catch(() => {});
  };
  const settle = async (response: unknown): Promise<boolean> => {
    const answered = await attempt.answer(response);
    if (!answered) return false;
    await tidy();
    return true;
  };
  return async outcome => {
    const detached = detachedOf(request.ctx);
    if (!detached) return settle(storable(outcome));
    // The task stores the outcome first: if the process dies in between, the steps of this run are still known.
    if (!(await attempt.holds())) return false;
    // A later run then finds it finished, and does not need the result.
    detached.settle = async () => {
      if (!detached.isStanding) {
        await settle({ result: {} });
        return;
      }
      await attempt.forget();
      await tidy();
    };
    return true;
  };
}

/** What the end of a run means for the request. */
async function endingOf<R>(
  outcome: DriverOutcome<R>,
  opened: OpenedCall,
  { request, rawArguments, end }: Work<R>,
  config: Config,
): Promise<Exclude<CallOutcome<R>, { kind: 'answered-before' }>> {
  const where = { flow: opened.flow, arguments: rawArguments };
  // What replaces a handler's result is allowed by its method; the SDK's types know only one result for each.
  const instead = (result: unknown, departure?: Departure) =>
    ({ kind: 'returned', result: result as R, departure }) as const;
  switch (outcome.kind) {
    case 'done':
      end.returned(outcome.result);
      checkSendable(request.name, request.registered.method, outcome.result, request.registered.gateway !== true);
      return { kind: 'returned', result: outcome.result };
    case 'input-required':
      end.is('input-required', outcome.asks.map(askedEvent));
      return instead(outcome.result, outcome.departure);
    case 'left': {
      // One question is asked; the others wait for their turn.
      const [ask] = outcome.asks as readonly [OpenAsk<ResultAsk>];
      end.is(ask.detail.ends, [askedEvent(ask)]);
      return instead(await leaveInResult(ask, outcome.journal, where, request, config));
    }
    case 'parked':
      end.is('parked', outcome.asks.map(askedEvent));
      return instead(await park(outcome.asks, outcome.journal, where, request, config));
    case 'out-of-rounds':
      end.is('parked');
      return instead(await parkForRounds(outcome.asks, outcome.journal, where, request, config));
    case 'failed':
      end.failed(outcome.error);
      config.observe?.({ kind: 'failed', error: outcome.error });
      return isWireError(outcome.error)
        ? { kind: 'failed', error: outcome.error, asItself: true }
        : { kind: 'failed', error: asThrown(outcome.error) };
    case 'handed-over':
      end.toldElsewhere();
      return { kind: 'failed', error: new HandedOver() };
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

async function observed<R>(handler: () => R | Promise<R>, { observe }: Config): Promise<R> {
  observe?.({ kind: 'run' });
  try {
    return await handler();
  } finally {
    observe?.({ kind: 'returned' });
  }
}

/**
 * Checks the steps of a retry that follows an earlier attempt.
 * @throws MidcallError `step/in-doubt` if that attempt died while a step was in progress
 */
async function refuseInDoubt(
  { flow, stepStore: store, journal }: OpenedCall,
  audit: (event: Unstamped) => void,
  config: Config,
): Promise<void> {
  const steps = await flowSteps(store ?? config.contents, flow);
  for (const step of steps.inDoubt) audit({ kind: 'step-in-doubt', step });
  if (steps.inDoubt.length > 0) throw interrupted(steps, false, journal);
}

const deferFailed = (name: string, error: unknown): string =>
  `midcall: what '${name}' gave to call.defer failed: ${messageOf(error)}`;

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

/** What a call needs to ask in an inbox; undefined if there is none. */
function approvalCall(request: CallRequest, flow: string, { inbox }: Config): ApprovalCall | undefined {
  if (!inbox) return undefined;
  const server = nameOf(request.server);
  return { inbox, call: callRef(request, flow), server, arguments: request.arguments as Json };
}

/** The outcome for a duplicate of a retry: the same result, or the same error. */
function storable(outcome: FinalOutcome): unknown {
  if ('result' in outcome) return outcome;
  const error = (outcome.error ?? {}) as { code?: unknown; message?: unknown; data?: unknown };
  return { error: { message: String(error.message ?? outcome.error), code: error.code, data: error.data } };
}
