/** A server of SDK v1 whose tools are called as tasks of 2025-11-25, as server-everything's are. */
import { randomUUID } from 'node:crypto';
import { once, setMaxListeners } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import {
  type CreateTaskRequestHandlerExtra,
  InMemoryTaskMessageQueue,
  InMemoryTaskStore,
} from '@modelcontextprotocol/sdk/experimental/tasks';
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import { type CallToolResult, ElicitResultSchema } from '@modelcontextprotocol/sdk/types.js';
import { InMemoryTransport } from '@modelcontextprotocol/server';
import { onTestFinished } from 'vitest';

/** What a task may do while it goes on. */
export interface TaskWork {
  /** Asks a form with one field, as the task. @returns what came back */
  ask(message: string): Promise<{ readonly action: string; readonly content?: unknown; readonly _meta?: unknown }>;
  say(message: string): Promise<void>;
  /** Ends the task as failed, with no result. */
  fail(message: string): Promise<void>;
}

/** @returns the result; undefined where the work has ended the task otherwise, or leaves it open */
export type Work = (work: TaskWork) => Promise<CallToolResult | undefined>;

export const said = (text: string): CallToolResult => ({ content: [{ type: 'text', text }] });

type Support = 'required' | 'optional';

/** @param store - may be shared by servers that come one after the other */
function taskServer(work: Work, support: Support, store: InMemoryTaskStore): McpServer {
  const server = new McpServer(
    { name: 'research', version: '1.0.0' },
    {
      capabilities: { tools: {}, tasks: { list: {}, cancel: {}, requests: { tools: { call: {} } } } },
      taskStore: store,
      taskMessageQueue: new InMemoryTaskMessageQueue(),
    },
  );
  letWait(server);
  server.registerTool('plain', {}, (_: unknown) => said('no task'));
  const run = async ({ sendRequest, taskStore }: CreateTaskRequestHandlerExtra, taskId: string): Promise<void> => {
    const requestedSchema = {
      type: 'object',
      properties: { value: { type: 'boolean' } },
      required: ['value'],
    } as const;
    const result = await work({
      async ask(message) {
        await taskStore.updateTaskStatus(taskId, 'input_required', message);
        const params = { message, requestedSchema } as never;
        const request = { method: 'elicitation/create', params } as const;
        const answer = await sendRequest(request, ElicitResultSchema, { relatedTask: { taskId } } as never);
        await taskStore.updateTaskStatus(taskId, 'working');
        return answer;
      },
      say: message => taskStore.updateTaskStatus(taskId, 'working', message),
      fail: message => taskStore.updateTaskStatus(taskId, 'failed', message),
    });
    if (result) await taskStore.storeTaskResult(taskId, result.isError ? 'failed' : 'completed', result);
  };
  server.experimental.tasks.registerToolTask('act', { execution: { taskSupport: support } }, {
    createTask: async (extra: CreateTaskRequestHandlerExtra) => {
      const task = await extra.taskStore.createTask({ ttl: 300_000, pollInterval: 50 });
      // A task that was cancelled takes no state any more, and that is no error here.
      run(extra, task.taskId).catch(() => {});
      return { task };
    },
    getTask: (extra: never) => (extra as Stored).taskStore.getTask((extra as Stored).taskId),
    getTaskResult: (extra: never) => (extra as Stored).taskStore.getTaskResult((extra as Stored).taskId),
  } as never);
  return server;
}

/**
 * SDK v1 looks again and again whether a task has ended, and leaves a listener on the request's signal each time: they go with
 * the request, so Node need not warn of them.
 */
function letWait(server: McpServer): void {
  const inside = server.server as unknown as {
    _waitForTaskUpdate(task: string, signal: AbortSignal, session?: string): Promise<void>;
  };
  const wait = inside._waitForTaskUpdate.bind(inside);
  inside._waitForTaskUpdate = (task, signal, session) => {
    setMaxListeners(0, signal);
    return wait(task, signal, session);
  };
}

interface Stored {
  readonly taskId: string;
  readonly taskStore: InMemoryTaskStore;
}

/** Serves over memory. @returns where a client connects, each time to a server anew over the same tasks */
export function servedInMemory(work: Work, support: Support = 'required'): () => Promise<InMemoryTransport> {
  const store = new InMemoryTaskStore();
  onTestFinished(() => store.cleanup());
  return async () => {
    const [near, far] = InMemoryTransport.createLinkedPair();
    await taskServer(work, support, store).connect(far as unknown as Transport);
    return near;
  };
}

/** Serves over HTTP with sessions. @returns its address */
export async function servedOverHttp(work: Work, support: Support = 'required'): Promise<URL> {
  const store = new InMemoryTaskStore();
  const sessions = new Map<unknown, StreamableHTTPServerTransport>();
  const http = createServer(async (request, response) => {
    let transport = sessions.get(request.headers['mcp-session-id']);
    if (!transport) {
      const opened = new StreamableHTTPServerTransport({
        sessionIdGenerator: randomUUID,
        onsessioninitialized: id => void sessions.set(id, opened),
      });
      transport = opened;
      await taskServer(work, support, store).connect(opened as unknown as Transport);
    }
    await transport.handleRequest(request, response);
  });
  http.listen(0, '127.0.0.1');
  await once(http, 'listening');
  onTestFinished(async () => {
    store.cleanup();
    for (const transport of sessions.values()) await transport.close();
    http.closeAllConnections();
    http.close();
  });
  return new URL(`http://127.0.0.1:${(http.address() as AddressInfo).port}/mcp`);
}
