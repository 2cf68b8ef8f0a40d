/** Where the tasks of a process are run: the servers that have their tools. */
import type { McpServer, ServerContext } from '@modelcontextprotocol/server';
import type { Config } from '../config.ts';
import { nameOf } from '../sdk-seam/server-name.ts';
import { GatewayTasks } from './gateway-tasks.ts';
import { keyOf, type Task } from './task.ts';

/** A handler of `tools/call` as the SDK has it, with everything that the SDK does around the author's. */
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

/** Where one task is run. */
export interface TaskServer {
  readonly handler: CallHandler;
  /** Fires when the task is over, where a gateway runs it. */
  readonly over?: AbortSignal;
}

export class TaskServers {
  readonly #audience: string | undefined;
  readonly #handlers = new WeakMap<McpServer, CallHandler>();
  /** A server that has the tool, by the names of both. */
  readonly #servers = new Map<string, McpServer>();
  readonly #gateways: GatewayTasks;

  constructor({ audience, idleTimer }: Pick<Config, 'audience' | 'idleTimer'>) {
    this.#audience = audience;
    this.#gateways = new GatewayTasks(idleTimer);
  }

  /** Makes a server one that tasks can be run on. */
  attach(server: McpServer, handler: CallHandler): void {
    this.#handlers.set(server, handler);
  }

  /**
   * A tool of a server that tasks can be run on. The first server that has it runs all its tasks.
   * @param tool - undefined for a gateway, which has every tool
   */
  offer(server: McpServer, tool?: string): void {
    const key = serverKey(this.#audience ?? nameOf(server), tool);
    if (!this.#servers.has(key)) this.#servers.set(key, server);
  }

  /** A gateway took the call of a task. @returns what fires when that is over */
  bind(task: Task, gateway: McpServer): AbortSignal {
    return this.#gateways.bind(keyOf(task), gateway, task.ttlMs);
  }

  /** @returns undefined if no server of this process has the tool */
  of(task: Task): TaskServer | undefined {
    const { audience, name } = task;
    const server = this.#servers.get(serverKey(audience, name));
    if (server) return this.#on(server);
    const gateway = this.#gateways.serverOf(keyOf(task)) ?? this.#servers.get(serverKey(audience));
    return gateway && this.#on(gateway, this.bind(task, gateway));
  }

  /** A task is over. */
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
