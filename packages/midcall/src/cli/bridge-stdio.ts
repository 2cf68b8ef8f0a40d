/**
 * `midcall bridge` for one host, over standard input and output. The server is started before what serves the host is loaded, so
 * that both start up at the same time; mostly it has been started already (early-server.ts).
 */
import { StartedServer } from '@midcall/host';
import type { BridgeFlags } from './bridge-flags.ts';
import type { BridgeEnd } from './bridge-host.ts';
import { takeEarlyServer } from './early-server.ts';
import { stopOnSignal } from './on-signal.ts';
import { chooseEra, chooseServer } from './server-choice.ts';
import { wordsAfterDashes } from './server-flags.ts';

/** Serves one host until it disconnects. */
export async function bridgeStdio(flags: BridgeFlags): Promise<void> {
  const forAll = 'To serve them all, give your host one entry per server, or start one bridge with --http.';
  const entry = chooseServer(flags, wordsAfterDashes(process.argv), forAll);
  const era = chooseEra(flags);
  const { target } = entry;
  let started: StartedServer | undefined;
  const ending: BridgeEnd = { stop: async () => started?.stop(), leave: () => {} };
  // A host that disconnects closes our standard input and then sends SIGTERM, sometimes at once; the server must not outlive
  // us.
  ending.leave = stopOnSignal(signal => ending.stop({ atOnce: signal === 'SIGTERM' || signal === 'SIGHUP' }));
  if (target.kind === 'command') started = takeEarlyServer() ?? new StartedServer(target);
  try {
    const { serveHost } = await import('./bridge-host.ts');
    await serveHost({ flags, entry, era, started, ending });
  } catch (error) {
    // Not awaited: once the server has exited, nothing would keep this process running until the error is reported.
    void started?.stop();
    throw error;
  }
}
