/**
 * Which tools of a server are called as tasks (2025-11-25): the list of tools says so, if the server declares tasks at all. The
 * list is read from responses to the client; if there has been none yet, it is requested.
 */
import { isRecord, type JsonObject, own } from '@midcall/core/json';

/** Whether a tool is called as a task. */
export type TaskMode = 'required' | 'optional' | 'forbidden';

/** The most pages of a list that are read. */
const mostPages = 100;

export class TaskSupport {
  readonly #support = new Map<string, TaskMode>();
  #changed = false;

  /** Processes a message of the server. */
  note(message: JsonObject): void {
    if (message['method'] === 'notifications/tools/list_changed') this.#changed = true;
    const tools = own(message['result'], 'tools');
    if (!Array.isArray(tools)) return;
    for (const tool of tools) {
      const name = own(tool, 'name');
      const support = own(own(tool, 'execution'), 'taskSupport');
      if (typeof name === 'string')
        this.#support.set(name, support === 'required' || support === 'optional' ? support : 'forbidden');
    }
  }

  /** Undefined if the list must be read first. */
  cached(tool: string): TaskMode | undefined {
    return this.#changed ? undefined : this.#support.get(tool);
  }

  /**
   * @param ask - sends a request of `tools/list`
   * @returns `forbidden` also for a tool that the server does not have
   */
  async of(tool: string, ask: (params: JsonObject) => Promise<JsonObject | undefined>): Promise<TaskMode> {
    if (this.cached(tool) === undefined) await this.#list(ask);
    return this.#support.get(tool) ?? 'forbidden';
  }

  async #list(ask: (params: JsonObject) => Promise<JsonObject | undefined>): Promise<void> {
    // A change that is announced meanwhile takes effect with the next call.
    this.#changed = false;
    let cursor: unknown;
    for (let page = 0; page < mostPages; page += 1) {
      const response = await ask(cursor === undefined ? {} : { cursor });
      const result = own(response, 'result');
      if (!isRecord(result)) return;
      this.note({ result });
      cursor = result['nextCursor'];
      if (typeof cursor !== 'string') return;
    }
  }
}

/** True if a server on 2025-11-25 accepts calls of tools as tasks. @param capabilities - those of the server */
export const takesTasks = (capabilities: unknown): boolean =>
  own(own(own(own(capabilities, 'tasks'), 'requests'), 'tools'), 'call') !== undefined;

/** True if it accepts cancellation of tasks. */
export const cancelsTasks = (capabilities: unknown): boolean => own(own(capabilities, 'tasks'), 'cancel') !== undefined;
