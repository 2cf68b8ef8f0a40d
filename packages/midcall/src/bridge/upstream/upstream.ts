/**
 * The upstream server of a bridge: started once the host is known, restarted if it has exited, and left alone if the person has
 * stopped it.
 */
import { isMidcallError, MidcallError } from '@midcall/core/errors';
import { defined } from '@midcall/core/json';
import { Connection, type ConnectionOptions, type ServerEntry } from '@midcall/host';
import { type Client, SdkErrorCode } from '@modelcontextprotocol/client';

/** One server and its connection. */
export class Upstream {
  readonly connection: Connection;
  readonly #warn: (message: string) => void;
  #restarted: Promise<void> | undefined;

  private constructor(connection: Connection, warn: (message: string) => void) {
    this.connection = connection;
    this.#warn = warn;
  }

  /**
   * Starts or reaches a server. Some old servers reject a client with URL mode and do not start; these are told of forms only.
   * @param unneeded - fires when the server is no longer needed; a server that is still starting is stopped then
   * @param warn - told why it can be neither started nor reached, now or when it is restarted
   * @param onConnection - called with the connection before it is started
   * @throws MidcallError `host/not-found` if it can be neither started nor reached, in words for hosts
   */
  static async start(
    entry: ServerEntry,
    options: ConnectionOptions,
    warn: (message: string) => void,
    unneeded: AbortSignal,
    onConnection: (connection: Connection) => void = () => {},
  ): Promise<Upstream> {
    const started = async (modes?: ConnectionOptions['modes']): Promise<Connection> => {
      const connection = new Connection(entry, { ...options, ...defined({ modes }) });
      onConnection(connection);
      const stop = (): void => void connection.stop({ atOnce: true });
      unneeded.addEventListener('abort', stop, { once: true });
      try {
        await connection.start();
      } finally {
        unneeded.removeEventListener('abort', stop);
      }
      return connection;
    };
    try {
      return new Upstream(await started(), warn);
    } catch (error) {
      const { id } = entry;
      if (unneeded.aborted)
        throw new MidcallError('host/not-found', `The server '${id}' was stopped.`, { cause: error });
      const isRefused = isMidcallError(error, 'host/not-found') && refusesClient(error.cause);
      const formsAlone = isRefused ? await started(['form']).catch(() => undefined) : undefined;
      if (!formsAlone) throw forHosts(error, `The server '${id}' could not be started`, warn);
      warn('The server does not start for a client that has URL mode, so only forms are declared to it.');
      return new Upstream(formsAlone, warn);
    }
  }

  /**
   * The client of the running server.
   * @throws MidcallError `host/not-found` if it could not be started again, `host/server-gone` if the person stopped it; in words
   *   for hosts
   */
  async client(): Promise<Client> {
    const { connection } = this;
    if (connection.state === 'stopped') {
      const name = connection.entry.id;
      throw new MidcallError('host/server-gone', `The server '${name}' was stopped on the desk. Start it there again.`);
    }
    if (connection.state === 'starting' && !this.#restarted) await settled(connection);
    if (connection.state !== 'ready') {
      this.#restarted ??= connection
        .restart()
        .catch(error => {
          throw forHosts(error, `The server '${connection.entry.id}' could not be started again`, this.#warn);
        })
        .finally(() => {
          this.#restarted = undefined;
        });
      await this.#restarted;
    }
    return connection.client!;
  }
}

/**
 * Tells a host of a server that is not there, and whoever runs the bridge the reason: it quotes the server's command line and its
 * standard error, which may hold secrets, and what a host is told reaches its model.
 * @param what - the sentence for the host
 * @param reason - with everything that is known
 * @returns the text for the host
 */
export function withheld(what: string, reason: string, warn: (message: string) => void): string {
  warn(reason);
  return `${what} Whoever runs this bridge finds the reason in its log.`;
}

/**
 * An error for hosts, without the reason, which is logged.
 * @param what - a sentence without its full stop
 */
function forHosts(error: unknown, what: string, warn: (message: string) => void): unknown {
  if (!isMidcallError(error, 'host/not-found')) return error;
  const text = withheld(`${what}.`, error.message, warn);
  // Why nobody is signed in is for the person at the host, and in words of our own.
  const signIn = isMidcallError(error.cause, 'host/unauthorized') && error.cause.message;
  return new MidcallError('host/not-found', signIn ? `${what}: ${signIn}` : text, { cause: error });
}

/** Resolves when a server that the person is starting at the desk is ready, or has failed to start. */
const settled = (connection: Connection): Promise<void> =>
  new Promise(resolve => {
    const stop = connection.subscribe(event => {
      if (event.type !== 'state' || event.state === 'starting') return;
      stop();
      resolve();
    });
  });

/** True if a server responded, and rejected the client's capabilities. */
const refusesClient = (cause: unknown): boolean => {
  const { code } = (cause ?? {}) as { code?: unknown };
  return typeof code === 'number' || code === SdkErrorCode.ConnectionClosed;
};
