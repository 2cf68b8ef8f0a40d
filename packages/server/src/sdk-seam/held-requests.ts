/**
 * Requests of a session over HTTP that we pass to its server in place of the transport, which opens a stream for each request,
 * creates two streams and a response, and checks each message by schemas. Most need only a response; a stream is opened once
 * anything else must be sent for a request, and from then on the transport treats it like its own.
 *
 * - held-requests-H1 A request that the transport refuses is not passed to a server.
 * - held-requests-H2 Messages for a request are sent in order, even if its stream is opened in between, and however they are
 *   sent. A message of ours that needs no checks is stored and written at once; the transport, which waits for the store, sends
 *   all others, and those that overtake one of them.
 *
 * What this relies on in the SDK is tested in test/server/held-requests.test.ts.
 */
import type {
  JSONRPCMessage,
  JSONRPCRequest,
  MessageExtraInfo,
  WebStandardStreamableHTTPServerTransport,
} from '@modelcontextprotocol/server';
import { isPlainlySent } from './plainly-sent.ts';

type Transport = WebStandardStreamableHTTPServerTransport;
type Id = JSONRPCRequest['id'];
type Resolver = Parameters<Transport['setScopeChallengeResolver']>[0];

/** The part of the transport that its streams need. */
interface Streams {
  readonly _streamMapping: Map<string, StreamOfTransport>;
  readonly _requestToStreamMapping: Map<Id, string>;
}

/** A stream in the transport's format: the transport encodes what it enqueues. */
interface StreamOfTransport {
  readonly controller: { enqueue(events: string): void };
  readonly encoder: { encode(events: string): string };
  /** Ends it. */
  readonly cleanup: () => void;
}

/** The stream of one request; nothing has an effect once it has ended. */
export interface OpenedStream {
  write(events: string): void;
  /**
   * Stores a message as an event, and writes it.
   * @param text - the same message, as JSON
   */
  send(message: JSONRPCMessage, text: string): void;
  end(): void;
}

/** Opens the stream of a request. */
export interface Opening {
  /** True if the stream of the request may be ended by whoever answers it. */
  readonly canEnd: boolean;
  /** @param ended - to be called once the stream was sent completely, or its client is gone */
  open(streamId: string, ended: () => void): OpenedStream;
}

interface Held {
  readonly opening: Opening;
  /** Called with the response; or with nothing if there is a stream, or will never be an answer. */
  readonly settle: (response: JSONRPCMessage | undefined) => void;
}

/** A request whose stream we have opened, and that has no response yet. */
interface Streamed {
  readonly id: string;
  readonly stream: StreamOfTransport;
  readonly sent: OpenedStream;
  /** How many of its messages the transport has not stored and written yet. */
  behind: number;
}

const done = Promise.resolve();

/** The held requests of one session. */
export class HeldRequests {
  readonly #transport: Transport;
  readonly #held = new Map<Id, Held>();
  readonly #streamed = new Map<Id, Streamed>();
  #resolver: Resolver | undefined;
  #isClosed = false;

  /** @param transport - not connected yet */
  constructor(transport: Transport) {
    this.#transport = transport;
    const send = transport.send.bind(transport);
    transport.send = (message, options) => {
      const isResponse = !('method' in message);
      const id = isResponse ? message.id : options?.relatedRequestId;
      if (id === undefined) return send(message, options);
      const held = this.#held.get(id);
      if (held && isResponse) {
        this.#held.delete(id);
        held.settle(message);
        return done;
      }
      const streamed = held ? this.#open(id, held) : this.#streamed.get(id);
      if (!streamed) return send(message, options);
      if (isResponse) this.#streamed.delete(id);
      if (isPlainlySent(message) && this.#write(id, streamed, message, isResponse)) return done;
      const caughtUp = (): void => {
        streamed.behind -= 1;
      };
      streamed.behind += 1;
      const sending = send(message, options);
      sending.then(caughtUp, caughtUp);
      return sending;
    };
    const setResolver = transport.setScopeChallengeResolver.bind(transport);
    transport.setScopeChallengeResolver = resolver => {
      this.#resolver = resolver;
      setResolver(resolver);
    };
  }

  /** To be called once the server is connected. */
  listen(): void {
    const transport = this.#transport;
    const closed = transport.onclose;
    transport.onclose = () => {
      this.#isClosed = true;
      for (const held of this.#held.values()) held.settle(undefined);
      this.#held.clear();
      this.#streamed.clear();
      closed?.();
    };
  }

  /** Whether the server accepts a request from this caller unchanged; otherwise the transport answers the caller. */
  async admits(request: JSONRPCMessage, authInfo: MessageExtraInfo['authInfo']): Promise<boolean> {
    const context = { request, ...(authInfo && { authInfo }) } as Parameters<Resolver>[0];
    try {
      return (await this.#resolver?.(context)) === undefined && !this.#isClosed;
    } catch {
      return false;
    }
  }

  /** Passes the server a message that has no response. */
  tell(message: JSONRPCMessage, extra: MessageExtraInfo): void {
    this.#transport.onmessage?.(message, extra);
  }

  /**
   * Passes the server a request.
   * @param waiting - called with a function that opens a stream at once
   * @returns its response; undefined if there is a stream, or the session has ended
   */
  give(
    message: JSONRPCRequest,
    extra: MessageExtraInfo,
    opening: Opening,
    waiting: (open: () => void) => void,
  ): Promise<JSONRPCMessage | undefined> {
    const { id } = message;
    return new Promise(settle => {
      const held: Held = { opening, settle };
      const open = (): void => {
        if (this.#held.get(id) === held) this.#open(id, held);
      };
      this.#held.set(id, held);
      waiting(open);
      const ending = opening.canEnd && {
        closeSSEStream: () => {
          open();
          this.#transport.closeSSEStream(id);
        },
        closeStandaloneSSEStream: () => this.#transport.closeStandaloneSSEStream(),
      };
      this.#transport.onmessage?.(message, { ...extra, ...ending });
    });
  }

  /** @returns false if the transport must send it */
  #write(id: Id, { id: streamId, stream, sent, behind }: Streamed, message: JSONRPCMessage, isLast: boolean): boolean {
    const { _streamMapping: streams, _requestToStreamMapping: streamIds } = this.#transport as unknown as Streams;
    // The stream of a client that is gone, or has come back, is the transport's.
    if (behind > 0 || streams.get(streamId) !== stream) return false;
    let text: string;
    try {
      text = JSON.stringify(message);
    } catch {
      return false;
    }
    sent.send(message, text);
    if (!isLast) return true;
    stream.cleanup();
    streamIds.delete(id);
    return true;
  }

  #open(id: Id, held: Held): Streamed {
    this.#held.delete(id);
    const { _streamMapping: streams, _requestToStreamMapping: streamIds } = this.#transport as unknown as Streams;
    const streamId = crypto.randomUUID();
    const forget = (): void => {
      // A client that came back has another stream under this id.
      if (streams.get(streamId) === stream) streams.delete(streamId);
      // The transport sends what is left, if anything: a call that was cancelled has no response.
      if (this.#streamed.get(id)?.id === streamId) this.#streamed.delete(id);
    };
    const stream: StreamOfTransport = {
      controller: { enqueue: events => sent.write(events) },
      encoder: { encode: events => events },
      cleanup: () => {
        forget();
        sent.end();
      },
    };
    streams.set(streamId, stream);
    streamIds.set(id, streamId);
    const sent = held.opening.open(streamId, forget);
    const streamed = { id: streamId, stream, sent, behind: 0 };
    this.#streamed.set(id, streamed);
    held.settle(undefined);
    return streamed;
  }
}
