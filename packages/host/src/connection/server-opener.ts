/** Reaches one server repeatedly, each time with a new transport, and says why if it cannot be reached. */
import type { Transport } from '@modelcontextprotocol/client';
import type { ServerTarget } from '../servers/index.ts';
import { StderrTail } from './stderr-tail.ts';
import { openTransport } from './transport.ts';
import { systemReason } from './unreached.ts';

/** Opens transports to one server. */
export interface ServerOpener {
  /** A new transport to the server; it starts nothing before it is started itself. */
  open(): Transport;
  /**
   * Why an attempt failed, safe to show.
   * @param cause - the error that the attempt ended with
   * @param otherwise - the reason to give if neither the system nor HTTP gives one
   * @returns one or more sentences, the server's own last words at the end
   */
  reasonFor(cause: unknown, otherwise: string): Promise<string>;
}

/**
 * @param target - the server, as {@link commandTarget} and {@link urlTarget} make it
 * @example
 * ```ts
 * const opener = serverOpener(commandTarget(['node', 'server.mjs']));
 * try {
 *   await client.connect(opener.open());
 * } catch (error) {
 *   console.error(await opener.reasonFor(error, 'It ended.'));
 * }
 * ```
 */
export function serverOpener(target: ServerTarget): ServerOpener {
  const stderr = new StderrTail();
  return {
    open: () => openTransport(target, { onStderr: line => void stderr.add(line) }),
    async reasonFor(cause, otherwise) {
      // What a server wrote before it died can be read in the turn after its end is known.
      await new Promise(setImmediate);
      const why = systemReason(cause, target);
      return `${why === undefined ? otherwise : `The server could not be started or reached: ${why}`}${stderr.said}`;
    },
  };
}
