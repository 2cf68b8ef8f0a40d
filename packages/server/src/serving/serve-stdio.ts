/** Serves one client over standard input and output, in both eras. */
import { checkKind, checkOptions, func, having, serverFactoryKind } from '@midcall/core/options';
import { closing, type StopOptions, stopKinds } from '@midcall/core/stop';
import type { McpServerFactory, Transport } from '@modelcontextprotocol/server';
import { StdioServerTransport, serveStdio as serveBySdk } from '@modelcontextprotocol/server/stdio';
import type { AnyServerFactory } from '../sdk-seam/index.ts';
import { checkedFactory, Serving } from './serving.ts';

/** How a client on standard input and output is served. */
export interface StdioOptions {
  /** Standard input and output if absent; any other transport of one client. */
  readonly transport?: Transport;
  /**
   * Called with errors of the connection and of the factory; changes nothing else. If absent, what the factory throws is written to
   * standard error, with its stack.
   */
  readonly onError?: (error: Error) => void;
}

/** A client that is served. */
export interface StdioServing {
  /**
   * Refuses new requests, lets those in progress end and their results arrive, and closes the connection, with the instances of
   * `midcall()` whose servers nobody else serves.
   * @param options - `within`: milliseconds that requests in progress may take; 10,000 if absent. Calls that wait for a person do not
   *   take them: their questions are withdrawn, or go on in a task or with a ticket
   */
  stop(options?: StopOptions): Promise<void>;
}

/**
 * Serves one client over standard input and output, in either era.
 *
 * @param factory - builds a server: once, or twice if the client tries one revision before another
 * @returns what stops it
 * @throws TypeError if an option is not of its kind
 * @example
 * ```ts
 * const serving = serveStdio(() => notesServer(mid));
 * process.once('SIGTERM', () => void serving.stop().finally(() => process.exit()));
 * ```
 */
export function serveStdio(factory: AnyServerFactory, options: StdioOptions = {}): StdioServing {
  checkKind('serveStdio', 'the first argument', factory, serverFactoryKind);
  checkOptions('serveStdio', options, {
    transport: having('a transport', 'start', 'send', 'close'),
    onError: func,
  });
  const { transport = new StdioServerTransport(), onError } = options;
  const serving = new Serving();
  const build = checkedFactory(factory as McpServerFactory, onError);
  const start = transport.start.bind(transport);
  // The SDK starts the transport when it listens to it; a message may come with that.
  transport.start = () => {
    transport.start = start;
    serving.connected(transport);
    return start();
  };
  const { close } = serveBySdk(async context => serving.made(await build(context)), {
    transport,
    ...(onError && { onerror: onError }),
  });
  return {
    stop(how = {}) {
      checkOptions('serving.stop', how, stopKinds);
      return serving.stop(how, [closing(close)]);
    },
  };
}
