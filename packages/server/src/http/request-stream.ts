/** The stream of one request of a session, opened when something must be sent on it. */
import type { JSONRPCMessage } from '@modelcontextprotocol/server';
import type { OpenedStream, Opening } from '../sdk-seam/index.ts';
import type { EventStream, EventStreamHead } from './direct-sender.ts';
import type { BoundedEventStore } from './event-store.ts';

interface Surroundings {
  readonly stream: (head: EventStreamHead, ended: () => void) => EventStream;
  readonly headers: EventStreamHead['headers'];
  /** The session's event store. */
  readonly events: BoundedEventStore;
  /** Functions that end each open stream of the session, by the stream's id. */
  readonly streams: Map<string, () => void>;
  /** Called when the stream has ended. */
  readonly ended: () => void;
}

export class RequestStream implements Opening {
  readonly canEnd: boolean;
  readonly #surroundings: Surroundings;
  #opened: EventStream | undefined;

  /** @param primes - true if the client understands an empty event, with which it can resume before there is another */
  constructor(primes: boolean, surroundings: Surroundings) {
    this.canEnd = primes;
    this.#surroundings = surroundings;
  }

  /** Undefined if it was not opened. */
  get response(): Response | undefined {
    return this.#opened?.response;
  }

  open(id: string, over: () => void): OpenedStream {
    const { stream, headers, events, streams, ended } = this.#surroundings;
    let isOver = false;
    let isComplete = false;
    const opened = stream({ headers, events: this.canEnd ? `id: ${events.prime(id)}\ndata: \n\n` : '' }, () => {
      isOver = true;
      streams.delete(id);
      if (isComplete) events.sent(id);
      over();
      ended();
    });
    if (!isOver) streams.set(id, opened.end);
    this.#opened = opened;
    const { write } = opened;
    const end = (): void => {
      isComplete = true;
      opened.end();
    };
    const send = (message: JSONRPCMessage, text: string): void =>
      write(`event: message\nid: ${events.store(id, message, text)}\ndata: ${text}\n\n`);
    return { write, end, send };
  }
}
