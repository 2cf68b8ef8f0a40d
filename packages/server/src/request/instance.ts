/**
 * An instance of the library: to which one the handlers of a server belong, so that whatever serves the server stops the instance
 * too, and how its calls in progress learn that it stops; see `core/stop/`.
 */
import type { StopPart } from '@midcall/core/stop';
import type { McpServer, Server } from '@modelcontextprotocol/server';

/** An instance of the library, as those see it who serve its servers. */
export interface Instance extends StopPart {
  /** Those who serve its servers: the last of them to stop stops the instance. */
  readonly servedBy: Set<object>;
  /** The key of an instance that remembers nothing of what others with the same key have accepted; undefined if a store does. */
  readonly unstoredKey: string | undefined;
  warn(message: string): void;
}

const instances = new WeakMap<McpServer | Server, Instance>();

/** Notes that a server has handlers of an instance. */
export function belongsTo(server: McpServer, instance: Instance): void {
  instances.set(server, instance);
}

/** @returns undefined for a server without handlers of ours */
export const instanceOf = (server: McpServer | Server): Instance | undefined => instances.get(server);

/** A call in progress. */
export interface StoppableCall {
  /** Puts its questions to rest, and those that it asks from now on (stop-S2). */
  rest(): void;
  /** Ends it with an error that says what was done (stop-S4). */
  end(): void;
}

/** Tells the calls in progress of an instance that it stops. */
export class CallStops {
  readonly #calls = new Set<StoppableCall>();
  #isStopping = false;
  #isOver = false;

  /** True if no new calls are taken. */
  get isStopping(): boolean {
    return this.#isStopping;
  }

  /** @returns a function to be called when the call has ended */
  watch(call: StoppableCall): () => void {
    this.#calls.add(call);
    if (this.#isStopping) call.rest();
    if (this.#isOver) call.end();
    return () => void this.#calls.delete(call);
  }

  begin(): void {
    this.#isStopping = true;
    for (const call of [...this.#calls]) call.rest();
  }

  end(): void {
    this.#isOver = true;
    for (const call of [...this.#calls]) call.end();
  }
}
