/**
 * A server in front of another server: any host in front, any server behind, in either revision on each side. Calls go
 * through as they are; what the server behind asks is answered by the host where it can, and else by the person on the desk.
 */
import { type Client, SdkErrorCode } from '@modelcontextprotocol/client';
import { McpServer, type McpServerFactory } from '@modelcontextprotocol/server';
import { defined } from '../defined.ts';
import { isMidcallError } from '../errors.ts';
import {
  type CallRequest,
  Connection,
  type ConnectionOptions,
  type RootsManager,
  type ServerEntry,
  systemClock,
} from '../host/index.ts';
import type { RunningDesk } from '../host/web/index.ts';
import type { SamplingModel } from '../sampling/index.ts';
import { digest, type Json, midcall } from '../server/index.ts';
import { CarriedCalls } from './carried-calls.ts';
import { type CarryParts, carry } from './carry.ts';
import { DeskBehind } from './desk-behind.ts';
import { hostModel } from './host-model.ts';
import { HostRoots } from './host-roots.ts';
import type { WireResult } from './outcome.ts';
import { type Behind, passAnnouncements, passListChanges, passThrough } from './pass-through.ts';

/** What a bridge stands on. */
export interface BridgeOptions
  extends Pick<ConnectionOptions, 'client' | 'inbox' | 'policy' | 'audit' | 'era' | 'clock'> {
  /** The directories the server behind is told of. */
  readonly roots: RootsManager;
  /** True where the operator has granted them; then the host's roots are not asked for. */
  readonly ownRoots: boolean;
  /** What replies to sampling where the host has no model, or always. */
  readonly sampling: { readonly model: SamplingModel; readonly always: boolean };
  /** Starts the desk over the same inbox; called at the first question that needs it. */
  readonly startDesk: (connection: Connection) => Promise<RunningDesk>;
  /** Opens a page in the person's browser, or tells them its address. @returns false where neither reaches anybody */
  readonly openPage: (url: string) => Promise<boolean>;
  readonly warn: (message: string) => void;
  /** Milliseconds a client is kept waiting for an answer on the desk; 45,000 where absent, since many give up at 60. */
  readonly holdMs?: number;
  /** Milliseconds a call goes on while no client waits for it; 15 minutes where absent. */
  readonly keptMs?: number;
  /** Milliseconds; an answer of the host that is faster looks automatic, and the desk is asked. 250 where absent. */
  readonly suspectBelowMs?: number;
}

/** A bridge that can be served. */
export interface Bridge {
  /** For `serveStdio`, or any other way of serving one client. */
  readonly factory: McpServerFactory;
  /** Stops calls, the desk and the server behind. */
  close(): Promise<void>;
}

const kinds = { 'tools/call': 'tool', 'prompts/get': 'prompt', 'resources/read': 'resource' } as const;

/**
 * Starts the server behind, and gives what is served in front of it.
 * @throws MidcallError `host/not-found` where the server behind can be neither started nor reached
 */
export async function startBridge(entry: ServerEntry, options: BridgeOptions): Promise<Bridge> {
  const { inbox, roots, ownRoots, sampling, startDesk, openPage, warn } = options;
  const { holdMs = 45_000, keptMs = 900_000, suspectBelowMs = 250, clock = systemClock } = options;
  const { client, policy, audit, era } = options;
  const model = sampling.always ? sampling.model : hostModel(sampling.model, id => calls.behind(id));
  const stands = { client, inbox, roots, clock, sampling: { model }, ...defined({ policy, audit, era }) };
  const connection = await started(entry, stands, warn);
  const fronts = new Set<McpServer>();
  const desk = new DeskBehind({ start: () => startDesk(connection), open: openPage, clock });
  const calls = new CarriedCalls({
    inbox,
    clock,
    keptMs,
    run: (request, onProgress) => connection.run(request, { onProgress, timeoutMs: Number.POSITIVE_INFINITY }),
    digest: ({ kind, name, arguments: given = {} }) => digest([kind, name, given as Json]),
  });
  const mid = midcall({
    channels: ['native'],
    roots: { on2026: !ownRoots },
    sampling: { on2026: !sampling.always },
    now: clock.now,
    suspectBelowMs,
    warn,
  });
  const hostRoots = new HostRoots({ manager: roots, server: entry.id, warn });
  const behind: Behind = async () => {
    // A server that has stopped by itself is there again for the next request.
    if (connection.state === 'failed') await connection.restart();
    return connection.client as Client;
  };
  const parts: CarryParts = {
    calls,
    inbox,
    clock,
    holdMs,
    ownModels: sampling.always,
    showDesk: question => desk.show(question),
    async prepare(call) {
      await behind();
      if (!ownRoots && call.can.roots) await hostRoots.take((await call.roots()) ?? []);
    },
  };

  const listen = (): void => void (connection.client && passAnnouncements(connection.client, fronts));
  listen();
  const stopListening = connection.subscribe(event => {
    if (event.type === 'state' && event.state === 'ready') listen();
    if (event.type === 'catalogue-changed') passListChanges(connection.client?.getServerCapabilities() ?? {}, fronts);
  });

  return {
    async factory({ era }) {
      const can = (await behind()).getServerCapabilities() ?? {};
      const { name, version, title, instructions, era: eraBehind } = connection.server!;
      const front = new McpServer(
        { name, version, ...(title !== undefined && { title }) },
        instructions === undefined ? {} : { instructions },
      );
      passThrough(front, can, behind, era === 'legacy' && eraBehind === '2025-11-25');
      for (const [method, kind] of Object.entries(kinds) as [keyof typeof kinds, CallRequest['kind']][]) {
        if (!can[`${kind}s`]) continue;
        mid.handle<WireResult>(front, method, ({ params, ctx }, call) => {
          const { name, uri, arguments: given } = params as { name?: string; uri?: string; arguments?: object };
          return carry({ kind, name: name ?? uri ?? '', arguments: { ...given } }, call, ctx, parts);
        });
      }
      if (era === 'legacy' && !ownRoots) hostRoots.follow(front);
      fronts.add(front);
      const { onclose } = front.server;
      front.server.onclose = () => {
        fronts.delete(front);
        onclose?.();
      };
      return front;
    },
    async close() {
      stopListening();
      calls.close();
      await desk.close();
      await connection.stop();
      await mid.close();
    },
  };
}

/** The server behind. Old ones cannot read that a client has URL mode, and do not start: those are told of forms alone. */
async function started(
  entry: ServerEntry,
  options: ConnectionOptions,
  warn: (message: string) => void,
): Promise<Connection> {
  const connection = new Connection(entry, options);
  try {
    await connection.start();
    return connection;
  } catch (error) {
    if (!isMidcallError(error, 'host/not-found') || !refusesClient(error.cause)) throw error;
    const formsOnly = new Connection(entry, { ...options, modes: ['form'] });
    try {
      await formsOnly.start();
    } catch {
      throw error;
    }
    warn('the server does not start where a client has URL mode; it is told of forms alone.');
    return formsOnly;
  }
}

/** True where a server was there, and did not take what the client said of itself. */
const refusesClient = (cause: unknown): boolean => {
  const { code } = (cause ?? {}) as { code?: unknown };
  return typeof code === 'number' || code === SdkErrorCode.ConnectionClosed;
};
