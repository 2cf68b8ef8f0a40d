/**
 * One session as the SDK's server sees it, if its messages pass through several processes. The SDK numbers its requests within
 * one connection; the forwarding code gives them names that are valid everywhere.
 */
import type { JSONRPCMessage, MessageExtraInfo, Transport, TransportSendOptions } from '@modelcontextprotocol/server';

/** Sends a message of the server; rejects if it cannot be sent. */
export type Sending = (message: JSONRPCMessage, options: TransportSendOptions | undefined) => Promise<void>;

export class SessionTransport implements Transport {
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: <T extends JSONRPCMessage>(message: T, extra?: MessageExtraInfo) => void;
  readonly sessionId: string;
  readonly #sending: Sending;

  constructor(sessionId: string, sending: Sending) {
    this.sessionId = sessionId;
    this.#sending = sending;
  }

  async start(): Promise<void> {}

  async close(): Promise<void> {
    this.onclose?.();
  }

  send(message: JSONRPCMessage, options?: TransportSendOptions): Promise<void> {
    return this.#sending(message, options);
  }

  /** Passes the server a message of its client. */
  receive(message: JSONRPCMessage, extra?: MessageExtraInfo): void {
    this.onmessage?.(message, extra);
  }
}
