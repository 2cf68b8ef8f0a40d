/**
 * A server between any host and any upstream server, in either revision on each side. Calls go
 * through as they are; what the upstream server asks is answered by the host where it can, and else by the person on the desk.
 */

import { defined, isRecord, own } from '@midcall/core/json';
import type { SamplingModel } from '@midcall/core/sampling';
import { afterClose } from '@midcall/core/sdk-seam';
import { systemClock } from '@midcall/core/time';
import type { Connection, ConnectionOptions, OfferedRoots, Question, ServerEntry } from '@midcall/host';
import type { RunningDesk } from '@midcall/host/web';
import type { Call } from '@midcall/server';
import type { McpServerFactory, Transport } from '@modelcontextprotocol/server';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import { bridgeMidcall } from './bridge-midcall.ts';
import type { HostLink } from './host-link.ts';
import { hostServer } from './host-server.ts';
import type { HostStdio } from './host-stdio.ts';
import { awaitHost } from './host-transport.ts';
import { LazyDesk } from './lazy-desk.ts';
import { pendingServer } from './pending-server.ts';
import { isSignInNeeded, orSignIn } from './sign-in-wait.ts';
import { UpstreamSession } from './upstream-session.ts';

/** What a bridge is made of. */
export interface BridgeOptions
  extends Pick<
    ConnectionOptions,
    'client' | 'inbox' | 'policy' | 'audit' | 'authorization' | 'era' | 'clock' | 'started' | 'maxMessageBytes'
  > {
  /**
   * Where the host speaks: standard input and output, or any other transport of one client. One that says when the host reads too
   * slowly has the server wait meanwhile.
   */
  readonly host: Transport & Pick<HostStdio, 'onfull' | 'ondrain'>;
  /** The directories the upstream server is told of. */
  readonly roots: OfferedRoots;
  /** True if the operator has granted them; then the host's roots are not asked for. */
  readonly ownRoots: boolean;
  /** What replies to sampling where the host has no model, or always. */
  readonly sampling: { readonly model: SamplingModel; readonly always: boolean };
  /** Starts the desk over the same inbox; called at the first question that needs it. */
  readonly startDesk: (connection: Connection) => Promise<RunningDesk>;
  /** Opens a page in the person's browser, or tells them its address. @returns false if neither reaches anybody */
  readonly openPage: (url: string) => Promise<boolean>;
  readonly warn: (message: string) => void;
  /** Told of errors of the connection to the host. */
  readonly onError?: (error: Error) => void;
  /** Milliseconds a client is kept waiting for an answer on the desk; 45,000 if absent, since many give up at 60. */
  readonly holdMs?: number;
  /** Milliseconds a call goes on while no client waits for it; 15 minutes if absent. */
  readonly keptMs?: number;
  /** Milliseconds; an answer of the host that is faster looks automatic, and the desk is asked. 250 if absent. */
  readonly suspectBelowMs?: number;
}

/** A bridge that serves its host. */
export interface Bridge {
  /** Fires when the host has gone; close the bridge then. */
  readonly gone: AbortSignal;
  /**
   * Stops calls, the desk and the upstream server, and lets the host go.
   * @param options - `atOnce`: a server that was started is not given the time to end by itself; may be said later, too
   */
  close(options?: { readonly atOnce?: boolean }): Promise<void>;
}

/**
 * Waits for the host's first request, starts the upstream server, and serves it.
 * @returns undefined if the host went away before that
 * @throws MidcallError `host/not-found` if the upstream server can be neither started nor reached
 */
export async function startBridge(entry: ServerEntry, options: BridgeOptions): Promise<Bridge | undefined> {
  const { inbox, roots, ownRoots, sampling, startDesk, openPage, warn } = options;
  const { holdMs = 45_000, keptMs = 900_000, suspectBelowMs = 250, clock = systemClock } = options;
  const host = await awaitHost(options.host);
  if (!host) {
    await options.started?.stop();
    return undefined;
  }
  const { transport, gone } = host;
  const followsHostRoots = host.has.roots && !ownRoots;
  let desk: LazyDesk | undefined;
  const showDesk = (question: Question, connection: Connection): Promise<boolean> => {
    desk ??= new LazyDesk({
      start: () => startDesk(connection),
      open: openPage,
      isOpen: ({ id }) => inbox.get(id) !== undefined,
      clock,
      warn,
    });
    return desk.show(question);
  };
  let session: UpstreamSession | undefined;
  let failed = false;
  const closed = new AbortController();
  /** Those of hosts that came before the upstream server was there, and whether they speak 2025-11-25. */
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
    const { client, policy, audit, authorization, era, started, maxMessageBytes } = options;
    failed = false;
    try {
      session = await UpstreamSession.start(
        entry,
        {
          client,
          inbox,
          clock,
          // A server that is told of no roots at all makes do with its own; one that is told of an empty list must not.
          roots: ownRoots || followsHostRoots ? roots : undefined,
          followsHostRoots,
          sampling,
          showDesk,
          keptMs,
          warn,
          ...defined({ policy, audit, authorization, era, started, maxMessageBytes, declares: host.declares }),
        },
        AbortSignal.any([gone, closed.signal]),
      );
    } catch (error) {
      failed = true;
      throw error;
    }
    joinPending(session);
    return session;
  };
  let starting = start();
  const wait = { inbox, server: entry.id, clock };
  try {
    await orSignIn(starting, { ...wait, holdMs: 0 });
  } catch (error) {
    if (!isSignInNeeded(error)) {
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
  const mid = bridgeMidcall({
    clock,
    suspectBelowMs,
    holdMs,
    warn,
    asksRoots: followsHostRoots,
    asksModel: !sampling.always,
  });
  const forward = { clock, holdMs, ownModels: sampling.always };
  const factory: McpServerFactory = async ({ era }) => {
    const isOld = era === 'legacy';
    const sessionFor = async (call: Call): Promise<UpstreamSession> => {
      const running = await ready(true);
      const { hostRoots } = running;
      // A host of 2025-11-25 says when its roots change; one of 2026-07-28 is asked with each call.
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
    const sessionNow = (capabilities: unknown): UpstreamSession | undefined => {
      const { hostRoots } = running;
      if (isOld ? hostRoots && !hostRoots.isSettled : hostRoots && isRecord(own(capabilities, 'roots')))
        return undefined;
      return running;
    };
    const link = await hostServer({ era, mid, session: () => running, sessionFor, sessionNow, forward });
    if (isOld) running.hostRoots?.follow(link.server);
    afterClose(link.server.server, running.join(link));
    return link.server;
  };
  const served = serveStdio(factory, { transport, ...defined({ onerror: options.onError }) });
  return {
    gone,
    async close(how = {}) {
      closed.abort();
      const stopped = starting.then(
        started => started.close(how),
        () => {},
      );
      await served.close();
      await Promise.allSettled([desk?.close(), stopped]);
      await mid.close();
    },
  };
}
