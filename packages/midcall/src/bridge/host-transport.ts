/**
 * The host, before anything is said to it: its first message tells what it can do, and the upstream server is told that
 * when it is started. The message waits until somebody serves it.
 */

import { isRecord, own } from '@midcall/core/json';
import type { ConnectionOptions } from '@midcall/host';
import type { Transport } from '@modelcontextprotocol/server';
import { HeldTransport } from './sdk-seam/held-transport.ts';

/** A host that has spoken. */
export interface ConnectedHost {
  /** Serve this one; it begins with the message that was heard. */
  readonly transport: Transport;
  readonly has: { readonly roots: boolean };
  /** What it declares that the bridge knows nothing of. */
  readonly declares: Declared;
  /** Fires when the host has gone. */
  readonly gone: AbortSignal;
}

/** What a host declares beside what the spec knows; passed on to the upstream server. */
export type Declared = NonNullable<ConnectionOptions['declares']>;

/** @returns when the host has sent its first request; undefined if it went away without one */
export async function awaitHost(transport: Transport): Promise<ConnectedHost | undefined> {
  const heldTransport = new HeldTransport(transport);
  const first = await heldTransport.first();
  if (!first) return undefined;
  const capabilities = capabilitiesIn(first);
  return {
    transport: heldTransport,
    has: { roots: isRecord(own(capabilities, 'roots')) },
    declares: declaredIn(capabilities),
    gone: heldTransport.gone.signal,
  };
}

const tasksExtension = 'io.modelcontextprotocol/tasks';

/** What the bridge knows nothing of in a host's capabilities. */
export function declaredIn(capabilities: object): Declared {
  const [experimental, extensions] = [own(capabilities, 'experimental'), own(capabilities, 'extensions')];
  // The bridge follows the server's tasks by itself, whether or not its host has any.
  const passed = Object.entries(isRecord(extensions) ? extensions : {}).filter(([name]) => name !== tasksExtension);
  return {
    ...(isRecord(experimental) && { experimental: experimental as NonNullable<Declared['experimental']> }),
    ...(passed.length > 0 && { extensions: Object.fromEntries(passed) as NonNullable<Declared['extensions']> }),
  };
}

/** What a client declares: once on 2025-11-25, with every request on 2026-07-28. */
export function capabilitiesIn(message: unknown): object {
  const params = own(message, 'params');
  const declared =
    own(params, 'capabilities') ?? own(own(params, '_meta'), 'io.modelcontextprotocol/clientCapabilities');
  return isRecord(declared) ? declared : {};
}
