/**
 * Every message that crosses a transport of the SDK, seen and changed on its way. The transport is changed in place, because
 * the SDK treats the very class of its stdio transport in a special way. Works before the SDK connects over the transport
 * and after it, and knows it by its shape alone, so that a client's and a server's may be used.
 */

/** A JSON-RPC message of any kind. */
export type JsonRpcMessage = Readonly<Record<string, unknown>>;

/** What is needed of a transport; both sides' are of this shape. */
export interface InterceptedTransport {
  send(message: never, options?: never): Promise<void>;
  onmessage?: ((message: never, extra?: never) => void) | undefined;
}

type Deliver = (message: unknown, extra?: unknown) => void;

type Send = (message: JsonRpcMessage) => Promise<void>;

/** How a request of its own is sent. */
export interface ApartOptions {
  /** Over HTTP, closes what the answer is received on. */
  readonly requestSignal?: AbortSignal;
  /** Over HTTP, called when what the answer is received on has ended. */
  readonly onRequestStreamEnd?: () => void;
}

/** Sends a message that has nothing to do with the one that is being sent. */
export type SendApart = (message: JsonRpcMessage, options?: ApartOptions) => Promise<void>;

/** What happens to messages; those of a direction without a function cross as they are. */
export interface Interception {
  /**
   * A message was received.
   * @param deliver - hands a message to the SDK
   */
  readonly incoming?: (message: JsonRpcMessage, deliver: (message: JsonRpcMessage) => void) => void;
  /**
   * The SDK sends a message.
   * @param send - sends one by the transport, as part of the same request
   * @param sendApart - sends one that has nothing to do with it, and is sent where the request is given up
   * @param given - fires where the SDK gives the request up by closing what its answer comes on
   */
  readonly outgoing?: (message: JsonRpcMessage, send: Send, sendApart: SendApart, given?: AbortSignal) => Promise<void>;
}

/** Starts to intercept. */
export function interceptTransport(transport: InterceptedTransport, { incoming, outgoing }: Interception): void {
  if (outgoing) {
    const send = transport.send.bind(transport);
    transport.send = (message: JsonRpcMessage, options?: never) =>
      outgoing(
        message,
        changed => send(changed as never, options),
        (apart, own) => send(apart as never, own as never),
        (options as ApartOptions | undefined)?.requestSignal,
      );
  }
  if (!incoming) return;
  // The SDK calls the `onmessage` it finds from its own, and that is ours: a message comes by again while it is delivered.
  let delivering: unknown;
  const wrap =
    (next: Deliver): Deliver =>
    (message, extra) => {
      if (delivering === message) return next(message, extra);
      incoming(message as JsonRpcMessage, each => {
        const before = delivering;
        delivering = each;
        try {
          next(each, extra);
        } finally {
          delivering = before;
        }
      });
    };
  // One that intercepts already stays nearest to the wire, and hands on to this one.
  const below = Object.getOwnPropertyDescriptor(transport, 'onmessage');
  let wrapped: Deliver | undefined;
  const get = below?.get ?? (() => wrapped);
  const set =
    below?.set ??
    ((next: Deliver | undefined) => {
      wrapped = next;
    });
  const first = transport.onmessage as Deliver | undefined;
  Object.defineProperty(transport, 'onmessage', {
    configurable: true,
    enumerable: true,
    get,
    set: (next: Deliver | undefined) => set.call(transport, next && wrap(next)),
  });
  if (first) transport.onmessage = first as never;
}
