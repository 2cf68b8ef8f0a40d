/**
 * Takes each request from its handler's registration to its end: identifies it, finds the state of its call, runs it and
 * reports the outcome.
 */

import { isMidcallError, MidcallError } from '@midcall/core/errors';
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
  interrupted,
  type OpenedCall,
  openByTicket,
  openRetry,
  openShared,
  readTicket,
} from '../eras/index.ts';
import { type FileAccesses, fileAccess } from '../files/index.ts';
import {
  auditor,
  type Call,
  type CallRequest,
  type Config,
  callRef,
  detachedOf,
  type EndAbandoned,
  inRounds,
  type Registered,
  readRequest,
  sharedCallOf,
  unread,
  viewClient,
} from '../request/index.ts';
import type { Files } from '../roots/index.ts';
import { type AskingMethod, answer, begun, type Earlier, type RawParams, type Settler } from '../sdk-seam/index.ts';
import { flowSteps } from '../state/index.ts';
import { CallEnd } from './call-end.ts';
import { type CallEnding, type Handler, runCall } from './run-call.ts';

/** What the model passes to `resume`. */
export interface ResumeArguments {
  readonly ticket: string;
  /** Present with the ticket of a relayed question; a page delivers its own answer. */
  readonly action?: 'accept' | 'decline' | 'cancel' | undefined;
  readonly content?: Readonly<Record<string, unknown>> | undefined;
}

/** A tool as `resume` needs it: its arguments are parsed again, since only raw ones travel. */
export interface ResumableTool {
  readonly registered: Registered;
  read(raw: unknown): Promise<unknown>;
  run(args: unknown, call: Call): CallToolResult | Promise<CallToolResult>;
}

export interface Dispatch {
  run<R>(server: McpServer, ctx: ServerContext, registered: Registered, handler: Handler<R>): Promise<R>;
  resume(
    server: McpServer,
    ctx: ServerContext,
    args: ResumeArguments,
    find: (name: string) => ResumableTool | undefined,
  ): Promise<CallToolResult>;
  /** Reports a request that never reached its handler, because its arguments do not fit. */
  refused(method: AskingMethod, params: RawParams): void;
  /** Ends a call whose process is gone and that nobody waits for; records which steps took effect and which are in doubt. */
  readonly endAbandoned: EndAbandoned;
  /** Files for a handler that cannot ask; see `Midcall.files`. */
  files(server: McpServer, ctx: ServerContext): Promise<Files | undefined>;
  close(): Promise<void>;
}

export function dispatcher(config: Config): Dispatch {
  const inFlight = new Set<Promise<unknown>>();
  const access: FileAccesses = fileAccess(config);
  let closed = false;

  const counted = <R>(work: () => Promise<CallEnding<R>>, end: CallEnd, settler: Settler<R>): Promise<R> => {
    const running = begun(closed ? refuse : work).then(
      ending => {
        inFlight.delete(running);
        return settler.settle(ending);
      },
      (error: unknown) => {
        inFlight.delete(running);
        end.failed(error);
        return settler.settle({ kind: 'failed', error });
      },
    );
    inFlight.add(running);
    return running;
  };

  /** Follows a request to its end, whatever comes between. */
  const followed = <R>(
    ctx: ServerContext,
    method: AskingMethod,
    work: (params: RawParams, end: CallEnd, argumentsDigest: string) => Promise<CallEnding<R>>,
  ): Promise<R> =>
    answer<R>(ctx, (params, settler) => {
      const call = unread(params, method);
      const end = new CallEnd(call, config);
      return { listener: end, answered: counted(() => work(params, end, call.arguments), end, settler) };
    });

  return {
    run: <R>(server: McpServer, ctx: ServerContext, registered: Registered, handler: Handler<R>) =>
      followed<R>(ctx, registered.method, (params, end, argumentsDigest) => {
        if (ctx.http !== undefined && config.keys.ephemeral) config.warnOnce('key', keyWillBeLost);
        const reading = readRequest(server, ctx, params, registered, config, argumentsDigest);
        const run = (request: CallRequest): Promise<CallEnding<R>> =>
          openAndRun({ request, rawArguments: params.arguments, handler, end }, access, config);
        return reading instanceof Promise ? reading.then(run) : run(reading);
      }),
    resume: (server, ctx, args, find) =>
      followed(ctx, 'tools/call', (_, end) => resume(server, ctx, args, { find, end, access, config })),
    refused(method, params) {
      const call = unread(params, method);
      config.audit?.({ at: config.clock.now(), call, kind: 'ended', outcome: 'failed', code: -32602 });
    },
    async endAbandoned({ flow, method, params, principal, stepStore }) {
      const error = interrupted(await flowSteps(stepStore, flow), false, 'call/interrupted');
      const end = new CallEnd({ ...unread(params, method), flow, principal }, config);
      end.failed(error);
      end.tell({ error });
      const { message } = error;
      if (method !== 'tools/call') return { error: { code: ProtocolErrorCode.InternalError, message } };
      return { result: { content: [{ type: 'text', text: message }], isError: true } };
    },
    files: (server, ctx) => access.unasked({ server, ctx, client: viewClient(server, ctx) }),
    async close() {
      closed = true;
      await Promise.allSettled([...inFlight]);
      await config.pages?.close();
    },
  };
}

const refuse = (): never => {
  throw new MidcallError('call/closed', 'This server is closing and takes no new calls.');
};

/** A request, and the handler that runs it. */
interface Work<R> {
  readonly request: CallRequest;
  readonly rawArguments: unknown;
  readonly handler: Handler<R>;
  readonly end: CallEnd;
}

/** Finds the state of a call, and runs it from there. */
function openAndRun<R>(work: Work<R>, access: FileAccesses, config: Config): Promise<CallEnding<R>> {
  const { request, end } = work;
  end.known(callRef(request, ''));
  const shared = sharedCallOf(request.server, request.ctx);
  if (inRounds(request)) {
    const opening = openRetry(request, config, event => auditor(request, '', config)(event));
    return openedAndRun(opening, work, access, config);
  }
  if (shared) return openedAndRun(openShared(shared, request), work, access, config);
  return runOpened(begins(config.id()), work, access, config);
}

async function openedAndRun<R>(
  opening: OpenedCall | Promise<OpenedCall>,
  work: Work<R>,
  access: FileAccesses,
  config: Config,
): Promise<CallEnding<R>> {
  const { request, end } = work;
  let opened: OpenedCall;
  try {
    opened = await opening;
  } catch (error) {
    // Another process runs this task, so it has not ended.
    const elsewhere = isMidcallError(error, 'call/interrupted') && detachedOf(request.ctx) !== undefined;
    if (!(error instanceof ProtocolError || elsewhere)) throw error;
    if (elsewhere) end.handedOver();
    end.failed(error);
    return { kind: 'failed', error, asItself: true };
  }
  return runOpened(opened, work, access, config);
}

function runOpened<R>(opened: OpenedCall, work: Work<R>, access: FileAccesses, config: Config): Promise<CallEnding<R>> {
  if (opened.earlier === undefined) return runCall(opened, work, work.end, access, config);
  work.end.answeredBefore();
  return Promise.resolve({ kind: 'answered-before', earlier: opened.earlier as Earlier });
}

/** Continues a call under the ticket the model passed. */
async function resume(
  server: McpServer,
  ctx: ServerContext,
  { ticket, ...answer }: ResumeArguments,
  surroundings: {
    readonly find: (name: string) => ResumableTool | undefined;
    readonly end: CallEnd;
    readonly access: FileAccesses;
    readonly config: Config;
  },
): Promise<CallEnding<CallToolResult>> {
  const { find, end, access, config } = surroundings;
  const retried = ctx.mcpReq.requestState() !== undefined;
  const resumed = await readTicket(ticket, config);
  const tool = find(resumed.name);
  if (!tool)
    throw new MidcallError('state/invalid', `This server no longer has the tool '${resumed.name}'. Nothing was done.`);
  const request = await readRequest(server, ctx, resumed, tool.registered, config);
  const args = await tool.read(resumed.arguments);
  const handler = (call: Call) => tool.run(args, call);
  const work = { request, rawArguments: resumed.arguments, handler, end };
  if (retried) return openAndRun(work, access, config);
  end.known(callRef(request, ''));
  if (resumed.needs === 'answer' && answer.action === undefined) {
    throw new MidcallError(
      'state/invalid',
      'This ticket needs the action the person took: accept, decline or cancel. Nothing was done; it can still be used.',
    );
  }
  return runOpened(await openByTicket(ticket, resumed, answer as Json, request, config), work, access, config);
}

const keyWillBeLost =
  'midcall: no key is configured, so calls in flight are lost when this process restarts, and no other replica can go on ' +
  'with them. Set MIDCALL_KEY (openssl rand -base64 32) or the key option.';
