/**
 * Takes each request from its handler's registration to its end: identifies it, finds the state of its call, runs it and
 * reports the outcome.
 */

import { findOut, isMidcallError, MidcallError, nothingNow } from '@midcall/core/errors';
import {
  type CallToolResult,
  type McpServer,
  ProtocolError,
  ProtocolErrorCode,
  type ServerContext,
} from '@modelcontextprotocol/server';
import type { Json } from '../base/index.ts';
import {
  begins,
  checkTicket,
  interrupted,
  lookAtTicket,
  type OpenedCall,
  openByTicket,
  openRetry,
  openShared,
  readTicket,
} from '../eras/index.ts';
import { type FileAccesses, lazyFileAccess } from '../files/index.ts';
import { loadTelemetry } from '../observe/index.ts';
import { CARD_TOOL, cardSeen } from '../questions/index.ts';
import {
  auditor,
  type Call,
  type CallRequest,
  type Config,
  callRef,
  detachedOf,
  type EndAbandoned,
  type FinalOutcome,
  inRounds,
  type Registered,
  readRequest,
  type SharedOutcome,
  sharedCallOf,
  unread,
  viewClient,
} from '../request/index.ts';
import type { Files } from '../roots/index.ts';
import { type AskingMethod, asThrown, noteDeparture, type RawParams } from '../sdk-seam/index.ts';
import { flowSteps } from '../state/index.ts';
import { type CallOutcome, CallReport } from './call-report.ts';
import { type Finish, type Received, toolError } from './own-handlers.ts';
import { type Handler, runCall, type Work } from './run-call.ts';

/** What continues a waiting call: from the model to `resume`, or from our App to its own tool. */
export interface ResumeArguments {
  readonly ticket: string;
  /** Present with the ticket of a question that is answered with it; a page delivers its own answer. */
  readonly action?: 'accept' | 'decline' | 'cancel' | undefined;
  readonly content?: Readonly<Record<string, unknown>> | undefined;
}

/** A tool as `resume` needs it: its arguments are parsed again, since only raw ones travel. */
export interface ResumableTool {
  readonly registered: Registered;
  read(raw: unknown): Promise<unknown>;
  run(args: unknown, call: Call, ctx: ServerContext): CallToolResult | Promise<CallToolResult>;
}

/** Finds a tool by its name. */
export type FindTool = (name: string) => ResumableTool | undefined;

export interface Dispatch {
  /**
   * Runs a handler for a request. @param finish - makes of its outcome what the client gets; nothing else if absent
   * @returns what the client gets, or throws it
   */
  run<R>(received: Received, registered: Registered, handler: Handler<R>, finish?: Finish): Promise<unknown>;
  /** Continues a call under a ticket. @param by - the name of the tool that the ticket came with */
  resume(received: Received, args: ResumeArguments, find: FindTool, by: string, finish: Finish): Promise<unknown>;
  /**
   * Notes that our App shows the card of a ticket.
   * @returns whether it was answered before, and the server's time, in milliseconds since the epoch
   * @throws MidcallError `state/invalid` for a ticket that is not this person's, or whose time is up
   */
  seen(
    received: Received,
    ticket: string,
    find: FindTool,
  ): Promise<{ readonly isAnswered: boolean; readonly now: number }>;
  /** True if a call waits under this ticket, or has. */
  hasTicket(ticket: string): Promise<boolean>;
  /** Reports a request that never reached its handler, because its arguments do not fit. */
  refused(method: AskingMethod, params: RawParams): void;
  /** Ends a call whose process is gone and that nobody waits for; records which steps took effect and which are in doubt. */
  readonly endAbandoned: EndAbandoned;
  /** Files for a handler that cannot ask; see `Midcall.files`. */
  files(server: McpServer, ctx: ServerContext): Promise<Files | undefined>;
  /** Resolves when no request is in progress. */
  idle(): Promise<void>;
}

export function dispatcher(config: Config): Dispatch {
  const inFlight = new Set<Promise<unknown>>();
  const access: FileAccesses = lazyFileAccess(config);

  /** Follows a request to its end, whatever comes between. */
  const followed: typeof answered = (received, method, finish, work) => {
    const answering = answered(received, method, finish, work);
    inFlight.add(answering);
    const ended = (): void => void inFlight.delete(answering);
    answering.then(ended, ended);
    return answering;
  };

  const answered = async <R>(
    { params, ctx }: Received,
    method: AskingMethod,
    finish: Finish,
    work: (end: CallReport, argumentsDigest: string) => Promise<CallOutcome<R>>,
  ): Promise<unknown> => {
    const call = unread(params, method);
    const end = new CallReport(call, config);
    const begin = async (): Promise<CallOutcome<R>> => {
      if (config.stops.isStopping) throw stopping();
      const loading = loadTelemetry();
      if (loading) await loading;
      return work(end, call.arguments);
    };
    const ending = await begin().catch((error: unknown): CallOutcome<R> => {
      end.failed(error);
      return { kind: 'failed', error };
    });
    if (ending.kind === 'returned' && ending.departure) noteDeparture(ctx, ending.departure);
    let final: FinalOutcome;
    try {
      final = await finalOf(ending, finish);
    } catch (error) {
      // A store that cannot be written ends the call with its error, which is reported like any other.
      final = { error };
    }
    end.tell(final);
    if ('error' in final) throw asThrown(final.error);
    return final.result;
  };

  return {
    run: (received, registered, handler, finish = same) =>
      followed(received, registered.method, finish, async (end, argumentsDigest) => {
        const { server, ctx, params } = received;
        if (ctx.http !== undefined && config.keys.ephemeral) config.warnOnce('key', keyWillBeLost);
        const request = await readRequest(server, ctx, params, registered, config, argumentsDigest);
        return openAndRun({ request, rawArguments: params.arguments, handler, end }, access, config);
      }),
    resume: (received, args, find, by, finish) =>
      followed(received, 'tools/call', finish, end => resume(received, args, { find, by, end, access, config })),
    async seen({ server, ctx }, ticket, find) {
      const { resumed, request } = await ticketed(server, ctx, ticket, { find, by: CARD_TOOL, config });
      const { nonce } = await checkTicket(resumed, request, config);
      await cardSeen(request, config);
      return { isAnswered: await config.claims.isClaimed(nonce), now: config.clock.now() };
    },
    hasTicket: async ticket => (await lookAtTicket(ticket, config)) !== undefined,
    refused(method, params) {
      const call = unread(params, method);
      config.audit?.({ at: config.clock.now(), call, kind: 'ended', outcome: 'failed', code: -32602 });
    },
    async endAbandoned({ flow, method, params, principal, stepStore }) {
      const error = interrupted(await flowSteps(stepStore, flow), false);
      const end = new CallReport({ ...unread(params, method), flow, principal }, config);
      end.failed(error);
      end.tell({ error });
      if (method === 'tools/call') return { result: toolError(error) };
      return { error: { code: ProtocolErrorCode.InternalError, message: error.message } };
    },
    files: (server, ctx) => access.unasked({ server, ctx, client: viewClient(server, ctx) }),
    async idle() {
      while (inFlight.size > 0) await Promise.allSettled([...inFlight]);
    },
  };
}

const stopping = (): MidcallError =>
  new MidcallError(
    'call/closed',
    'This server is stopping and takes no new calls. This request was not begun. If it continues a call, what that call did ' +
      'before stays done.',
  );

const same: Finish = outcome => outcome;

/** What the client gets of how its request ended. */
async function finalOf(ending: CallOutcome<unknown>, finish: Finish): Promise<FinalOutcome> {
  if (ending.kind === 'answered-before') return outcomeOf(ending.earlier);
  const outcome = ending.kind === 'returned' ? { result: ending.result } : { error: ending.error };
  const isItself = ending.kind === 'returned' ? ending.departure !== undefined : ending.asItself === true;
  const final = isItself ? outcome : await finish(outcome);
  return (await ending.settled?.(final)) === false ? { error: overtaken() } : final;
}

const overtaken = () =>
  new MidcallError(
    'call/interrupted',
    `This process was away so long that another went on with this call and answers it. ${findOut}`,
  );

function outcomeOf(earlier: SharedOutcome): FinalOutcome {
  if ('result' in earlier) return earlier;
  const { message, ...rest } = earlier.error;
  return { error: Object.assign(new Error(message), rest) };
}

/** Finds the state of a call, and runs it from there. */
async function openAndRun<R>(work: Work<R>, access: FileAccesses, config: Config): Promise<CallOutcome<R>> {
  const { request, end } = work;
  end.setCall(callRef(request, ''));
  let opened: OpenedCall;
  try {
    opened = await openCall(request, config);
  } catch (error) {
    // Another process runs this task, so it has not ended.
    const elsewhere = isMidcallError(error, 'call/interrupted') && detachedOf(request.ctx) !== undefined;
    if (!(error instanceof ProtocolError || elsewhere)) throw error;
    if (elsewhere) end.toldElsewhere();
    end.failed(error);
    return { kind: 'failed', error, asItself: true };
  }
  return runOpened(opened, work, access, config);
}

async function openCall(request: CallRequest, config: Config): Promise<OpenedCall> {
  if (inRounds(request)) return openRetry(request, config, auditor(request, '', config));
  const shared = sharedCallOf(request.server, request.ctx);
  return shared ? openShared(shared, request) : begins(config.id());
}

async function runOpened<R>(
  opened: OpenedCall,
  work: Work<R>,
  access: FileAccesses,
  config: Config,
): Promise<CallOutcome<R>> {
  if (opened.earlier === undefined) return runCall(opened, work, access, config);
  work.end.toldElsewhere();
  return { kind: 'answered-before', earlier: opened.earlier as SharedOutcome };
}

/** Finds the call of a ticket, which is not used up. */
async function ticketed(
  server: McpServer,
  ctx: ServerContext,
  ticket: string,
  { find, by, config }: { readonly find: FindTool; readonly by: string; readonly config: Config },
) {
  const resumed = await readTicket(ticket, by, config);
  const tool = find(resumed.name);
  if (!tool)
    throw new MidcallError('state/invalid', `This server no longer has the tool '${resumed.name}'. ${nothingNow}`);
  return { resumed, tool, request: await readRequest(server, ctx, resumed, tool.registered, config) };
}

/** Continues a call under a ticket. */
async function resume(
  { server, ctx }: Received,
  { ticket, ...answer }: ResumeArguments,
  surroundings: {
    readonly find: FindTool;
    readonly by: string;
    readonly end: CallReport;
    readonly access: FileAccesses;
    readonly config: Config;
  },
): Promise<CallOutcome<CallToolResult>> {
  const { end, access, config } = surroundings;
  const retried = ctx.mcpReq.requestState() !== undefined;
  const { resumed, tool, request } = await ticketed(server, ctx, ticket, surroundings);
  const args = await tool.read(resumed.arguments);
  const handler = (call: Call) => tool.run(args, call, ctx);
  const work = { request, rawArguments: resumed.arguments, handler, end };
  if (retried) return openAndRun(work, access, config);
  end.setCall(callRef(request, ''));
  if (resumed.needs === 'answer' && answer.action === undefined) {
    throw new MidcallError(
      'state/invalid',
      'This ticket needs the action the person took: accept, decline or cancel. Nothing was done; it can still be used.',
    );
  }
  // Before the ticket is claimed, so that it can be used again if the store fails.
  await cardSeen(request, config);
  const opened = await openByTicket(ticket, resumed, answer as Json, request, config);
  return runOpened(opened, work, access, config);
}

const keyWillBeLost =
  'midcall: no key is configured, so calls in flight are lost when this process restarts, and no other replica can go on ' +
  'with them. Set MIDCALL_KEY (openssl rand -base64 32) or the key option.';
