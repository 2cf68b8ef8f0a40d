/**
 * What every server has of tasks: which servers run them, and when a call or a message is one. What does the work is loaded with the
 * first of them, since most clients have no tasks.
 */
import type { McpServer } from '@modelcontextprotocol/server';
import type { Config } from '../request/index.ts';
import type { CallsAsTasks, TaskRequests } from './task-requests.ts';
import { type CallHandler, TaskServers } from './task-servers.ts';
import type { Tasks } from './tasks.ts';

interface Loaded {
  readonly tasks: Tasks;
  requests(server: McpServer): TaskRequests;
  calls(server: McpServer, handler: CallHandler): CallsAsTasks;
}

export class TaskPart {
  readonly #config: Config;
  readonly #servers: TaskServers;
  #loaded: Promise<Loaded> | undefined;
  /** Undefined until they are loaded. */
  #tasks: Tasks | undefined;
  #jobsClosed: Promise<void> | undefined;
  #started = false;

  constructor(config: Config) {
    this.#config = config;
    this.#servers = new TaskServers(config);
  }

  /** Registers a server for running tasks. */
  attach(server: McpServer, handler: CallHandler): void {
    this.#servers.attach(server, handler);
  }

  /**
   * Registers a tool of such a server whose calls may become tasks. @param tool - undefined for a gateway, which has every tool
   */
  offer(server: McpServer, tool?: string): void {
    this.#servers.offer(server, tool);
    if (this.#started) return;
    this.#started = true;
    this.#config.jobs.start(async (name, attempt) => (await this.tasks()).runs.run(name, attempt));
  }

  async tasks(): Promise<Tasks> {
    return (await this.load()).tasks;
  }

  load(): Promise<Loaded> {
    this.#loaded ??= this.#load();
    return this.#loaded;
  }

  async #load(): Promise<Loaded> {
    const { callsAsTasks, Tasks, taskRequests } = await import('./loaded.ts');
    const config = this.#config;
    const tasks = new Tasks(config, this.#servers);
    this.#tasks = tasks;
    if (this.#jobsClosed) tasks.runs.live.release();
    return {
      tasks,
      requests: server => taskRequests(server, tasks, config),
      calls: (server, handler) => callsAsTasks(server, handler, tasks, config),
    };
  }

  /** Begins no more runs, and releases those that only wait, so that another process may continue them. */
  release(): void {
    this.#tasks?.runs.live.release();
    this.#jobsClosed ??= this.#config.jobs.close();
    // It is awaited when everything is closed.
    this.#jobsClosed.catch(() => {});
  }

  /** Resolves when no run is in progress. */
  async idle(): Promise<void> {
    if (this.#loaded) await (await this.tasks()).runs.live.idleAll();
  }

  /** Leaves the runs in progress to another process, as if this one had died. */
  leave(): void {
    this.#tasks?.runs.live.leave();
  }

  async close(): Promise<void> {
    this.#tasks?.close();
    this.#servers.close();
    await this.#jobsClosed;
  }
}
