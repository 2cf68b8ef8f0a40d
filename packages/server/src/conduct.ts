/** Conducts one request from its arrival to its result: who and what it is, which driver runs it, and what becomes of it. */

import { MidcallError } from '@midcall/core/errors';
import {
  type CallToolResult,
  type InputRequiredResult,
  type McpServer,
  ProtocolError,
  type ServerContext,
} from '@modelcontextprotocol/server';
import type { Unstamped } from './audit.ts';
import type { Call } from './call.ts';
import { CallEnd } from './call-end.ts';
import type { CallRun, ModelAsk, OpenQuestion } from './channels/outgoing.ts';
import type { PageCall } from './channels/page/plan.ts';
import { leaveToModel } from './channels/relay/leave.ts';
import type { Config } from './config.ts';
import { digest, type Json } from './digest.ts';
import { type Arrival, arrive, begins, interrupted } from './drivers/arrive.ts';
import { askedEvent } from './drivers/asked.ts';
import { runByPush } from './drivers/push.ts';
import { runByRounds } from './drivers/rounds.ts';
import type { EngineOptions } from './engine/seam.ts';
import { aboutClient, isWireError, tellCompleted, tellCompletedLater, viewClient } from './era.ts';
import { fileAccess } from './files/file-access.ts';
import { makeCall } from './handle.ts';
import { type Passage, passageOf } from './intercept.ts';
import {
  type AskingMethod,
  auditor,
  type CallRequest,
  callRef,
  type Registered,
  readRequest,
  unread,
} from './request.ts';
import { park } from './resume/park.ts';
import { arriveByTicket, readTicket } from './resume/ticket.ts';
import type { Files } from './roots/index.ts';
import { asThrown, checkSendable } from './sendable.ts';
import { AuditedLedger } from './state/audited-ledger.ts';
import { flowSteps, stepLedger } from './state/ledger.ts';
import { traceRound } from './trace.ts';

type Handler<R> = (call: Call) => R | Promise<R>;

/** What the model brings to `resume`. */
export interface ResumeArguments {
  readonly ticket: string;
  /** With the ticket of a relayed question; a page answers for itself. */
  readonly action?: 'accept' | 'decline' | 'cancel' | undefined;
  readonly content?: Readonly<Record<string, unknown>> | undefined;
}

/** A tool as `resume` needs it: with its arguments read again, since only raw ones travel. */
export interface ResumableTool {
  readonly registered: Registered;
  read(raw: unknown): Promise<unknown>;
  run(args: unknown, call: Call): CallToolResult | Promise<CallToolResult>;
}

export interface Conduct {
  run<R>(
    server: McpServer,
    ctx: ServerContext,
    registered: Registered,
    handler: Handler<R>,
  ): Promise<R | InputRequiredResult>;
  resume(
    server: McpServer,
    ctx: ServerContext,
    args: ResumeArguments,
    find: (name: string) => ResumableTool | undefined,
  ): Promise<CallToolResult>;
  /** Tells of a request that never reached its handler, since its arguments do not fit. */
  refused(method: AskingMethod, params: Passage['params']): void;
  /** Files for a handler that cannot ask; see `Midcall.files`. */
  files(server: McpServer, ctx: ServerContext): Promise<Files | undefined>;
  close(): Promise<void>;
}

export function conductor(config: Config): Conduct {
  const inFlight = new Set<Promise<unknown>>();
  const access = fileAccess(config);
  let closed = false;

  const warnOfLoss = (ctx: ServerContext) => {
    if (ctx.http !== undefined && config.keys.ephemeral) config.warnOnce('key', keyWillBeLost);
  };

  async function conduct<R>(
    server: McpServer,
    ctx: ServerContext,
    registered: Registered,
    handler: Handler<R>,
    end: CallEnd,
  ): Promise<R | InputRequiredResult> {
    warnOfLoss(ctx);
    const passage = passageOf(ctx);
    const request = await readRequest(server, ctx, passage.params, registered, config);
    return arriveAndGo(request, passage.params.arguments, handler, passage, end);
  }

  /** Finds out where a call stands, and runs it from there. */
  async function arriveAndGo<R>(
    request: CallRequest,
    rawArguments: unknown,
    handler: Handler<R>,
    passage: Passage,
    end: CallEnd,
  ): Promise<R | InputRequiredResult> {
    end.known(callRef(request, ''));
    let arrival: Arrival;
    try {
      arrival =
        request.client.asks === 'rounds'
          ? await arrive(request, config, event => auditor(request, '', config)(event))
          : begins(config.id());
    } catch (error) {
      if (error instanceof ProtocolError) passage.error = error;
      throw error;
    }
    if (arrival.earlier !== undefined) {
      end.answeredBefore();
      passage.earlier = arrival.earlier as NonNullable<typeof passage.earlier>;
      return { resultType: 'input_required', requestState: '' };
    }
    return go(arrival, request, rawArguments, handler, passage, end);
  }

  const watched = async <R>(handler: () => R | Promise<R>): Promise<R> => {
    config.observe?.({ kind: 'run' });
    try {
      return await handler();
    } finally {
      config.observe?.({ kind: 'returned' });
    }
  };

  /** Runs a call from where it stands to its result. */
  async function go<R>(
    arrival: Arrival,
    request: CallRequest,
    rawArguments: unknown,
    handler: Handler<R>,
    passage: Passage,
    end: CallEnd,
  ): Promise<R | InputRequiredResult> {
    const call = callRef(request, arrival.flow);
    end.known(call);
    const traced = traceRound(request, arrival.flow, arrival.round, config.now);
    end.trace = traced;
    const record = auditor(request, arrival.flow, config);
    const audit = (event: Unstamped): void => {
      record(event);
      traced?.saw(event);
    };
    const { attempt, keptMs = 1 } = arrival;
    const stored = attempt && stepLedger(config.kept, arrival.flow, keptMs);
    if (attempt) {
      passage.settled = async outcome => {
        const answered = await attempt.answer(storable(outcome));
        if (answered) await stored?.forget();
        return answered;
      };
    }
    const doubt = await inDoubt(arrival, audit, config);
    if (doubt) throw doubt;
    const engine: EngineOptions = {
      ledger: new AuditedLedger(stored, attempt, audit),
      timer: config.timer,
      onDeferError: error => {
        config.warn(deferFailed(request.name, error));
        config.onError?.(error, call);
      },
    };
    const surroundings = {
      config,
      request,
      flow: arrival.flow,
      roundsLeft: request.client.asks === 'rounds' ? config.maxRounds - arrival.round : Number.POSITIVE_INFINITY,
      audit,
      misused: config.onError && ((error: unknown) => end.misused(error)),
      files: () => access.of(request),
      client: () => aboutClient(request.server, request.ctx),
      pages: () => pageCall(request, arrival.flow, config),
    };
    const handle = (run: CallRun<R>) => handler(makeCall(run as CallRun, surroundings));
    const body = config.observe ? (run: CallRun<R>) => watched(() => handle(run)) : handle;
    const drive = request.client.asks === 'rounds' ? runByRounds<R> : runByPush<R>;
    const outcome = await drive(body, arrival, request, config, engine, audit);
    const where = { flow: arrival.flow, round: arrival.round, arguments: rawArguments };
    switch (outcome.kind) {
      case 'done':
        end.returned(outcome.result);
        checkSendable(request.name, request.registered.method, outcome.result);
        return outcome.result;
      case 'input-required':
        end.is('input-required', outcome.asks.map(askedEvent));
        return outcome.result;
      case 'relayed': {
        // The model puts one question; the others wait for their turn.
        const [ask] = outcome.asks as readonly [OpenQuestion<ModelAsk>];
        end.is('relayed', [askedEvent(ask)]);
        return (await leaveToModel(ask, outcome.journal, where, request, config)) as R;
      }
      case 'parked':
        end.is('parked', outcome.asks.map(askedEvent));
        return (await park(outcome.asks, outcome.journal, where, request, config)) as R;
      case 'failed':
        end.failed(outcome.error);
        config.observe?.({ kind: 'failed', error: outcome.error });
        if (isWireError(outcome.error)) passage.error = outcome.error;
        throw asThrown(outcome.error);
      case 'cancelled':
        end.is('cancelled');
        // There is nobody to answer, so there is no answer to keep: a client that comes back goes on from here.
        passage.settled = async () => {
          await attempt?.abandon();
          return true;
        };
        throw new MidcallError(
          'call/interrupted',
          'The client cancelled this call, or is gone. Nothing of it goes on.',
        );
    }
  }

  /** Goes on with a relayed call under the answer the model brought. */
  async function resume(
    server: McpServer,
    ctx: ServerContext,
    { ticket, ...answer }: ResumeArguments,
    find: (name: string) => ResumableTool | undefined,
    end: CallEnd,
  ): Promise<CallToolResult> {
    const retried = ctx.mcpReq.requestState() !== undefined;
    const resumed = await readTicket(ticket, config);
    const tool = find(resumed.name);
    if (!tool)
      throw new MidcallError(
        'state/invalid',
        `This server no longer has the tool '${resumed.name}'. Nothing was done.`,
      );
    const request = await readRequest(server, ctx, resumed, tool.registered, config);
    const args = await tool.read(resumed.arguments);
    const run = (call: Call) => tool.run(args, call);
    const passage = passageOf(ctx);
    if (retried) return (await arriveAndGo(request, resumed.arguments, run, passage, end)) as CallToolResult;
    end.known(callRef(request, ''));
    if (!resumed.page && answer.action === undefined) {
      throw new MidcallError(
        'state/invalid',
        'This ticket needs the action the person took: accept, decline or cancel. Nothing was done; it can still be used.',
      );
    }
    const arrival = await arriveByTicket(ticket, resumed, answer as Json, request, config);
    if (arrival.earlier !== undefined) {
      end.answeredBefore();
      passage.earlier = arrival.earlier as NonNullable<typeof passage.earlier>;
      return { content: [] };
    }
    return (await go(arrival, request, resumed.arguments, run, passage, end)) as CallToolResult;
  }

  const counted = <T>(work: () => Promise<T>): Promise<T> => {
    if (closed) {
      return Promise.reject(new MidcallError('call/closed', 'This server is closing and takes no new calls.'));
    }
    const running = work();
    const ended = () => inFlight.delete(running);
    inFlight.add(running);
    running.then(ended, ended);
    return running;
  };

  /** Follows a request to its end, whatever comes between. */
  const followed = async <T>(
    ctx: ServerContext,
    method: AskingMethod,
    work: (end: CallEnd) => Promise<T>,
  ): Promise<T> => {
    const passage = passageOf(ctx);
    const end = new CallEnd(unread(passage.params, method), config);
    passage.ended = final => end.tell(final);
    try {
      return await counted(() => work(end));
    } catch (error) {
      end.failed(error);
      throw error;
    }
  };

  return {
    run: (server, ctx, registered, handler) =>
      followed(ctx, registered.method, end => conduct(server, ctx, registered, handler, end)),
    resume: (server, ctx, args, find) => followed(ctx, 'tools/call', end => resume(server, ctx, args, find, end)),
    refused(method, params) {
      const call = unread(params, method);
      config.audit?.({ at: config.now(), call, kind: 'ended', outcome: 'failed', code: -32602 });
    },
    files: (server, ctx) => access.unasked({ server, ctx, client: viewClient(server, ctx) }),
    async close() {
      closed = true;
      await Promise.allSettled([...inFlight]);
      await config.pages?.close();
    },
  };
}

/** What ends a retry whose earlier attempt died while a step was under way; undefined where none did. */
async function inDoubt(
  { attempt, flow }: Arrival,
  audit: (event: Unstamped) => void,
  config: Config,
): Promise<MidcallError | undefined> {
  if (!attempt || attempt.first) return undefined;
  const steps = await flowSteps(config.kept, flow);
  for (const step of steps.inDoubt) audit({ kind: 'step-in-doubt', step });
  return steps.inDoubt.length > 0 ? interrupted(steps, false) : undefined;
}

const keyWillBeLost =
  'midcall: no key is configured, so calls in flight are lost when this process restarts, and no other replica can go on ' +
  'with them. Set MIDCALL_KEY (openssl rand -base64 32) or the key option.';

const deferFailed = (name: string, error: unknown): string =>
  `midcall: what '${name}' gave to call.defer failed: ${error instanceof Error ? error.message : String(error)}`;

/** What a call needs to ask on pages; undefined where there are none. */
function pageCall(request: CallRequest, flow: string, config: Config): PageCall | undefined {
  if (!config.pages) return undefined;
  const road = config.pages;
  return {
    road,
    call: callRef(request, flow),
    arguments: request.arguments as Json,
    http: request.ctx.http !== undefined,
    binding: digest(request.binding),
    finished: elicitationId => tellCompleted(request.ctx, elicitationId).catch(() => {}),
    notify(ticket, elicitationId, ms) {
      const done = road
        .outcome(ticket, ms)
        .then(outcome => outcome && tellCompletedLater(request.server, elicitationId));
      // A client that is gone calls again, or does not.
      void done.catch(() => {});
    },
  };
}

/** What a duplicate of a retry is given: the same result, or the same error. */
function storable(outcome: { readonly result: unknown } | { readonly error: unknown }): unknown {
  if ('result' in outcome) return outcome;
  const error = (outcome.error ?? {}) as { code?: unknown; message?: unknown; data?: unknown };
  return { error: { message: String(error.message ?? outcome.error), code: error.code, data: error.data } };
}
