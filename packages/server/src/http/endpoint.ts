/**
 * One HTTP endpoint for both eras. Requests of the 2026-07-28 revision stand alone, each with a server of its own from the
 * factory; clients of 2025-11-25 get sessions. Host and Origin are checked before anything is read, so that a page in a
 * browser cannot reach a server on this machine by rebinding a name.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { readTarget } from '@midcall/core/node';
import {
  checkGiven,
  checkOptions,
  func,
  type Kinds,
  listOf,
  name,
  parts,
  positive,
  serverFactoryKind,
} from '@midcall/core/options';
import type { NodeIncomingMessageLike } from '@modelcontextprotocol/node';
import {
  type AuthInfo,
  createMcpHandler,
  DEFAULT_MAX_REQUEST_BODY_SIZE,
  isJsonContentType,
  isLegacyRequest,
  localhostAllowedHostnames,
  localhostAllowedOrigins,
  type McpServerFactory,
  type ServerNotifier,
} from '@modelcontextprotocol/server';
import { readBody, takeBody } from './body.ts';
import type { EventStoreOptions } from './event-store.ts';
import { OpenRequests } from './open-requests.ts';
import { type Refusal, refuse } from './refusal.ts';
import { hostHeaderValidation, originValidation, toNodeHandler, toWebRequest } from './sdk-node.ts';
import { HttpSessions, type SessionOptions } from './sessions.ts';

/** How an endpoint is served. */
export interface HttpOptions {
  /** The endpoint's path; `/mcp` by default. */
  readonly path?: string;
  /** Serves every other path, such as pages beside the endpoint; 404 where absent. Only the Host is checked before. */
  readonly elsewhere?: (request: Request) => Response | Promise<Response>;
  /** Host names, without port, under which clients reach this server, besides loopback. */
  readonly allowedHosts?: readonly string[];
  /** Host names, without scheme and port, of pages that may call this server, besides loopback. */
  readonly allowedOrigins?: readonly string[];
  /**
   * Says who sends a request: the verified token, nothing where anybody may call, or the response that refuses it.
   * The SDK's `requireBearerAuth` fits.
   */
  readonly authenticate?: (request: Request) => Promise<AuthInfo | Response | undefined>;
  /**
   * Whom a session belongs to, as one string. By default the token's client, and its issuer and subject where the
   * verifier put `iss` and `sub` into `extra`.
   */
  readonly owner?: (auth: AuthInfo) => string;
  /** Sessions of 2025-11-25 clients. */
  readonly sessions?: SessionOptions;
  /** Bytes a request may have; 4 MiB by default. */
  readonly maxRequestBytes?: number;
  /** Told of what went wrong; changes no response. */
  readonly onError?: (error: Error) => void;
}

const path = {
  words: "a path such as '/mcp'",
  fits: (value: unknown) => typeof value === 'string' && value.startsWith('/'),
};
/** What the options of an endpoint have to be. */
export const endpointKinds: Kinds<HttpOptions> = {
  path,
  elsewhere: func,
  allowedHosts: listOf(name),
  allowedOrigins: listOf(name),
  authenticate: func,
  owner: func,
  sessions: parts<SessionOptions>({
    idleMs: positive,
    max: positive,
    maxPerOwner: positive,
    maxCalls: positive,
    events: parts<EventStoreOptions>({ maxEvents: positive, maxBytes: positive }),
    now: func,
    every: func,
    onError: func,
  }),
  maxRequestBytes: positive,
  onError: func,
};

/** One endpoint, to be mounted in any Node server. */
export interface McpEndpoint {
  /**
   * Serves one request.
   * @param body - the parsed body, where a body parser has consumed the stream
   */
  handle(req: IncomingMessage, res: ServerResponse, body?: unknown): Promise<void>;
  /** Tells 2026-07-28 clients that listen what has changed. */
  readonly notify: ServerNotifier;
  /** How many sessions are open. */
  readonly sessions: number;
  /** Ends every session and running request. */
  close(): Promise<void>;
}

const ownerOf = (auth: AuthInfo): string => JSON.stringify([auth.clientId, auth.extra?.['iss'], auth.extra?.['sub']]);

/**
 * An endpoint for both eras from one factory.
 * @param factory - builds a server: once per 2026-07-28 request, once per 2025-11-25 session. Keys, stores and
 *   `midcall(…)` itself belong outside it.
 */
export function mcpEndpoint(factory: McpServerFactory, options: HttpOptions = {}): McpEndpoint {
  checkGiven('mcpEndpoint', 'the first argument', factory, serverFactoryKind);
  checkOptions('mcpEndpoint', options, endpointKinds);
  const { path = '/mcp', owner = ownerOf, maxRequestBytes = DEFAULT_MAX_REQUEST_BODY_SIZE, onError } = options;
  const hostAllowed = hostHeaderValidation([...localhostAllowedHostnames(), ...(options.allowedHosts ?? [])]);
  const originAllowed = originValidation([...localhostAllowedOrigins(), ...(options.allowedOrigins ?? [])]);
  const modern = createMcpHandler(factory, {
    legacy: 'reject',
    maxRequestBodySize: maxRequestBytes,
    ...(onError && { onerror: onError }),
  });
  const serveModern = toNodeHandler(modern, onError && { onerror: onError });
  const sessions = new HttpSessions(factory, {
    ...(onError && { onError }),
    ...options.sessions,
    tellsOwnersApart: options.authenticate !== undefined,
  });
  const { maxPerOwner = 100, maxCalls = 1_000 } = options.sessions ?? {};
  const openRequests = new OpenRequests({ listening: maxPerOwner, inAll: maxCalls });

  const serve = async (req: IncomingMessage, res: ServerResponse, parsed: unknown): Promise<void> => {
    const target = readTarget(req);
    if (!target) return refuse(res, badTarget);
    req.url = target.path;
    if (!hostAllowed(req, res)) return;
    if (new URL(`http://localhost${target.path}`).pathname !== path) {
      if (!options.elsewhere) return refuse(res, { status: 404, code: -32000, message: 'Not found.' });
      const request = await toWebRequest(req as NodeIncomingMessageLike, undefined, {
        maxRequestBodySize: maxRequestBytes,
      });
      return sendResponse(res, await options.elsewhere(request));
    }
    if (!originAllowed(req, res)) return;
    if (!methods.includes(req.method ?? '')) {
      res.setHeader('allow', methods.join(', '));
      return refuse(res, { status: 405, code: -32000, message: `Use ${methods.join(', ')}.` });
    }
    if (req.method === 'POST' && !isJsonContentType(req.headers['content-type'] ?? null)) {
      return refuse(res, { status: 415, code: -32000, message: 'Content-Type must be application/json.' });
    }
    const auth = options.authenticate
      ? await options.authenticate(await toWebRequest(bodiless(req)))
      : (req as { auth?: AuthInfo }).auth;
    if (auth instanceof Response) return sendResponse(res, auth);
    const incoming = Object.assign(req, auth && { auth }) as NodeIncomingMessageLike & IncomingMessage;
    if (parsed !== undefined) {
      const taken = takeBody(parsed);
      if ('refusal' in taken) return refuse(res, taken.refusal);
    }
    const request = await toWebRequest(incoming, parsed, { maxRequestBodySize: maxRequestBytes });
    const read = parsed === undefined && req.method === 'POST' ? readBody(await request.text()) : { value: parsed };
    if ('refusal' in read) return refuse(res, read.refusal);
    const body = read.value;
    const sentBy = auth ? owner(auth) : '';
    if (await isLegacyRequest(request, body)) {
      const refusal = await sessions.serve({ req, res, body, auth, request, owner: sentBy });
      if (refusal) refuse(res, refusal, body);
      return;
    }
    const refusal = auth || options.authenticate ? openRequests.take(sentBy, body, res) : undefined;
    if (refusal) return refuse(res, refusal, body);
    await serveModern(incoming, res, body);
  };

  return {
    async handle(req, res, body) {
      try {
        await serve(req, res, body);
      } catch (error) {
        const refusal = failure(error);
        if (refusal.status === 500) onError?.(error instanceof Error ? error : new Error(String(error)));
        if (!res.headersSent) refuse(res, refusal);
        else res.destroy();
      }
    },
    notify: modern.notify,
    get sessions() {
      return sessions.size;
    },
    async close() {
      await Promise.all([sessions.close(), modern.close()]);
    },
  };
}

/** The request line and headers alone: who sends a request is settled before its body is read. */
function bodiless({ url, headers }: IncomingMessage): NodeIncomingMessageLike {
  return { method: 'GET', url: url ?? '/', headers, async *[Symbol.asyncIterator]() {} };
}

/** Of the endpoint itself. */
const methods = ['GET', 'POST', 'DELETE'];

const badTarget: Refusal = {
  status: 400,
  code: -32600,
  message: 'The request must name one host, in its Host header, and a path that begins with a slash.',
};

function failure(error: unknown): Refusal {
  if ((error as { status?: unknown }).status === 413) {
    return { status: 413, code: -32000, message: 'The request is too large.' };
  }
  return { status: 500, code: -32603, message: 'Internal server error.' };
}

async function sendResponse(res: ServerResponse, response: Response): Promise<void> {
  const cookies = response.headers.getSetCookie();
  if (cookies.length > 0) res.setHeader('set-cookie', cookies);
  for (const [name, value] of response.headers) if (name !== 'set-cookie') res.setHeader(name, value);
  res.writeHead(response.status).end(Buffer.from(await response.arrayBuffer()));
}
