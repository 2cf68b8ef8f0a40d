/**
 * What one way of serving has made and has in progress: the servers of its factory, their connections, and the instances of the
 * library that they belong to. It is stopped by the rule of `core/stop/`, over stdio and HTTP alike.
 */
import { checkMade } from '@midcall/core/options';
import { afterClose } from '@midcall/core/sdk-seam';
import { type StopOptions, type StopPart, stopParts } from '@midcall/core/stop';
import type { McpServer, McpServerFactory, Server, Transport } from '@modelcontextprotocol/server';
import { writeError } from '../observe/index.ts';
import { type Instance, instanceOf } from '../request/index.ts';
import { ClientRequests, onConnect } from '../sdk-seam/index.ts';

/** So many servers show whether each has an instance of its own; a factory may well choose between two. */
const enough = 3;

const onePerServer =
  'midcall: midcall() seems to be called anew for each server. Without a store, each of them has its own memory of the answers that were ' +
  'accepted, so the same answer can count twice. Call it once per process, outside the function that makes servers.';

export class Serving {
  readonly #instances = new Set<Instance>();
  readonly #connections = new Set<ClientRequests>();
  readonly #watched = new WeakSet<object>();
  #servers = 0;
  #stopping: Promise<void> | undefined;
  #refuses = false;

  /** True if new work is refused. */
  get isStopping(): boolean {
    return this.#refuses;
  }

  /** Takes note of a server of the factory. @returns it */
  made<S extends McpServer | Server>(server: S): S {
    const instance = instanceOf(server);
    this.#servers += 1;
    if (instance) {
      instance.servedBy.add(this);
      this.#instances.add(instance);
      if (this.#servers === enough && this.#isOnePerServer(instance)) instance.warn(onePerServer);
    }
    return server;
  }

  /** True if each server has an instance of its own, and none knows which answers another has accepted. */
  #isOnePerServer({ unstoredKey }: Instance): boolean {
    const instances = [...this.#instances];
    return (
      unstoredKey !== undefined &&
      instances.length === enough &&
      instances.every(instance => instance.unstoredKey === unstoredKey)
    );
  }

  /** Follows the requests of a server's connections, besides taking note of it. */
  follow<S extends McpServer | Server>(server: S): S {
    if (!this.#watched.has(server)) {
      this.#watched.add(server);
      onConnect(server, transport => this.connected(transport));
    }
    return this.made(server);
  }

  /** Follows the requests of a connection. @param transport - whose messages are delivered by now */
  connected(transport: Transport): void {
    const requests = new ClientRequests(transport);
    this.#connections.add(requests);
    if (this.#refuses) requests.refuse();
    afterClose(transport, () => this.#connections.delete(requests));
  }

  /**
   * What is stopped: the calls of our handlers first, which say what they have done, then all other requests. Of an instance that
   * others serve as well, only the connections here.
   */
  parts(): StopPart[] {
    const left = [...this.#instances].filter(instance => {
      instance.servedBy.delete(this);
      return instance.servedBy.size === 0;
    });
    return [...left, this.#requests()];
  }

  /**
   * Stops it, once.
   * @param closing - closes what belongs to this way of serving
   */
  stop(options: StopOptions | undefined, closing: readonly StopPart[]): Promise<void> {
    this.#stopping ??= stopParts([...this.parts(), ...closing], options);
    return this.#stopping;
  }

  #requests(): StopPart {
    return {
      begin: () => {
        this.#refuses = true;
        for (const each of this.#connections) each.refuse();
      },
      idle: async () => void (await Promise.all([...this.#connections].map(each => each.idle()))),
      end: () => {
        for (const each of this.#connections) each.end();
      },
      close: async () => {},
    };
  }
}

/**
 * The same factory, which refuses what is no server.
 * @param onError - told by others what a factory throws; if absent, it is written on standard error
 */
export const checkedFactory =
  (factory: McpServerFactory, onError: ((error: Error) => void) | undefined): McpServerFactory =>
  async context => {
    try {
      const made = await factory(context);
      checkMade(made);
      return made;
    } catch (error) {
      if (!onError) writeError('the factory of a server', error);
      throw error;
    }
  };
