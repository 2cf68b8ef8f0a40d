/**
 * Tasks of `mid.handle`: each continues at the server that took its call, since a gateway's upstream call belongs to the
 * connection it was made over; and whoever holds resources for a task learns when it is over, which may be while none of its
 * code runs.
 */
import type { Clock } from '@midcall/core/time';
import type { McpServer } from '@modelcontextprotocol/server';

interface BoundTask {
  readonly server: McpServer;
  readonly over: AbortController;
  readonly callOff: () => void;
}

export class GatewayTasks {
  readonly #clock: Clock;
  /** Questions by the key of their task. */
  readonly #tasks = new Map<string, BoundTask>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /**
   * Assigns a task to this server, unless another already has it.
   * @param ttlMs - milliseconds until its time is up
   * @returns a signal that fires when it is over
   */
  bind(key: string, server: McpServer, ttlMs: number): AbortSignal {
    const bound = this.#tasks.get(key);
    if (bound) return bound.over.signal;
    const over = new AbortController();
    this.#tasks.set(key, { server, over, callOff: this.#clock.after(ttlMs, () => this.end(key)) });
    return over.signal;
  }

  /** @returns undefined if no server of this process took its call */
  serverOf(key: string): McpServer | undefined {
    return this.#tasks.get(key)?.server;
  }

  /** Ends a task. */
  end(key: string): void {
    const bound = this.#tasks.get(key);
    if (!bound) return;
    this.#tasks.delete(key);
    bound.callOff();
    bound.over.abort();
  }

  /** Forgets all tasks. */
  close(): void {
    for (const { callOff } of this.#tasks.values()) callOff();
    this.#tasks.clear();
  }
}
