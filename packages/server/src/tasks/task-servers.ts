/** The servers on which a process runs tasks. */
import type { Clock } from '@midcall/core/time';
import type { McpServer, ServerContext } from '@modelcontextprotocol/server';
import { type Config, isLendable, lend } from '../request/index.ts';
import { nameOf } from '../sdk-seam/index.ts';
import type { Task } from './task.ts';
import { keyOf } from './task-key.ts';

/** A handler of `tools/call` with everything that the SDK does around the author's. */
export type CallHandler = (request: CallToolRequest, ctx: ServerContext) => Promise<unknown>;

export interface CallToolRequest {
  readonly method: 'tools/call';
  readonly params: {
    readonly name: string;
    readonly arguments?: unknown;
    readonly task?: unknown;
    readonly _meta?: Readonly<Record<string, unknown>>;
  };
}

/** The server on which one task is run. */
export interface TaskServer {
  readonly handler: CallHandler;
  /** Fires when the task is over, if a gateway runs it. */
  readonly over?: AbortSignal;
}

/** How many owners' servers are kept. Other tasks continue when their owner comes back. */
const MOST_OWNERS = 500;

export class TaskServers {
  readonly #audience: string | undefined;
  readonly #handlers = new WeakMap<McpServer, CallHandler>();
  /** Servers with their tools, by the names of both. */
  readonly #servers = new Map<string, McpServer>();
  /** Servers made for one owner, by tool: the latest of each. The most recent owner comes last. */
  readonly #personal = new Map<string, Map<string, McpServer>>();
  readonly #offered = new WeakMap<McpServer, Set<string>>();
  readonly #gateways: GatewayTasks;

  constructor({ audience, idleClock }: Pick<Config, 'audience' | 'idleClock'>) {
    this.#audience = audience;
    this.#gateways = new GatewayTasks(idleClock);
  }

  /** Registers a server for running tasks. */
  attach(server: McpServer, handler: CallHandler): void {
    this.#handlers.set(server, handler);
  }

  /**
   * Registers a tool of such a server. The first server with a tool runs all its tasks, unless it was made for somebody
   * (lending-1).
   * @param tool - undefined for a gateway, which has every tool
   */
  offer(server: McpServer, tool?: string): void {
    const key = serverKey(this.#audience ?? nameOf(server), tool);
    this.#offered.set(server, (this.#offered.get(server) ?? new Set()).add(key));
    const first = this.#servers.get(key);
    if (!first || !isLendable(first)) this.#servers.set(key, server);
  }

  /** Notes that an owner has a server that was made for them: their tasks can continue there. */
  serve(owner: string, server: McpServer): void {
    const servers = this.#personal.get(owner) ?? new Map<string, McpServer>();
    for (const key of this.#offered.get(server) ?? []) servers.set(key, server);
    this.#personal.delete(owner);
    this.#personal.set(owner, servers);
    if (this.#personal.size <= MOST_OWNERS) return;
    const [longestAway] = this.#personal.keys();
    this.#personal.delete(longestAway!);
  }

  /** Notes that a gateway took the call of a task. @returns a signal that fires when the task is over */
  bind(task: Task, gateway: McpServer): AbortSignal {
    return this.#gateways.bind(keyOf(task), gateway, task.ttlMs);
  }

  /** @returns undefined if no server of this process has the tool */
  of(task: Task): TaskServer | undefined {
    const { audience, name } = task;
    const servers = task.isPersonal ? this.#personal.get(task.owner) : this.#servers;
    const server = servers?.get(serverKey(audience, name));
    if (server) return this.#lent(server, task) ? this.#on(server) : undefined;
    const bound = this.#gateways.serverOf(keyOf(task));
    const gateway = bound ?? servers?.get(serverKey(audience));
    if (!gateway || !(bound || this.#lent(gateway, task))) return undefined;
    return this.#on(gateway, this.bind(task, gateway));
  }

  /** @returns false if a server was made for somebody, and the task is not theirs (lending-1) */
  #lent(server: McpServer, task: Task): boolean {
    if (task.isPersonal) return true;
    if (!isLendable(server)) return false;
    lend(server);
    return true;
  }

  /** Ends a task. */
  end(key: string): void {
    this.#gateways.end(key);
  }

  close(): void {
    this.#gateways.close();
  }

  #on(server: McpServer, over?: AbortSignal): TaskServer | undefined {
    const handler = this.#handlers.get(server);
    return handler && { handler, ...(over && { over }) };
  }
}

const serverKey = (audience: string, tool?: string): string => JSON.stringify([audience, tool]);

interface BoundTask {
  readonly server: McpServer;
  readonly over: AbortController;
  readonly callOff: () => void;
}

/**
 * Tasks of `mid.handle`: each continues at the server that took its call, since a gateway's upstream call belongs to the
 * connection it was made over; and whoever holds resources for a task learns when it is over, which may be while none of its
 * code runs.
 */
class GatewayTasks {
  readonly #clock: Clock;
  /** Tasks by their key. */
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
