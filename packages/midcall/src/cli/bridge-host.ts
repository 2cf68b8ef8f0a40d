/** `midcall bridge` for one host, while its server is starting. */
import { isMidcallError } from '@midcall/core/errors';
import { visible } from '@midcall/core/text';
import { onAbort } from '@midcall/core/time';
import type { ConnectionOptions, ServerEntry, StartedServer } from '@midcall/host';
import { type Bridge, startBridge } from '../bridge/index.ts';
import { HostStdio } from '../host-stdio/index.ts';
import { ownVersion } from '../install/index.ts';
import { deskLink } from './bridge-desk.ts';
import { type BridgeFlags, bridgeLimits } from './bridge-flags.ts';
import { callRules } from './call-rules.ts';
import { exitCodes } from './exit-codes.ts';
import { hostParts } from './host-parts.ts';
import { chooseModel } from './model-choice.ts';
import { grantFolders } from './offer-folders.ts';
import { bridgeComplaint as complain, bridgeLog as log } from './serving-log.ts';

/** How the bridge is ended: by a signal, or because its host has disconnected. */
export interface BridgeEnd {
  /** Stops everything that has been started. @param how - `atOnce`: does not wait for the server process to exit by itself */
  stop: (how: { readonly atOnce: boolean }) => Promise<void>;
  /** Stops it because the host has disconnected, and ends the process. */
  leave: () => void;
}

/** What is known before the host is served. */
export interface HostServing {
  readonly flags: BridgeFlags;
  readonly entry: ServerEntry;
  readonly era: NonNullable<ConnectionOptions['era']>;
  readonly started: StartedServer | undefined;
  readonly ending: BridgeEnd;
}

/** Serves one host until it disconnects. */
export async function serveHost({ flags, entry, era, started, ending }: HostServing): Promise<void> {
  const model = await chooseModel(flags.models);
  const { host, authorization } = hostParts(flags, complain, undefined, bridgeLimits);
  if (flags.root) await grantFolders(host.roots, entry.id, flags.root);
  const client = { name: 'midcall-bridge', title: 'Midcall bridge', version: ownVersion() };
  const rules = callRules(flags, log, { ask: flags.ask && entry.id });
  const connecting = { client, ...host, authorization, era, ...(rules && { rules }) };
  log(`waiting for a host on standard input, to use '${visible(entry.id, { max: 100 })}'`);
  const stdio = new HostStdio();
  // A server that is still starting is stopped, too.
  ending.stop = () => stdio.close();
  let served: Bridge | undefined;
  try {
    served = await startBridge(entry, {
      ...connecting,
      ...(started && { started }),
      host: stdio,
      onError: complain,
      ownRoots: flags.root !== undefined,
      sampling: { model, always: flags.models !== undefined },
      warn: log,
      ...(flags.trustHost && { suspectBelowMs: 0 }),
      desk: deskLink(host.inbox, flags.link === true),
    });
  } catch (error) {
    if (!isMidcallError(error, 'host/not-found')) throw error;
    process.exitCode = exitCodes.noServer.code;
    return;
  }
  if (!served) return;
  const bridge = served;
  ending.stop = how => bridge.stop(how);
  onAbort(bridge.gone, ending.leave);
}
