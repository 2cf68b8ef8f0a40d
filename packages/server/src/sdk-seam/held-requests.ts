/**
 * Requests of a session over HTTP that are given to its server before there is a stream for them: most need nothing but a
 * response. The transport opens a stream with each request, and events with each stream, so it is given a request once anything
 * else has to be sent for it.
 *
 * - held-requests-H1 A server is given a request once, whoever answers it.
 * - held-requests-H2 What is sent for a request is sent in its order, also where its stream is opened in between.
 *
 * What of the SDK this stands on is held by test/server/held-requests.test.ts.
 */
import type {
  JSONRPCMessage,
  JSONRPCRequest,
  MessageExtraInfo,
  WebStandardStreamableHTTPServerTransport,
} from '@modelcontextprotocol/server';

type Transport = WebStandardStreamableHTTPServerTransport;
type Id = JSONRPCRequest['id'];
type Resolver = Parameters<Transport['setScopeChallengeResolver']>[0];

interface Held {
  /** Told the response, or nothing where a stream is needed. */
  readonly settle: (response: JSONRPCMessage | undefined) => void;
  /** Resolves when there is a stream, or will never be one; undefined until one is needed. */
  opening?: Promise<void>;
  opened: () => void;
  /** True once the server has it. */
  given: boolean;
  /** Messages that wait for the stream. */
  waiting: number;
  /** True once the transport has been given it, or has refused it. */
  ended: boolean;
}

/** Those of one session. */
export class HeldRequests {
  readonly #transport: Transport;
  readonly #held = new Map<Id, Held>();
  #resolver: Resolver | undefined;
  #isClosed = false;

  /** @param transport - not connected yet */
  constructor(transport: Transport) {
    this.#transport = transport;
    const send = transport.send.bind(transport);
    transport.send = async (message, options) => {
      const id = 'method' in message ? options?.relatedRequestId : message.id;
      const held = id === undefined ? undefined : this.#held.get(id);
      if (id === undefined || !held) return send(message, options);
      if (!('method' in message) && !held.opening) {
        this.#held.delete(id);
        return held.settle(message);
      }
      held.waiting += 1;
      await this.#open(held);
      held.waiting -= 1;
      this.#forget(id, held);
      return send(message, options);
    };
    const setResolver = transport.setScopeChallengeResolver.bind(transport);
    transport.setScopeChallengeResolver = resolver => {
      this.#resolver = resolver;
      // Whoever was admitted is not asked again for what has begun.
      setResolver(context => {
        const { request } = context;
        return 'id' in request && this.#held.get(request.id as Id)?.given ? undefined : resolver(context);
      });
    };
  }

  /** To be called once the server is connected. */
  listen(): void {
    const transport = this.#transport;
    const receive = transport.onmessage;
    transport.onmessage = (message, extra) => {
      const held = 'method' in message && 'id' in message ? this.#held.get(message.id) : undefined;
      // By now the transport has a stream for it, and the server has had it (held-requests-H1).
      if (held?.given) return this.end((message as JSONRPCRequest).id);
      if (held) held.given = true;
      receive?.(message, extra);
    };
    const closed = transport.onclose;
    transport.onclose = () => {
      this.#isClosed = true;
      for (const held of this.#held.values()) held.settle(undefined);
      closed?.();
    };
  }

  /** True for a request that is not done with here, though its response may be on its way. */
  has(id: unknown): boolean {
    return this.#held.has(id as Id);
  }

  /** Whether the server takes a request from this caller as it is; what is to be said to the caller otherwise is the transport's. */
  async admits(request: JSONRPCMessage, authInfo: MessageExtraInfo['authInfo']): Promise<boolean> {
    const context = { request, ...(authInfo && { authInfo }) } as Parameters<Resolver>[0];
    try {
      return (await this.#resolver?.(context)) === undefined && !this.#isClosed;
    } catch {
      return false;
    }
  }

  /** Gives the server a message that has no response. */
  tell(message: JSONRPCMessage, extra: MessageExtraInfo): void {
    this.#transport.onmessage?.(message, extra);
  }

  /**
   * Gives the server a request.
   * @param canEnd - true where the stream of the request may be ended by whoever answers it
   * @param waiting - told how to have a stream opened at once
   * @returns its response; undefined where a stream is needed: then the request is to be given to the transport, and
   *   {@link HeldRequests.end} called after that
   */
  give(
    message: JSONRPCRequest,
    extra: MessageExtraInfo,
    canEnd: boolean,
    waiting: (open: () => void) => void,
  ): Promise<JSONRPCMessage | undefined> {
    const { id } = message;
    return new Promise(resolve => {
      const held: Held = { settle: resolve, opened: () => {}, given: false, waiting: 0, ended: false };
      this.#held.set(id, held);
      waiting(() => void this.#open(held));
      const ending = canEnd && {
        closeSSEStream: () => void this.#open(held).then(() => this.#transport.closeSSEStream(id)),
        closeStandaloneSSEStream: () => this.#transport.closeStandaloneSSEStream(),
      };
      this.#transport.onmessage?.(message, { ...extra, ...ending });
    });
  }
  /** The transport has been given a request, or has refused it. */
  end(id: Id): void {
    const held = this.#held.get(id);
    if (!held) return;
    held.ended = true;
    held.opened();
    this.#forget(id, held);
  }

  /** Once nothing waits any more: what is sent next must not come before what has waited (held-requests-H2). */
  #forget(id: Id, held: Held): void {
    if (held.ended && held.waiting === 0) this.#held.delete(id);
  }

  #open(held: Held): Promise<void> {
    held.opening ??= new Promise(resolve => {
      held.opened = resolve;
      held.settle(undefined);
    });
    return held.opening;
  }
}
