/** A task server: preferences that may go unanswered, and batch actions that never go on without a yes. */

import { type MidcallOptions, midcall } from '@midcall/server';
import { McpServer } from '@modelcontextprotocol/server';
import { demonstrate, demonstrateConfig } from './demonstrate.ts';
import { session, sessionConfig } from './session.ts';
import { tasksIn } from './tasks.ts';
import { workflow, workflowConfig } from './workflow.ts';

export interface TasksOptions extends MidcallOptions {
  /** Milliseconds a person has to say what a session shall include. */
  readonly preferenceTimeoutMs?: number;
  /** Milliseconds a person has to confirm. */
  readonly confirmTimeoutMs?: number;
}

// #region server
export function tasksServer(directory: string, options: TasksOptions = {}) {
  const { preferenceTimeoutMs = 5_000, confirmTimeoutMs = 15_000, ...rest } = options;
  const mid = midcall(rest);
  const tasks = tasksIn(directory);
  const tools = {
    session: { config: sessionConfig, handler: session(tasks, preferenceTimeoutMs) },
    task_workflow: { config: workflowConfig, handler: workflow(tasks, confirmTimeoutMs) },
    demonstrate_elicit: { config: demonstrateConfig, handler: demonstrate },
  };
  return {
    factory() {
      const server = new McpServer({ name: 'example-tasks', title: 'Tasks', version: '1.0.0' });
      mid.tool(server, 'session', tools.session.config, tools.session.handler);
      mid.tool(server, 'task_workflow', tools.task_workflow.config, tools.task_workflow.handler);
      mid.tool(server, 'demonstrate_elicit', tools.demonstrate_elicit.config, tools.demonstrate_elicit.handler);
      return server;
    },
    /** The same handlers from a command line, where nothing is asked. */
    async run(name: string, given: unknown) {
      if (!Object.hasOwn(tools, name)) throw new Error(`There is no tool '${name}': ${Object.keys(tools).join(', ')}.`);
      const { config, handler } = tools[name as keyof typeof tools];
      const args = config.inputSchema.parse(given);
      return mid.withoutClient(call => handler(args as never, call), config.annotations);
    },
  };
}
// #endregion
