/**
 * One HTTP endpoint for both eras, from a web-standard request to its response, so that it runs on any platform that has these.
 * Requests of the 2026-07-28 revision stand alone, each with a server of its own from the factory; clients of 2025-11-25 get
 * sessions, if the process lives long enough to keep them. Host and Origin are checked before anything is read, so that a page
 * in a browser cannot reach a server on this machine by rebinding a name.
 */
import { asError, isMidcallError } from '@midcall/core/errors';
import { restoreBody } from '@midcall/core/fetch';
import {
  checkKind,
  checkOptions,
  func,
  having,
  hostName,
  type Kind,
  type Kinds,
  listOf,
  parts,
  path,
  positive,
  serverFactoryKind,
} from '@midcall/core/options';
import { type StopOptions, type StopPart, stopKinds, stopParts } from '@midcall/core/stop';
import { visible } from '@midcall/core/text';
import { clockKind } from '@midcall/core/time';
import {
  type AuthInfo,
  createMcpHandler,
  DEFAULT_MAX_REQUEST_BODY_SIZE,
  isJsonContentType,
  isLegacyRequest,
  localhostAllowedHostnames,
  localhostAllowedOrigins,
  type McpRequestContext,
  type McpServer,
  type McpServerFactory,
  type ServerNotifier,
  validateHostHeader,
  validateOriginHeader,
} from '@modelcontextprotocol/server';
import { writeError } from '../observe/index.ts';
import { makeServer } from '../request/index.ts';
import { type AnyServerFactory, asksForTasks, refusalOf, subscribeAt, TaskStreams } from '../sdk-seam/index.ts';
import { checkedFactory, Serving } from '../serving/index.ts';
import { batchRefusal, boundRequest, listens, readRequest, requestsIn, unread } from './body.ts';
import { servingPages } from './cors.ts';
import type { EventStoreOptions } from './event-store.ts';
import { type Fleet, fleetSessions } from './fleet.ts';
import { OpenRequests } from './open-requests.ts';
import { type Refusal, refused } from './refusal.ts';
import { OpenResponses, untilEnd } from './response-end.ts';
import { ownerBy, readSender } from './sender.ts';
import type { SessionRequest } from './session.ts';
import { HttpSessions, type SessionOptions, withDefaults } from './sessions.ts';
import { type Outgoing, UnreadBytes, type UnreadOptions } from './unread-bytes.ts';

/** Where a load balancer asks a replica of a fleet whether it takes requests. */
export const HEALTH_PATH = '/healthz';

/** How an endpoint is served. */
export interface HttpOptions {
  /** The endpoint's path as clients see it, with the path below which a framework mounts it; `/mcp` by default. */
  readonly path?: string;
  /** Serves every other path, such as pages beside the endpoint; 404 if absent. Only the Host header is checked first. */
  readonly elsewhere?: (request: Request) => Response | Promise<Response>;
  /** Host names, without port, by which clients reach this server, besides loopback. */
  readonly allowedHosts?: readonly string[];
  /**
   * Host names, without scheme and port, of pages that may call this server. Requests of loopback pages are taken too, but their
   * browsers keep the answers from them unless `localhost` is named.
   */
  readonly allowedOrigins?: readonly string[];
  /**
   * Identifies the sender of a request: returns the verified token, nothing if anybody may call, or the response that refuses
   * it. The SDK's `requireBearerAuth` fits.
   */
  readonly authenticate?: (request: Request) => Promise<AuthInfo | Response | undefined>;
  /**
   * Serves a request in place of this endpoint if another process owns its subject; returns nothing if this one does. By then
   * the sender is known and the body has been read.
   */
  readonly passOn?: (request: Request, context: RequestExtras) => Promise<Response | undefined>;
  /**
   * The owner of a session, as one string. By default the token's client, plus its issuer and subject if the verifier put `iss`
   * and `sub` into `extra`.
   */
  readonly owner?: (auth: AuthInfo) => string;
  /**
   * Sessions of 2025-11-25 clients. `false` if no process lives from one request to the next: such a client is then served
   * without a session, so that its person can be asked through channels other than its own.
   */
  readonly sessions?: SessionOptions | false;
  /**
   * The replicas that serve this endpoint together: `redisFleet(…)` of `@midcall/server/fleet`. Sessions are this process's own
   * if absent. With it, `/healthz` tells a load balancer whether this replica takes requests.
   */
  readonly fleet?: Fleet;
  /** The maximum size of a request in bytes; 4 MiB by default. */
  readonly maxRequestBytes?: number;
  /**
   * How much may wait for clients that do not read it. Beyond that, responses are cut: the connection closes, and a client with a
   * session can resume a stream. One message may be larger.
   */
  readonly unread?: UnreadOptions;
  /**
   * Called with errors, whose messages are one line of visible text; changes no response. If absent, those of the server itself,
   * such as what the factory throws, are written to standard error with their stacks; those of a client's making are not.
   */
  readonly onError?: (error: Error) => void;
}

/** An origin that may call: a host, or a scheme that is not of the web, for all pages of it. */
const allowedOrigin: Kind = {
  words: `${hostName.words}, or a scheme such as 'chrome-extension://*'`,
  fits: value =>
    hostName.fits(value) || (typeof value === 'string' && /^(?!https?:)[a-z][a-z0-9+.-]*:\/\/\*$/.test(value)),
};
const sessionKinds = parts<SessionOptions>({
  idleMs: positive,
  max: positive,
  maxPerOwner: positive,
  maxCalls: positive,
  streamAfterMs: positive,
  events: parts<EventStoreOptions>({
    maxEvents: positive,
    maxBytes: positive,
    maxBytesPerOwner: positive,
    maxBytesInAll: positive,
    keepMs: positive,
  }),
  clock: clockKind,
  onError: func,
});
/** The kinds of the options of an endpoint. */
export const endpointKinds: Kinds<HttpOptions> = {
  path,
  elsewhere: func,
  allowedHosts: listOf(hostName),
  allowedOrigins: listOf(allowedOrigin),
  authenticate: func,
  passOn: func,
  owner: func,
  sessions: {
    ...sessionKinds,
    words: `false, or ${sessionKinds.words}`,
    fits: value => value === false || sessionKinds.fits(value),
    inside: (value, at) => (value === false ? undefined : sessionKinds.inside?.(value, at)),
  },
  fleet: having('a fleet made by redisFleet(…) of @midcall/server/fleet', 'attach'),
  maxRequestBytes: positive,
  unread: parts<UnreadOptions>({ maxBytes: positive, maxBytesPerOwner: positive, maxBytesInAll: positive }),
  onError: func,
};

/** What is known about a request besides what it says. */
export interface RequestExtras {
  /** The sender, if the endpoint has no `authenticate` and something in front of it has checked. */
  readonly authInfo?: AuthInfo;
  /** Its body, if a parser in front of the endpoint has read it. */
  readonly parsedBody?: unknown;
  /**
   * What sends the response, such as Node's `ServerResponse`: it tells exactly what has been sent, and ends a connection whose
   * client does not read. `nodeHandler` gives it.
   */
  readonly outgoing?: Outgoing;
}

/** One endpoint, to be mounted wherever there are requests and responses. */
export interface McpEndpoint {
  /** Serves one request; never rejects. It needs no `this`. */
  fetch(request: Request, context?: RequestExtras): Promise<Response>;
  /** Notifies listening 2026-07-28 clients of changes. */
  readonly notify: ServerNotifier;
  /** How many sessions are open. */
  readonly sessions: number;
  /** The answer of a fleet's `/healthz`: whether this replica takes requests, and why not. */
  health(): Promise<Health>;
  /**
   * Refuses new requests, lets those in progress end and their results arrive, and closes everything, with the instances of
   * `midcall()` whose servers nobody else serves. If the endpoint was passed to `serveHttp` or `serveEndpoints`, stop what these have
   * returned instead.
   * @param options - `within`: milliseconds that requests in progress may take; 10,000 if absent. Calls that wait for a person do not
   *   take them: their questions are withdrawn, or go on in a round, in a task or with a ticket. In a fleet another replica continues
   *   them; their clients are told to reconnect
   */
  stop(options?: StopOptions): Promise<void>;
}

const stopPartsOf = new WeakMap<McpEndpoint, () => StopPart[]>();

/** What is stopped of an endpoint, for those who stop it together with others. */
export const partsOf = (endpoint: McpEndpoint): StopPart[] => stopPartsOf.get(endpoint)?.() ?? [];

const ownerOf = (auth: AuthInfo): string => JSON.stringify([auth.clientId, auth.extra?.['iss'], auth.extra?.['sub']]);

/**
 * An endpoint for both eras from one factory.
 * @param factory - builds a server: once per 2026-07-28 request, once per 2025-11-25 session. Keys, stores and
 *   `midcall(…)` itself belong outside it.
 * @example
 * ```ts
 * const endpoint = mcpEndpoint(() => notesServer(mid), { allowedHosts: ['notes.example.com'] });
 * const response = await endpoint.fetch(request);
 * ```
 */
export function mcpEndpoint(factory: AnyServerFactory, options: HttpOptions = {}): McpEndpoint {
  checkKind('mcpEndpoint', 'the first argument', factory, serverFactoryKind);
  checkOptions('mcpEndpoint', options, endpointKinds);
  const { path = '/mcp', owner = ownerOf, maxRequestBytes = DEFAULT_MAX_REQUEST_BODY_SIZE } = options;
  const onError = options.onError && visibleErrors(options.onError);
  const serving = new Serving();
  const responses = new OpenResponses();
  const made = checkedFactory(factory as McpServerFactory, onError);
  const build: McpServerFactory = async context => serving.follow(await made(context));
  const hosts = [...localhostAllowedHostnames(), ...(options.allowedHosts ?? [])];
  const origins = [...localhostAllowedOrigins(), ...(options.allowedOrigins ?? [])];
  const bodies = new WeakMap<Request, unknown>();
  /** The server that was made for a request to listen. */
  const listening = new WeakMap<Request, McpServer>();
  const streams = new TaskStreams();
  const make: McpServerFactory = async context => {
    const server = await makeServer(build, withBody(context, bodies));
    const { requestInfo: request } = context;
    if (request && 'registerTool' in server && asksForTasks(bodies.get(request))) listening.set(request, server);
    return server;
  };
  const standing = createMcpHandler(make, {
    legacy: options.sessions === false ? 'stateless' : 'reject',
    maxRequestBodySize: maxRequestBytes,
    ...(onError && { onerror: onError }),
  });
  if (options.fleet && options.sessions === false)
    throw new TypeError('mcpEndpoint: a fleet serves sessions: leave out sessions: false.');
  const { onError: tellOfSessions } = options.sessions || {};
  const shared = {
    ...(onError && { onError }),
    ...options.sessions,
    ...(tellOfSessions && { onError: visibleErrors(tellOfSessions) }),
    tellsOwnersApart: options.authenticate !== undefined,
  };
  const buildForFleet: McpServerFactory = async context => serving.made(await made(context));
  const fleet = options.fleet && fleetSessions(options.fleet, buildForFleet, shared);
  const sessions = options.sessions === false ? undefined : (fleet ?? new HttpSessions(build, shared));
  const { maxPerOwner, maxCalls } = withDefaults(options.sessions || {});
  const openRequests = new OpenRequests({ listening: maxPerOwner, inAll: maxCalls });

  const unreadBytes = new UnreadBytes({
    path,
    limits: options.unread,
    tellsOwnersApart: shared.tellsOwnersApart,
    onCut: reason => onError?.(new Error(reason)),
  });

  const health = () => judgeHealth(serving.isStopping, async () => fleet?.ready());

  /** Decided by its head alone: undefined if the request is for this endpoint. */
  const judgeHead = async (
    request: Request,
    at: URL,
    context: RequestExtras,
  ): Promise<Response | Refusal | undefined> => {
    // A load balancer knows a replica only by its address.
    if (options.fleet && at.pathname === HEALTH_PATH) {
      const report = await health();
      return Response.json(report, { status: report.ok ? 200 : 503, headers: { 'cache-control': 'no-store' } });
    }
    const host = validateHostHeader(request.headers.get('host') ?? at.host, hosts);
    if (!host.ok) return { status: 403, code: -32000, message: host.message };
    if (at.pathname !== path) {
      if (!options.elsewhere) return { status: 404, code: -32000, message: `Not found. This endpoint is at ${path}.` };
      const bounded = await boundRequest(restoreBody(request, context.parsedBody), maxRequestBytes);
      return bounded instanceof Request ? options.elsewhere(bounded) : bounded;
    }
    const origin = validateOriginHeader(request.headers.get('origin'), origins);
    if (!origin.ok) return { status: 403, code: -32000, message: origin.message };
    if (!methods.includes(request.method)) {
      return { status: 405, code: -32000, message: `Use ${methods.join(', ')}.`, allow: methods };
    }
    if (request.method === 'POST' && !isJsonContentType(request.headers.get('content-type'))) {
      return { status: 415, code: -32000, message: 'Content-Type must be application/json.' };
    }
    return undefined;
  };

  const serve = async (request: Request, context: RequestExtras): Promise<Response> => {
    const elsewhere = await judgeHead(request, new URL(request.url), context);
    if (elsewhere) return elsewhere instanceof Response ? elsewhere : refused(elsewhere);
    // The sender of a request is identified before its body is read.
    const auth = readSender(options.authenticate ? await options.authenticate(withoutBody(request)) : context.authInfo);
    if (auth instanceof Response) return auth;
    const read = await readRequest(request, context.parsedBody, maxRequestBytes);
    if ('refusal' in read) return refused(read.refusal);
    const body = read.value;
    const sentBy = auth ? ownerBy(owner, auth) : '';
    const unread = unreadBytes.of(sentBy, context.outgoing);
    const passed = await options.passOn?.(request, { parsedBody: body, ...(auth && { authInfo: auth }) });
    if (passed) return unread.send(passed);
    const requests = requestsIn(body).length;
    if (serving.isStopping && requests > 0) return refused(stopping, body);
    const sending = serveHere({ request, body, auth, owner: sentBy, unread }).then(response => unread.send(response));
    return requests > 0 && !listens(body) ? responses.follow(sending) : sending;
  };

  const serveHere = async (sent: SessionRequest): Promise<Response> => {
    const { request, body, auth, owner: sentBy } = sent;
    if (await isLegacyRequest(request, body)) {
      if (sessions) {
        const served = await sessions.serve(sent);
        return 'code' in served ? refused(served, body) : served;
      }
      const refusal = batchRefusal(body, request.headers.get('mcp-protocol-version') ?? undefined);
      if (refusal) return refused(refusal);
    }
    const release = auth || options.authenticate ? openRequests.take(sentBy, body) : () => {};
    if (typeof release !== 'function') return refused(release, body);
    bodies.set(request, body);
    const response = answer(request, body, auth).then(each => sent.unread.buffer(each));
    return untilEnd(response, release);
  };

  const answer = async (request: Request, body: unknown, auth: AuthInfo | undefined): Promise<Response> => {
    const response = await standing.fetch(request, { parsedBody: body, ...(auth && { authInfo: auth }) });
    const server = listening.get(request);
    const asked = server && asksForTasks(body);
    if (!server || !asked) return response;
    try {
      const subscription = await subscribeAt(server, asked, { req: request, ...(auth && { authInfo: auth }) });
      return subscription ? streams.amend(response, asked, subscription) : response;
    } catch (error) {
      void response.body?.cancel().catch(() => {});
      // (2026-07-28, basic/transports, "Missing Required Client Capability")
      const status = (error as { code?: unknown }).code === MISSING_CAPABILITY ? 400 : 200;
      return Response.json(refusalOf(asked.id, error), { status });
    }
  };

  const answerAll: McpEndpoint['fetch'] = async (request, context = {}) => {
    try {
      return await serve(request, context);
    } catch (error) {
      if (onError) onError(asError(error));
      else writeError('a request', error);
      return refused({ status: 500, code: -32603, message: 'Internal server error.' });
    }
  };
  let stopped: Promise<void> | undefined;
  const endpoint: McpEndpoint = {
    fetch: servingPages(answerAll, path, options.allowedOrigins ?? [], methods),
    notify: standing.notify,
    get sessions() {
      return sessions?.size ?? 0;
    },
    health,
    stop(how = {}) {
      checkOptions('endpoint.stop', how, stopKinds);
      stopped ??= stopParts(partsOf(endpoint), how);
      return stopped;
    },
  };
  stopPartsOf.set(endpoint, () => [
    ...serving.parts(),
    ...(fleet ? [fleet] : []),
    {
      begin() {},
      idle: () => responses.idle(),
      end() {},
      async close() {
        streams.closeAll();
        await Promise.all([!fleet && sessions?.close(), standing.close()]);
      },
    },
  ]);
  return endpoint;
}

const stopping: Refusal = {
  status: 503,
  code: -32000,
  message:
    'This server is stopping and takes no new requests, and has begun nothing. If the request was sent before, find out what took ' +
    'effect; otherwise send it again.',
  retryAfter: 1,
};

const MISSING_CAPABILITY = -32021;

/** The methods that the endpoint serves. */
const methods = ['GET', 'POST', 'DELETE'];

/** The request line and headers alone. */
const withoutBody = ({ url, method, headers }: Request): Request => new Request(url, { method, headers });

/** The context passed to a factory, with a request whose body can be read; created when the factory accesses it. */
function withBody(context: McpRequestContext, bodies: WeakMap<Request, unknown>): McpRequestContext {
  const { requestInfo: request, ...rest } = context;
  if (!request) return rest;
  return {
    ...rest,
    get requestInfo() {
      return unread(request, bodies.get(request));
    },
  };
}

/** The state of a replica. */
export interface Health {
  readonly ok: boolean;
  /** `ready`; `draining` if it takes no new calls; `store` if its store cannot be used. */
  readonly status: 'ready' | 'draining' | 'store';
}

/**
 * Judges whether a replica takes requests, for load balancers.
 * @param ready - throws if the store cannot be used
 */
async function judgeHealth(draining: boolean, ready: () => Promise<void>): Promise<Health> {
  if (draining) return { ok: false, status: 'draining' };
  try {
    await ready();
    return { ok: true, status: 'ready' };
  } catch (error) {
    if (isMidcallError(error)) return { ok: false, status: 'store' };
    throw error;
  }
}

/** The most characters of an error in an operator's log. */
const longestError = 1_000;

/**
 * Tells of each error in one line of visible text; if that changes its message, the error itself is the `cause`. The SDK quotes
 * what a client sent, so that anybody could write lines of their own into the log, control the terminal that shows it, or fill it.
 */
export const visibleErrors =
  (onError: (error: Error) => void) =>
  (error: Error): void => {
    const message = visible(error.message, { max: longestError });
    onError(message === error.message ? error : new Error(message, { cause: error }));
  };
