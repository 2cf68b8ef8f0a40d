/** `midcall bridge` for one host, over standard input and output. */
import { isMidcallError } from '@midcall/core/errors';
import { Connection, StartedServer } from '@midcall/host';
import type { Bridge, HostStdio } from '../bridge/index.ts';
import { ownVersion } from '../install/index.ts';
import { type BridgeFlags, bridgeLimits } from './bridge-flags.ts';
import { bridgeComplaint as complain, bridgeLog as log, openPage } from './bridge-log.ts';
import { exitCodes } from './exit-codes.ts';
import { hostParts } from './host-parts.ts';
import { chooseModel } from './model-choice.ts';
import { grantFolders } from './offer-folders.ts';
import { chooseEra, chooseServer } from './server-choice.ts';
import { wordsAfterDashes } from './server-flags.ts';

/** Bytes of one message of the server: results with pictures and files in them are large. */
const maxMessageBytes = 64 * 1024 * 1024;

/** Serves one host until it disconnects. */
export async function bridgeStdio(flags: BridgeFlags): Promise<void> {
  const entry = chooseServer(flags, wordsAfterDashes(process.argv));
  const era = chooseEra(flags);
  let stdio: HostStdio | undefined;
  let served: Bridge | undefined;
  let ending = false;
  const end = (atOnce: boolean): void => {
    ending = true;
    if (served) void served.close({ atOnce }).finally(() => process.exit(0));
    // A server that is still starting is stopped, too.
    else if (stdio) void stdio.close();
    else void Promise.resolve(started?.stop()).finally(() => process.exit(0));
  };
  // A host that goes ends our standard input, and then sends SIGTERM, some at once: the server must not outlive us.
  for (const signal of ['SIGTERM', 'SIGHUP'] as const) process.on(signal, () => end(true));
  process.on('SIGINT', () => (ending ? process.exit(130) : end(false)));
  // The server gets up while the rest of the bridge is loaded, and the host says what it is.
  const { target } = entry;
  const started = target.kind === 'command' ? new StartedServer(target, { mostBytes: maxMessageBytes }) : undefined;
  const { model, host, keptRules, authorization, bridging } = await prepared(flags, entry.id).catch(async error => {
    await started?.stop();
    throw error;
  });
  const client = { name: 'midcall-bridge', title: 'Midcall bridge', version: ownVersion() };
  const connecting = { client, ...host, authorization, era };
  log(`waiting for a host on standard input, in front of '${entry.id}'`);
  stdio = new bridging.HostStdio();
  try {
    served = await bridging.startBridge(entry, {
      ...connecting,
      ...(started && { started }),
      maxMessageBytes,
      host: stdio,
      onError: complain,
      ownRoots: flags.root !== undefined,
      sampling: { model, always: flags.models !== undefined },
      warn: log,
      ...(flags.trustHost && { suspectBelowMs: 0 }),
      async startDesk(connection) {
        const { startDesk } = await import('@midcall/host/web');
        const desk = await startDesk({
          ...host,
          keptRules,
          connect: other =>
            // The desk has a copy of it.
            other.target === entry.target ? connection : new Connection(other, { ...connecting, sampling: { model } }),
          ...(flags.models !== undefined && { models: model }),
          environment: process.env,
          onError: complain,
        });
        await desk.addServer(entry);
        return desk;
      },
      openPage: url => openPage(url, flags.link === true),
    });
  } catch (error) {
    if (!isMidcallError(error, 'host/not-found')) throw error;
    log(error.message);
    process.exitCode = exitCodes.noServer.code;
    return;
  }
  if (!served) return;
  const { gone } = served;
  if (gone.aborted) end(false);
  else gone.addEventListener('abort', () => end(false), { once: true });
}

/** What the flags name, and the modules that serve a host. */
async function prepared(flags: BridgeFlags, server: string) {
  const model = await chooseModel(flags.models);
  const { host, keptRules, authorization } = hostParts(flags, complain, undefined, bridgeLimits);
  if (flags.root) await grantFolders(host.roots, server, flags.root);
  return { model, host, keptRules, authorization, bridging: await import('../bridge/index.ts') };
}
