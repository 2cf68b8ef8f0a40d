/** The requests of one connection that have no response yet, so that none is left without one when the server stops. */
import { afterClose } from '@midcall/core/sdk-seam';
import type { JSONRPCMessage, Transport } from '@modelcontextprotocol/server';

/** What new requests are told. */
const refusal = {
  code: -32000,
  message: 'This server is stopping and takes no new requests. This request was not begun; send it again later.',
};
/** What requests are told that have taken too long. */
const cutShort = {
  code: -32000,
  message:
    'This server stopped before the request ended. What it did is in doubt: find out what took effect before sending it again.',
};

/** A subscription has no response until it ends. */
const isAwaited = (method: string): boolean => method !== 'subscriptions/listen';

export class ClientRequests {
  readonly #transport: Transport;
  readonly #open = new Set<unknown>();
  /** Messages that are being sent. */
  #leaving = 0;
  #whenIdle: (() => void)[] = [];
  #refuses = false;

  /** @param transport - connected, so that its messages are delivered already */
  constructor(transport: Transport) {
    this.#transport = transport;
    const { onmessage: deliver } = transport;
    const send = transport.send.bind(transport);
    transport.onmessage = (message, extra) => {
      if (this.#takes(message)) deliver?.(message, extra);
    };
    transport.send = async (message, options) => {
      this.#leaving += 1;
      try {
        await send(message, options);
      } finally {
        this.#leaving -= 1;
        if (!('method' in message)) this.#open.delete(message.id);
        this.#look();
      }
    };
    afterClose(transport, () => {
      this.#open.clear();
      this.#look();
    });
  }

  /** Answers new requests with an error from now on; everything else is delivered. */
  refuse(): void {
    this.#refuses = true;
  }

  /** Resolves when every request has its response, and all messages have left. */
  async idle(): Promise<void> {
    while (this.#open.size + this.#leaving > 0) await new Promise<void>(resolve => this.#whenIdle.push(resolve));
  }

  /** Answers the requests that have no response with an error. */
  end(): void {
    for (const id of [...this.#open]) this.#answer(id, cutShort);
  }

  /** @returns false for a message that is not delivered */
  #takes(message: JSONRPCMessage): boolean {
    if (!('method' in message)) return true;
    if ('id' in message && isAwaited(message.method)) {
      if (this.#refuses) this.#answer(message.id, refusal);
      else this.#open.add(message.id);
      return !this.#refuses;
    }
    if (message.method === 'notifications/cancelled') {
      // It gets no response, though its handler may still send something.
      this.#open.delete((message.params as { readonly requestId?: unknown } | undefined)?.requestId);
      this.#look();
    }
    return true;
  }

  #answer(id: unknown, error: typeof refusal): void {
    // A client that is gone waits for nothing.
    this.#transport.send({ jsonrpc: '2.0', id: id as string | number, error }).catch(() => {});
  }

  #look(): void {
    if (this.#open.size + this.#leaving > 0) return;
    for (const tell of this.#whenIdle.splice(0)) tell();
  }
}

/** Calls `seen` with each transport that a server is connected to, once its messages are delivered. */
export function onConnect(
  server: { connect(transport: Transport): Promise<void> },
  seen: (transport: Transport) => void,
): void {
  const connect = server.connect.bind(server);
  server.connect = async transport => {
    await connect(transport);
    seen(transport);
  };
}
