/**
 * What some event streams keep together, and what is forgotten first when that is too much: those of one session, of one owner,
 * or of an endpoint (events-E2).
 */

/** One event. */
export interface StoredEvent {
  readonly sequence: number;
  /** The message as JSON: a thousand texts cost less in garbage collection than the objects in a thousand messages. */
  readonly text: string;
  readonly bytes: number;
}

/** A stream whose events are kept. */
export interface StoredStream {
  readonly events: readonly StoredEvent[];
  /** Forgets its oldest event, here and in every other bound that counts it. */
  forgetFirst(): void;
}

export class EventBound {
  readonly #maxEvents: number;
  readonly #maxBytes: number;
  /** The stream of each event, the oldest event first: the next one to forget is found without a search. */
  readonly #streamOf = new Map<StoredEvent, StoredStream>();
  /** Streams that have had their response, after which nothing follows; the one that had it first comes first. */
  readonly #answered = new Set<StoredStream>();
  #bytes = 0;

  /** @param maxBytes - of messages, as JSON; the newest is kept whatever it has */
  constructor(maxEvents: number, maxBytes: number) {
    this.#maxEvents = maxEvents;
    this.#maxBytes = maxBytes;
  }

  /** The bytes of all events. */
  get bytes(): number {
    return this.#bytes;
  }

  add(event: StoredEvent, stream: StoredStream): void {
    this.#streamOf.set(event, stream);
    this.#bytes += event.bytes;
  }

  answered(stream: StoredStream): void {
    this.#answered.add(stream);
  }

  remove(event: StoredEvent, stream: StoredStream): void {
    this.#streamOf.delete(event);
    this.#bytes -= event.bytes;
    if (stream.events.length === 0) this.#answered.delete(stream);
  }

  /** Forgets what there is no room for. */
  forget(): void {
    while (this.#streamOf.size > this.#maxEvents || (this.#bytes > this.#maxBytes && this.#streamOf.size > 1)) {
      const [done] = this.#answered;
      if (done) while (done.events.length > 0) done.forgetFirst();
      else {
        const [oldest] = this.#streamOf.values();
        oldest!.forgetFirst();
      }
    }
  }
}
