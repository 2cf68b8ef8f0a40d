/**
 * A bridge for many hosts over HTTP, with one endpoint for each upstream server. Every principal has its own upstream servers
 * and questions, unless an entry of the server list lets one process serve all.
 *
 * - http-bridge-H1 Nothing of one principal reaches another: no questions, no kept calls, and no directories.
 * - http-bridge-H2 The desk is for the person at this machine. A question to anybody else that their host cannot show waits in an inbox of
 *   theirs, if the bridge has inboxes, and ends unanswered otherwise.
 * - http-bridge-H3 Directories of hosts are passed on only if the hosts are on this machine; paths of another machine mean
 *   nothing on this one.
 */
import { isMidcallError, MidcallError } from '@midcall/core/errors';
import { defined } from '@midcall/core/json';
import { afterClose } from '@midcall/core/sdk-seam';
import type { StopOptions } from '@midcall/core/stop';
import { systemClock } from '@midcall/core/time';
import type { ServerEntry } from '@midcall/host';
import type { Call, Principal } from '@midcall/server';
import type { Fleet, Owners } from '@midcall/server/fleet';
import { type HttpOptions, mcpEndpoint } from '@midcall/server/http';
import { serveEndpoints } from '@midcall/server/node';
import {
  McpServer,
  type McpServerFactory,
  ProtocolError,
  ProtocolErrorCode,
  type ServerContext,
} from '@modelcontextprotocol/server';
import { isSignInNeeded, orSignIn } from '../desk/index.ts';
import { bridgeMidcall, hostServer, pendingServer } from '../forward/index.ts';
import { capabilitiesIn, type HostLink } from '../link/index.ts';
import type { UpstreamSession } from '../upstream/index.ts';
import { type Caller, type CallerGuard, localCaller } from './callers.ts';
import { passOn } from './pass-on.ts';
import { holderOf, Principals, type PrincipalsOptions } from './principals.ts';
import type { PoolUser, UpstreamPool } from './upstream-pool.ts';

/** One entry of the server list. */
export interface BridgedEntry {
  /** Where hosts reach it, such as `/mcp/notes`. */
  readonly path: string;
  readonly entry: ServerEntry;
  /** Identifies who calls; everybody is the person at this machine if absent. */
  readonly guard?: CallerGuard;
}

/** Other bridges that serve the same entries to the same hosts. */
export interface BridgeFleet {
  /** The sessions of an entry, whichever bridge opened them. */
  sessions(path: string): Promise<Fleet>;
  /** Which bridge runs which servers. @param address - where this one listens */
  owners(address: URL): Promise<Owners>;
}

/** Options of a bridge over HTTP. */
export interface HttpBridgeOptions extends PrincipalsOptions {
  readonly entries: readonly BridgedEntry[];
  /** The address to listen on; loopback by default. */
  readonly host?: string;
  readonly port: number;
  readonly allowedHosts?: readonly string[];
  readonly allowedOrigins?: readonly string[];
  /** How many milliseconds a client is kept waiting for an answer at the desk; 45,000 if absent. */
  readonly holdMs?: number;
  readonly suspectBelowMs?: number;
  /** The largest request, in bytes; 16 MiB if absent. */
  readonly maxRequestBytes?: number;
  /** How much may wait for hosts that do not read it; as for an endpoint, and in all for every server together. */
  readonly unread?: HttpOptions['unread'];
  /** Serves pages beside the endpoints; undefined for an address that is none of theirs. The Host header has been checked. */
  readonly pages?: (request: Request) => Promise<Response | undefined>;
  /** The other bridges at the same address, with the key that all share; none if absent. */
  readonly fleet?: BridgeFleet;
}

/** A bridge that is listening. */
export interface HttpBridge {
  /** The address, with the path `/`. */
  readonly url: URL;
  /** How many upstream servers are running. */
  readonly servers: number;
  /**
   * Refuses new calls, ends open questions, lets calls in progress end and their results reach the hosts, ends sessions, and stops the
   * upstream servers and the desk.
   * @param options - `within`: milliseconds that calls may take; 10,000 if absent; `atOnce`: does not wait for a server process to
   *   exit by itself
   */
  stop(options?: StopOptions & { readonly atOnce?: boolean }): Promise<void>;
}

/**
 * Starts listening for hosts.
 * @throws MidcallError `server/setup` if the address is in use or cannot be listened on
 */
export async function startHttpBridge(options: HttpBridgeOptions): Promise<HttpBridge> {
  const { entries, host, port, allowedHosts, allowedOrigins, sampling, warn, onError, fleet } = options;
  const { clock = systemClock, holdMs = 45_000, suspectBelowMs = 250 } = options;
  const { maxRequestBytes = 16 * 1024 * 1024, unread = {} } = options;
  const { maxBytesInAll = 256 * 1024 * 1024 } = unread;
  const principals = new Principals(options);
  const guards = new Map(entries.map(({ path, guard }) => [path, guard]));
  const callerOf = (path: string, auth: Parameters<CallerGuard['callerOf']>[0] | undefined): Caller => {
    const guard = guards.get(path);
    if (!guard) return localCaller;
    if (!auth) throw new MidcallError('server/setup', 'A request came past the guard of the bridge.');
    return guard.callerOf(auth);
  };
  const mid = bridgeMidcall({
    clock,
    suspectBelowMs,
    holdMs,
    warn,
    // No other process can continue a call of this bridge, since the call ends with it. Only the bridges of a fleet may promise
    // more.
    ...(!fleet && { key: crypto.getRandomValues(new Uint8Array(32)) }),
    principal: principalOf,
    asksRoots: options.hostRoots !== undefined && !options.roots,
    asksModel: !sampling.always,
  });
  const factory =
    ({ path, entry }: BridgedEntry): McpServerFactory =>
    async ({ era, authInfo, requestInfo }) => {
      const caller = callerOf(path, authInfo);
      const isOld = era === 'legacy';
      const user: PoolUser = { live: isOld };
      const forward = { principal: caller.id, clock, holdMs, ownModels: sampling.always };
      let leaveSession = (): void => {};
      let isGone = false;
      const leave = (): void => {
        isGone = true;
        leaveSession();
        principals.leave(caller, entry, user);
      };
      try {
        const kind = principals.kindOf(caller, entry, capabilitiesIn(await bodyOf(requestInfo)));
        const pool = (): UpstreamPool => principals.pool(caller, entry);
        const answeredInTime = (starting: Promise<UpstreamSession>, waitMs = holdMs): Promise<UpstreamSession> =>
          orSignIn(starting, {
            inbox: principals.inbox(caller, entry),
            server: principals.serverId(caller, entry, user),
            clock,
            holdMs: waitMs,
          });
        let session: UpstreamSession | undefined;
        const use = (now: UpstreamSession): UpstreamSession => {
          // A task continues after its host has disconnected; only its call keeps the server in use.
          if (isGone) principals.leave(caller, entry, user);
          if (now === session) return now;
          session = now;
          if (isGone) return now;
          leaveSession();
          leaveSession = now.join(link);
          return now;
        };
        const ready = async (): Promise<UpstreamSession> =>
          session ?? use(await answeredInTime(pool().any(user, kind)));
        const sessionFor = async (call: Call): Promise<UpstreamSession> =>
          kind.hasRoots && call.can.roots
            ? use(await answeredInTime(pool().withRoots(user, (await call.roots()) ?? [], kind)))
            : ready();
        const starting = pool().any(user, kind);
        const started = await answeredInTime(starting, 0).catch(error => {
          if (isSignInNeeded(error)) return undefined;
          throw error;
        });
        const facing = { mid, sessionFor, forward };
        const link: HostLink = started
          ? await hostServer({ ...facing, era, session: () => session ?? started })
          : pendingServer({ ...facing, isOld, name: entry.id, ready });
        if (started) use(started);
        else
          starting.then(
            now => {
              use(now);
              link.announceLists();
            },
            () => {},
          );
        afterClose(link.server.server, leave);
        return link.server;
      } catch (error) {
        leave();
        if (!isMidcallError(error, 'host/not-found') && !isMidcallError(error, 'host/server-gone')) throw error;
        return refusingServer(error.message);
      }
    };
  const elsewhere = async (request: Request): Promise<Response> => {
    const page = await options.pages?.(request);
    if (page) return page;
    const { pathname } = new URL(request.url);
    if (pathname === '/health') return Response.json({ status: 'ok' }, { headers: { 'cache-control': 'no-store' } });
    for (const guard of guards.values()) {
      const metadata = guard?.metadata(request);
      if (metadata) return metadata;
    }
    const names = [...guards.values()].some(Boolean) ? '' : ` There are: ${[...guards.keys()].join(', ')}.`;
    const error = { code: -32000, message: `There is no server at this address.${names}` };
    return Response.json({ jsonrpc: '2.0', id: null, error }, { status: 404 });
  };
  let haveOwners = (_: Owners): void => {};
  const owning = new Promise<Owners>(resolve => {
    haveOwners = resolve;
  });
  const passing = {
    owners: { ownerOf: async (name: string) => (await owning).ownerOf(name) },
    clock,
    onError: (error: Error) => onError?.(error),
  };
  const madeEndpoints = await Promise.all(
    entries.map(async each => {
      const { path, entry } = each;
      const served: HttpOptions = {
        ...(fleet && {
          fleet: await fleet.sessions(path),
          passOn: (request, { authInfo, parsedBody }) => {
            const holder = JSON.stringify([holderOf(callerOf(path, authInfo), entry).id, path]);
            return passOn(holder, request, parsedBody, passing);
          },
        }),
        path,
        elsewhere,
        maxRequestBytes,
        unread: { ...unread, maxBytesInAll: maxBytesInAll / entries.length },
        ...(each.guard && { authenticate: each.guard.authenticate }),
        ...defined({ allowedHosts, allowedOrigins, onError }),
      };
      return [path, mcpEndpoint(factory(each), served)] as const;
    }),
  );
  const endpoints = Object.fromEntries(madeEndpoints);
  principals.onListChanged = (entry, list) => {
    for (const { path } of entries.filter(each => each.entry === entry)) endpoints[path]!.notify[`${list}Changed`]();
  };
  const serving = await serveEndpoints(endpoints, { port, ...defined({ host, allowedHosts, onError }) });
  const owners = await fleet?.owners(serving.url).catch(async (error: unknown) => {
    await serving.stop({ within: 0 });
    throw error;
  });
  if (owners) haveOwners(owners);
  return {
    url: serving.url,
    get servers() {
      return principals.size;
    },
    async stop({ within, atOnce = false } = {}) {
      // Requests from now on go to another bridge; what is in progress here may end.
      await owners?.leave().catch(error => onError?.(error as Error));
      principals.closeInboxes();
      await serving.stop(defined({ within }));
      await principals.close({ atOnce });
      await owners?.close();
    },
  };
}

/** The body of a request, as far as it can be read. */
async function bodyOf(request: Request | undefined): Promise<unknown> {
  try {
    return await request?.clone().json();
  } catch {
    return undefined;
  }
}

/** The principal that a state is bound to; none if every caller is the person at this machine. */
function principalOf({ http }: ServerContext): Principal | undefined {
  const { iss, sub } = http?.authInfo?.extra ?? {};
  return typeof iss === 'string' && typeof sub === 'string' ? { issuer: iss, subject: sub } : undefined;
}

const refusedMethods = [
  'initialize',
  'tools/list',
  'tools/call',
  'prompts/list',
  'prompts/get',
  'resources/list',
  'resources/templates/list',
  'resources/read',
];

/**
 * The server that a host meets if its upstream server is not available: it answers every request with the reason. On 2026-07-28
 * the SDK answers `server/discover` itself, so every capability is declared here, and refused when it is used.
 * @param message - told to the host with every request, those that open a session among them
 */
function refusingServer(message: string): McpServer {
  const refusing = new McpServer(
    { name: 'midcall-bridge', version: '0' },
    { capabilities: { tools: {}, prompts: {}, resources: {} }, instructions: message },
  );
  for (const method of refusedMethods) {
    refusing.server.setRequestHandler(method as 'ping', () => {
      throw new ProtocolError(ProtocolErrorCode.InternalError, message);
    });
  }
  return refusing;
}
