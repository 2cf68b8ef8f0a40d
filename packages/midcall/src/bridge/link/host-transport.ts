/**
 * The host before it is served: its first message tells its capabilities, which the upstream server is told when it is started.
 * The message is kept until a server takes over.
 */

import { isRecord, own } from '@midcall/core/json';
import type { ConnectionOptions } from '@midcall/host';
import { CLIENT_CAPABILITIES_META_KEY, CLIENT_INFO_META_KEY, type Transport } from '@modelcontextprotocol/server';
import { BufferedTransport } from '../sdk-seam/index.ts';
import { ownName } from './host-link.ts';

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

/**
 * The extensions that pass through a bridge: all but tasks. Those of the server the bridge follows itself, and it offers its own to
 * hosts, whether the other side has tasks or not.
 * @param capabilities - of a host or a server
 * @returns undefined if there are none
 */
export function passedExtensions(capabilities: object): Declared['extensions'] {
  const extensions = own(capabilities, 'extensions');
  const passed = Object.entries(isRecord(extensions) ? extensions : {}).filter(([name]) => name !== tasksExtension);
  return passed.length > 0 ? (Object.fromEntries(passed) as Declared['extensions']) : undefined;
}

/** The capabilities of a host that the bridge does not know. */
export function declaredIn(capabilities: object): Declared {
  const [experimental, extensions] = [own(capabilities, 'experimental'), passedExtensions(capabilities)];
  return {
    ...(isRecord(experimental) && { experimental: experimental as NonNullable<Declared['experimental']> }),
    ...(extensions && { extensions }),
  };
}

/** What a client calls itself: once on 2025-11-25, with every request on 2026-07-28. */
function nameIn(message: unknown): string | undefined {
  const params = own(message, 'params');
  return ownName(own(params, 'clientInfo') ?? own(own(params, '_meta'), CLIENT_INFO_META_KEY));
}

/** What a client declares: once on 2025-11-25, with every request on 2026-07-28. */
export function capabilitiesIn(message: unknown): object {
  const params = own(message, 'params');
  const declared = own(params, 'capabilities') ?? own(own(params, '_meta'), CLIENT_CAPABILITIES_META_KEY);
  return isRecord(declared) ? declared : {};
}
