/**
 * Sits between any host and any upstream server, in either revision on each side. Calls are passed through unchanged. Questions
 * of the upstream server are answered by the host if it can, and otherwise by the person at the desk.
 */

import { defined } from '@midcall/core/json';
import type { SamplingModel } from '@midcall/core/sampling';
import { afterClose } from '@midcall/core/sdk-seam';
import type { StopOptions } from '@midcall/core/stop';
import { systemClock } from '@midcall/core/time';
import type { ConnectionOptions, OfferedRoots, ServerEntry } from '@midcall/host';
import type { Call } from '@midcall/server';
import { serveStdio } from '@midcall/server/node';
import type { McpServerFactory, Transport } from '@modelcontextprotocol/server';
import type { HostStdio } from '../../host-stdio/index.ts';
import { isSignInNeeded, orSignIn, type PersonDesk } from '../desk/index.ts';
import { bridgeMidcall, hostServer, pendingServer } from '../forward/index.ts';
import { awaitHost, type HostLink } from '../link/index.ts';
import { UpstreamSession } from '../upstream/index.ts';
import { rehearse } from './rehearsal.ts';

/** Options of a bridge. */
export interface BridgeOptions
  extends Pick<
    ConnectionOptions,
    | 'client'
    | 'inbox'
    | 'policy'
    | 'rules'
    | 'audit'
    | 'authorization'
    | 'era'
    | 'clock'
    | 'started'
    | 'maxMessageBytes'
  > {
  /**
   * The transport the host is connected to: standard input and output, or any other transport of one client. If it reports that
   * the host reads too slowly, the bridge stops reading from the server until the host has caught up.
   */
  readonly host: Transport & Pick<HostStdio, 'onfull' | 'ondrain'>;
  /** The directories that the upstream server is told of. */
  readonly roots: OfferedRoots;
  /** True if the operator granted them; the host's roots are then not asked for. */
  readonly ownRoots: boolean;
  /** Replies to sampling if the host has no model, or always. */
  readonly sampling: { readonly model: SamplingModel; readonly always: boolean };
  /** Where the person answers what the host cannot ask. */
  readonly desk: PersonDesk;
  /** Writes to the log, and says there why the upstream server is not there, which the host is not told. */
  readonly warn: (message: string) => void;
  /** Called with errors of the connection to the host. */
  readonly onError?: (error: Error) => void;
  /**
   * How many milliseconds a client is kept waiting for an answer at the desk; 45,000 if absent, since many clients give up at
   * 60,000.
   */
  readonly holdMs?: number;
  /** How many milliseconds a call continues while no client waits for it; 15 minutes if absent. */
  readonly unclaimedMs?: number;
  /**
   * Milliseconds; an answer of the host that comes sooner looks automatic, and the person is asked at the desk. 250 if absent.
   */
  readonly suspectBelowMs?: number;
}

/** A bridge with its host connected. */
export interface Bridge {
  /** Fires when the host has disconnected; stop the bridge then. */
  readonly gone: AbortSignal;
  /**
   * Refuses new calls, ends open questions, lets calls in progress end and their results reach the host, disconnects it, and stops the
   * upstream server.
   * @param options - `within`: milliseconds that calls may take; 10,000 if absent, and none once the host has disconnected; `atOnce`:
   *   does not wait for a server process to exit by itself; may also be given in a second call
   */
  stop(options?: StopOptions & { readonly atOnce?: boolean }): Promise<void>;
}

/**
 * Waits for the host's first request, starts the upstream server, and serves it.
 * @returns undefined if the host disconnected before that
 * @throws MidcallError `host/not-found` if the upstream server can be neither started nor reached
 */
export async function startBridge(entry: ServerEntry, options: BridgeOptions): Promise<Bridge | undefined> {
  const { inbox, roots, ownRoots, sampling, desk, warn } = options;
  const { holdMs = 45_000, unclaimedMs = 900_000, suspectBelowMs = 250, clock = systemClock } = options;
  const host = await awaitHost(options.host);
  if (!host) {
    await options.started?.stop();
    await desk.close();
    return undefined;
  }
  const { transport, gone } = host;
  const followsHostRoots = host.has.roots && !ownRoots;
  let session: UpstreamSession | undefined;
  let failed = false;
  const closed = new AbortController();
  /** The hosts that connected before the upstream server was ready, and whether they speak 2025-11-25. */
  const pending = new Map<HostLink, boolean>();
  const joinPending = (started: UpstreamSession): void => {
    for (const [link, isOld] of pending) {
      const { server } = link;
      afterClose(server.server, started.join(link));
      if (isOld) started.hostRoots?.follow(server);
      if (isOld && server.server.getClientCapabilities()) server.server.oninitialized?.();
      link.announceLists();
    }
    pending.clear();
  };
  const start = async (): Promise<UpstreamSession> => {
    const { client, policy, rules, audit, authorization, era, started, maxMessageBytes } = options;
    failed = false;
    try {
      session = await UpstreamSession.start(
        entry,
        {
          client,
          inbox,
          clock,
          // A server that is told of no roots at all falls back on its own; one that is told of an empty list must not.
          roots: ownRoots || followsHostRoots ? roots : undefined,
          followsHostRoots,
          sampling,
          showDesk: (question, connection) => desk.show(question, connection),
          tellWait: (callId, wait) => desk.tellWait(callId, wait),
          unclaimedMs,
          warn,
          ...defined({ policy, rules, audit, authorization, era, started, maxMessageBytes, declares: host.declares }),
        },
        AbortSignal.any([gone, closed.signal]),
      );
    } catch (error) {
      failed = true;
      throw error;
    }
    joinPending(session);
    desk.join(session.connection, host.name);
    return session;
  };
  let starting = start();
  // The rest until the first call is prepared while the server is starting.
  const mid = bridgeMidcall({
    clock,
    suspectBelowMs,
    holdMs,
    warn,
    asksRoots: followsHostRoots,
    asksModel: !sampling.always,
  });
  // After the first request to the server has left.
  if (host.isOld) setImmediate(() => void rehearse(options.era).catch(() => {}));
  const wait = { inbox, server: entry.id, clock };
  try {
    await orSignIn(starting, { ...wait, holdMs: 0 });
  } catch (error) {
    if (!isSignInNeeded(error)) {
      await desk.close();
      if (gone.aborted) return undefined;
      await transport.close();
      throw error;
    }
  }
  const ready = (anew: boolean): Promise<UpstreamSession> => {
    if (failed && anew) starting = start();
    return orSignIn(starting, { ...wait, holdMs });
  };
  options.host.onfull = () => session?.connection.pauseReading();
  options.host.ondrain = () => session?.connection.resumeReading();
  const forward = { clock, holdMs, ownModels: sampling.always };
  const factory: McpServerFactory = async ({ era }) => {
    const isOld = era === 'legacy';
    const sessionFor = async (call: Call): Promise<UpstreamSession> => {
      const running = await ready(true);
      const { hostRoots } = running;
      // A host on 2025-11-25 announces changes of its roots; one on 2026-07-28 is asked with each call.
      if (isOld) await hostRoots?.settled();
      else if (hostRoots && call.can.roots) await hostRoots.take((await call.roots()) ?? []);
      return running;
    };
    const running = session;
    if (!running) {
      const link = pendingServer({ isOld, mid, name: entry.id, ready: () => ready(false), sessionFor, forward });
      pending.set(link, isOld);
      return link.server;
    }
    const link = await hostServer({ era, mid, session: () => running, sessionFor, forward });
    if (isOld) running.hostRoots?.follow(link.server);
    afterClose(link.server.server, running.join(link));
    return link.server;
  };
  const serving = serveStdio(factory, { transport, ...defined({ onError: options.onError }) });
  return {
    gone,
    async stop({ within, atOnce = false } = {}) {
      inbox.close();
      await serving.stop(gone.aborted ? { within: 0 } : defined({ within }));
      closed.abort();
      const stopped = starting.then(
        started => started.close({ atOnce }),
        () => {},
      );
      await Promise.allSettled([desk.close(), stopped]);
    },
  };
}
