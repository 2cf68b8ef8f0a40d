/** Shows the messages of a connection as they cross its transport. It costs nothing without a listener. */
import { type InterceptedTransport, interceptTransport, type JsonRpcMessage } from '@midcall/core/sdk-seam';
import { Listeners } from '../base/index.ts';

/** One message in transit. */
export interface WireFrame {
  readonly direction: 'sent' | 'received';
  readonly message: JsonRpcMessage;
}

/** The messages of one connection, whichever transports it has in turn. */
export class WireWatch {
  readonly #listeners = new Listeners<WireFrame>();

  /** Starts watching a transport, as close to the wire as possible. @returns the same transport */
  onto<T extends InterceptedTransport>(transport: T): T {
    interceptTransport(transport, {
      incoming: (message, deliver) => {
        this.#tell('received', message);
        deliver(message);
      },
      outgoing: (message, send) => {
        this.#tell('sent', message);
        return send(message);
      },
    });
    return transport;
  }

  /** Calls `listener` for every message from now on. @returns ends it */
  subscribe(listener: (frame: WireFrame) => void): () => void {
    return this.#listeners.add(listener);
  }

  #tell(direction: WireFrame['direction'], message: JsonRpcMessage): void {
    this.#listeners.tell({ direction, message });
  }
}
