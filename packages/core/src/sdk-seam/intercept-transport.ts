/**
 * Every message that crosses a transport of the SDK, seen and changed on its way. The transport is changed in place, because
 * the SDK treats its own stdio transport class specially. Works before and after the SDK connects over the transport, and only
 * depends on its shape, so that both a client's and a server's may be used.
 */

/** A JSON-RPC message of any kind. */
export type JsonRpcMessage = Readonly<Record<string, unknown>>;

/** The required part of a transport; both sides' transports have this shape. */
export interface InterceptedTransport {
  send(message: never, options?: never): Promise<void>;
  onmessage?: ((message: never, extra?: never) => void) | undefined;
}

type Deliver = (message: unknown, extra?: unknown) => void;

type Send = (message: JsonRpcMessage) => Promise<void>;

/** The options for sending one of its requests. */
export interface ApartOptions {
  /** Over HTTP, closes the stream on which the answer is received. */
  readonly requestSignal?: AbortSignal;
  /** Over HTTP, called when the stream on which the answer is received has ended. */
  readonly onRequestStreamEnd?: () => void;
}

/** Sends a message unrelated to the one that is being sent. */
export type SendApart = (message: JsonRpcMessage, options?: ApartOptions) => Promise<void>;

/** Handlers of messages; those of a direction without a handler pass unchanged. */
export interface Interception {
  /**
   * A message was received.
   * @param deliver - passes a message to the SDK
   */
  readonly incoming?: (message: JsonRpcMessage, deliver: (message: JsonRpcMessage) => void) => void;
  /**
   * The SDK sends a message.
   * @param send - sends one by the transport, as part of the same request
   * @param sendApart - sends an unrelated message, even if the request is abandoned
   * @param abandoned - fires when the SDK abandons the request by closing the stream of its answer
   */
  readonly outgoing?: (
    message: JsonRpcMessage,
    send: Send,
    sendApart: SendApart,
    abandoned?: AbortSignal,
  ) => Promise<void>;
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
  // The SDK's `onmessage` calls the previous one, which is ours: a message passes through here again while it is delivered.
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
  // An earlier interceptor stays closest to the wire, and passes messages on to this one.
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
