/**
 * The server of `midcall bridge -- <command>`, started before the command line is parsed, so that it starts up while the bridge
 * is loading. Hosts wait for both.
 *
 * - early-server-E1 Only a command line that the parser cannot refuse is acted on; any other starts nothing here.
 * - early-server-E2 A signal that ends this process before the bridge has taken the server over ends the server too.
 */
import { commandTarget, StartedServer } from '@midcall/host';

const endings = ['SIGTERM', 'SIGHUP', 'SIGINT'] as const;

let server: StartedServer | undefined;

/** Starts the server. @param words - its command, as `earlyServerWords` returns it */
export function startEarlyServer(words: readonly string[]): void {
  for (const signal of endings) process.on(signal, end);
  try {
    server = new StartedServer(commandTarget(words) as ConstructorParameters<typeof StartedServer>[0]);
  } catch {
    // The bridge tries it again, and reports it.
  }
}

/**
 * Hands the server over, once. Whoever takes it ends it, and must listen to the signals already: one that has come and is not
 * handled yet is lost if nobody listens in between.
 */
export function takeEarlyServer(): StartedServer | undefined {
  const taken = server;
  server = undefined;
  for (const signal of endings) process.off(signal, end);
  return taken;
}

function end(): void {
  void Promise.resolve(server?.stop()).finally(() => process.exit(0));
}
