/**
 * `subscriptions/listen` for tasks (extension `io.modelcontextprotocol/tasks`, "Task Status Notifications"). The SDK serves
 * that method itself, before any server of the request, and does not know `taskIds`: so its answers are amended, on a wire
 * (`amendWire`) and in an HTTP response (`amendResponse`).
 *
 * What this relies on in the SDK is tested in test/server/tasks/task-notifications.test.ts.
 */
import { afterClose } from '@midcall/core/sdk-seam';
import type {
  JSONRPCMessage,
  McpServer,
  ServerContext,
  Transport,
  TransportSendOptions,
} from '@modelcontextprotocol/server';
import { wireError } from './wire-error.ts';

/** The task notifications of one client. */
export interface TaskSubscription {
  /** The ids among these that belong to the client. */
  readonly taskIds: readonly string[];
  /**
   * Begins to notify.
   * @param tell - called with the parameters of `notifications/tasks`
   * @returns a function that stops it
   */
  start(tell: (task: Readonly<Record<string, unknown>>) => void): () => void;
}

/** A request to listen. */
export interface ListenRequest {
  readonly id: string | number;
  readonly params?: {
    readonly _meta?: Readonly<Record<string, unknown>>;
    readonly notifications?: { readonly taskIds?: unknown };
  };
}

/**
 * Checks a request to listen to tasks.
 * @param http - the HTTP context that a handler of the request would get; absent on stdio
 * @throws an error with a JSON-RPC code if it is refused
 */
export type Subscribe = (request: ListenRequest, http?: ServerContext['http']) => Promise<TaskSubscription>;

const SUBSCRIPTION_ID = 'io.modelcontextprotocol/subscriptionId';
const ACKNOWLEDGED = 'notifications/subscriptions/acknowledged';

const subscribes = new WeakMap<McpServer, Subscribe>();
const tapped = new WeakSet<Transport>();

/** Lets clients of a server listen to its tasks; call it before the server is connected. */
export function serveSubscriptions(server: McpServer, subscribe: Subscribe): void {
  subscribes.set(server, subscribe);
  const connect = server.connect.bind(server);
  server.connect = transport => {
    const wire = (transport as { _wire?: Transport })._wire;
    if (wire && !tapped.has(wire)) {
      tapped.add(wire);
      amendWire(server, wire, subscribe);
    }
    return connect(transport);
  };
}

/** @returns the request, if it is one to listen to tasks */
export function asksForTasks(message: unknown): ListenRequest | undefined {
  const { method, id, params } = (message ?? {}) as Partial<ListenRequest> & { readonly method?: unknown };
  if (method !== 'subscriptions/listen' || id === undefined) return undefined;
  const notifications = params?.notifications as { readonly taskIds?: unknown } | undefined;
  return notifications?.taskIds === undefined ? undefined : (message as ListenRequest);
}

/** @returns the notifications for a client of this server; undefined if it has no tasks */
export async function subscribeAt(
  server: McpServer,
  request: ListenRequest,
  http: ServerContext['http'],
): Promise<TaskSubscription | undefined> {
  return subscribes.get(server)?.(request, http);
}

type Frame = {
  readonly jsonrpc: '2.0';
  readonly id?: unknown;
  readonly method?: string;
  readonly params?: Readonly<Record<string, unknown>> & {
    readonly _meta?: Readonly<Record<string, unknown>>;
    readonly notifications?: Readonly<Record<string, unknown>>;
    readonly requestId?: unknown;
  };
  readonly result?: unknown;
};

const acknowledging = (frame: Frame, taskIds: readonly string[]): Frame => ({
  ...frame,
  params: {
    ...frame.params,
    notifications: { ...frame.params?.notifications, ...(taskIds.length > 0 && { taskIds }) },
  },
});

const notification = (task: Readonly<Record<string, unknown>>, id: ListenRequest['id']): Frame => ({
  jsonrpc: '2.0',
  method: 'notifications/tasks',
  params: { ...task, _meta: { [SUBSCRIPTION_ID]: id } },
});

/** The JSON-RPC error that refuses a request. */
export const refusalOf = (id: ListenRequest['id'], error: unknown): Record<string, unknown> => ({
  jsonrpc: '2.0',
  id,
  error: wireError(error),
});

/** Amends the answers of the SDK's stdio entry point. */
function amendWire(server: McpServer, wire: Transport, subscribe: Subscribe): void {
  /** Subscriptions by the id of the request to listen; undefined while one is being checked. */
  const open = new Map<unknown, { subscription?: TaskSubscription; stop?: () => void }>();
  const end = (id: unknown): void => {
    open.get(id)?.stop?.();
    open.delete(id);
  };
  const send = wire.send.bind(wire);
  /** Acknowledges a request to listen, and begins to notify. */
  const begin = async (
    each: { stop?: () => void },
    subscription: TaskSubscription,
    frame: Frame,
    options: TransportSendOptions | undefined,
  ): Promise<void> => {
    const id = frame.params?._meta?.[SUBSCRIPTION_ID];
    await send(acknowledging(frame, subscription.taskIds) as JSONRPCMessage, options);
    if (open.get(id) !== each) return;
    each.stop = subscription.start(task => {
      void send(notification(task, id as ListenRequest['id']) as JSONRPCMessage).catch(() => end(id));
    });
  };
  wire.send = (message, options) => {
    const frame = message as Frame;
    const each = frame.method === ACKNOWLEDGED ? open.get(frame.params?._meta?.[SUBSCRIPTION_ID]) : undefined;
    // The SDK closes every subscription with a result.
    if ('result' in frame || 'error' in frame) end(frame.id);
    return each?.subscription ? begin(each, each.subscription, frame, options) : send(message, options);
  };
  const receive = wire.onmessage;
  wire.onmessage = (message, extra) => {
    const request = asksForTasks(message);
    if (!request) {
      const { method, params } = message as Frame;
      if (method === 'notifications/cancelled') end(params?.requestId);
      receive?.(message, extra);
      return;
    }
    const each: { subscription?: TaskSubscription; stop?: () => void } = {};
    open.set(request.id, each);
    void subscribe(request).then(
      subscription => {
        if (open.get(request.id) !== each) return;
        each.subscription = subscription;
        receive?.(message, extra);
      },
      (error: unknown) => {
        open.delete(request.id);
        void send(refusalOf(request.id, error) as never).catch(() => {});
      },
    );
  };
  afterClose(server.server, () => {
    for (const id of [...open.keys()]) end(id);
  });
}

const KEEP_ALIVE_MS = 15_000;

/** HTTP streams with task notifications. */
export class TaskStreams {
  readonly #open = new Set<() => void>();

  /** Amends the SDK's response to a request to listen. */
  amend(response: Response, request: ListenRequest, subscription: TaskSubscription): Response {
    const { body, headers, status } = response;
    if (!body || !headers.get('content-type')?.startsWith('text/event-stream')) return response;
    const reader = body.pipeThrough(new TextDecoderStream()).getReader();
    const encoder = new TextEncoder();
    let stop = (): void => {};
    let close = (): void => {};
    const stream = new ReadableStream<Uint8Array>({
      start: async controller => {
        let isOpen = true;
        let last = '';
        const write = (text: string): void => {
          if (isOpen) controller.enqueue(encoder.encode(text));
        };
        const alive = setInterval(() => write(': keepalive\n\n'), KEEP_ALIVE_MS);
        alive.unref();
        close = () => {
          if (!isOpen) return;
          isOpen = false;
          clearInterval(alive);
          stop();
          this.#open.delete(close);
          void reader.cancel().catch(() => {});
          try {
            controller.enqueue(encoder.encode(last));
            controller.close();
          } catch {
            // The client has gone.
          }
        };
        this.#open.add(close);
        let buffer = '';
        let isAcknowledged = false;
        for (;;) {
          const { value, done } = await reader.read().catch(() => ({ value: undefined, done: true }) as const);
          if (done) break;
          buffer += value;
          const frames = buffer.split('\n\n');
          buffer = frames.pop()!;
          for (const text of frames) {
            const frame = frameOf(text);
            if (frame?.method === ACKNOWLEDGED) {
              isAcknowledged = true;
              write(spelled(acknowledging(frame, subscription.taskIds)));
              stop = subscription.start(task => write(spelled(notification(task, request.id))));
            } else if (frame && 'result' in frame) last = `${text}\n\n`;
            else write(`${text}\n\n`);
          }
        }
        // The SDK ends a stream without notifications of its own; this one has some.
        if (!isAcknowledged || subscription.taskIds.length === 0) close();
      },
      cancel: () => close(),
    });
    return new Response(stream, { status, headers });
  }

  /** Ends every stream, each with its result. */
  closeAll(): void {
    for (const close of [...this.#open]) close();
  }
}

const spelled = (frame: Frame): string => `event: message\ndata: ${JSON.stringify(frame)}\n\n`;

function frameOf(text: string): Frame | undefined {
  const line = text.split('\n').find(each => each.startsWith('data: '));
  return line === undefined ? undefined : (JSON.parse(line.slice('data: '.length)) as Frame);
}
