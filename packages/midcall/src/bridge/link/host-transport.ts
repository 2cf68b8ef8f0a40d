/**
 * The host before it is served: its first message tells its capabilities, which the upstream server is told when it is started.
 * The message is kept until a server takes over.
 */

import { isRecord, own } from '@midcall/core/json';
import type { ConnectionOptions } from '@midcall/host';
import type { Transport } from '@modelcontextprotocol/server';
import { BufferedTransport } from '../sdk-seam/index.ts';

/** A host that has sent its first message. */
export interface ConnectedHost {
  /** Serve this transport; it begins with that message. */
  readonly transport: Transport;
  /** The host's own name for itself; untrusted. */
  readonly name: string | undefined;
  readonly has: { readonly roots: boolean };
  /** True if it begins as a host of 2025-11-25 does. */
  readonly isOld: boolean;
  /** The capabilities it declares that the bridge does not know. */
  readonly declares: Declared;
  /** Fires when the host has disconnected. */
  readonly gone: AbortSignal;
}

/** What a host declares beyond what the spec defines; passed on to the upstream server. */
export type Declared = NonNullable<ConnectionOptions['declares']>;

/** @returns when the host has sent its first request; undefined if it disconnected without one */
export async function awaitHost(transport: Transport): Promise<ConnectedHost | undefined> {
  const bufferedTransport = new BufferedTransport(transport);
  const first = await bufferedTransport.first();
  if (!first) return undefined;
  const capabilities = capabilitiesIn(first);
  return {
    transport: bufferedTransport,
    name: nameIn(first),
    has: { roots: isRecord(own(capabilities, 'roots')) },
    isOld: own(first, 'method') === 'initialize',
    declares: declaredIn(capabilities),
    gone: bufferedTransport.gone.signal,
  };
}

const tasksExtension = 'io.modelcontextprotocol/tasks';

/** The capabilities of a host that the bridge does not know. */
export function declaredIn(capabilities: object): Declared {
  const [experimental, extensions] = [own(capabilities, 'experimental'), own(capabilities, 'extensions')];
  // The bridge follows the server's tasks itself, whether its host has tasks or not.
  const passed = Object.entries(isRecord(extensions) ? extensions : {}).filter(([name]) => name !== tasksExtension);
  return {
    ...(isRecord(experimental) && { experimental: experimental as NonNullable<Declared['experimental']> }),
    ...(passed.length > 0 && { extensions: Object.fromEntries(passed) as NonNullable<Declared['extensions']> }),
  };
}

/** What a client calls itself: once on 2025-11-25, with every request on 2026-07-28. */
function nameIn(message: unknown): string | undefined {
  const params = own(message, 'params');
  const info = own(params, 'clientInfo') ?? own(own(params, '_meta'), 'io.modelcontextprotocol/clientInfo');
  const name = own(info, 'title') ?? own(info, 'name');
  return typeof name === 'string' ? name : undefined;
}

/** What a client declares: once on 2025-11-25, with every request on 2026-07-28. */
export function capabilitiesIn(message: unknown): object {
  const params = own(message, 'params');
  const declared =
    own(params, 'capabilities') ?? own(own(params, '_meta'), 'io.modelcontextprotocol/clientCapabilities');
  return isRecord(declared) ? declared : {};
}
