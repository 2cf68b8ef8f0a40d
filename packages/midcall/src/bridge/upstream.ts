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
  #restarted: Promise<void> | undefined;

  private constructor(connection: Connection) {
    this.connection = connection;
  }

  /**
   * Starts or reaches a server. Some old servers reject a client with URL mode and do not start; these are told of forms only.
   * @param unneeded - fires when the server is no longer needed; a server that is still starting is stopped then
   * @param onConnection - called with the connection before it is started
   * @throws MidcallError `host/not-found` if it can be neither started nor reached
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
      return new Upstream(await started());
    } catch (error) {
      if (unneeded.aborted || !isMidcallError(error, 'host/not-found') || !refusesClient(error.cause)) throw error;
      const formsAlone = await started(['form']).catch(() => {
        throw error;
      });
      warn('The server does not start for a client that has URL mode, so only forms are declared to it.');
      return new Upstream(formsAlone);
    }
  }

  /**
   * The client of the running server.
   * @throws MidcallError `host/not-found` if it could not be started again, `host/server-gone` if the person stopped it
   */
  async client(): Promise<Client> {
    const { connection } = this;
    if (connection.state === 'stopped') {
      const name = connection.entry.id;
      throw new MidcallError('host/server-gone', `The server '${name}' was stopped on the desk. Start it there again.`);
    }
    if (connection.state === 'starting' && !this.#restarted) await settled(connection);
    if (connection.state !== 'ready') {
      this.#restarted ??= connection.restart().finally(() => {
        this.#restarted = undefined;
      });
      await this.#restarted;
    }
    return connection.client!;
  }
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
