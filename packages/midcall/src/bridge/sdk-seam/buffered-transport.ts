/** A transport that is read before it is served: a server that connects to it begins with the messages that came by then. */
import type { JSONRPCMessage, Transport } from '@modelcontextprotocol/server';

type Heard = NonNullable<Transport['onmessage']>;

/** An open transport that buffers messages until it is started. */
export class BufferedTransport implements Transport {
  onmessage?: Heard;
  onclose?: () => void;
  onerror?: (error: Error) => void;
  readonly gone = new AbortController();
  readonly #transport: Transport;
  #buffered: Parameters<Heard>[] | undefined = [];

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** Opens the underlying transport. */
  first(): Promise<JSONRPCMessage | undefined> {
    return new Promise((resolve, reject) => {
      this.#transport.onmessage = (...heard: Parameters<Heard>) => {
        const [message] = heard;
        if (!this.#buffered) {
          this.onmessage?.(...heard);
          return;
        }
        // basic/lifecycle, "Initialization": a host may ping before it initializes, and waits for the answer.
        if ('id' in message && 'method' in message && message.method === 'ping')
          return void this.#transport.send({ jsonrpc: '2.0', id: message.id, result: {} }).catch(() => {});
        this.#buffered.push(heard);
        if ('method' in message && 'id' in message) resolve(message);
      };
      this.#transport.onclose = () => {
        resolve(undefined);
        this.gone.abort();
        this.onclose?.();
      };
      this.#transport.onerror = error => this.onerror?.(error);
      this.#transport.start().catch(reject);
    });
  }

  async start(): Promise<void> {
    const bufferedMessages = this.#buffered ?? [];
    this.#buffered = undefined;
    for (const heard of bufferedMessages) this.onmessage?.(...heard);
    if (this.gone.signal.aborted) this.onclose?.();
  }

  send(...sent: Parameters<Transport['send']>): Promise<void> {
    return this.#transport.send(...sent);
  }

  close(): Promise<void> {
    return this.#transport.close();
  }
}
