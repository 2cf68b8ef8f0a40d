/**
 * Stores what a session has sent, so that a client whose stream broke gets the rest on reconnect (2025-11-25, basic/transports,
 * "Resumability and Redelivery"). One store per session, in memory, bounded; those of one owner, and of an endpoint, are bounded
 * together.
 *
 * - events-E1 A client resumes one stream and gets that stream's messages only, each once, in order.
 * - events-E2 When full, the store first forgets streams that have had their response, then the oldest messages. So do all stores
 *   of an owner or an endpoint, when they have too much together.
 * - events-E3 A stream with a forgotten message after the given event is not resumed: a gap is never skipped silently.
 * - events-E4 A stream that was sent completely, up to its response, is forgotten a while later: until then, a client that lost
 *   the last bytes of it can resume.
 */
import { type Clock, idleClock, steadyNow } from '@midcall/core/time';
import type { EventStore, JSONRPCMessage } from '@modelcontextprotocol/server';

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

/**
 * What some event streams keep together, and what is forgotten first when that is too much: those of one session, of one owner,
 * or of an endpoint (events-E2).
 */
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

/** How much sessions keep. */
export interface EventStoreOptions {
  /** The most events of one session; 1,000 if absent. */
  readonly maxEvents?: number;
  /** The most bytes of the messages of one session, as JSON; 8 MiB if absent. */
  readonly maxBytes?: number;
  /** The most bytes of all sessions of one owner; 32 MiB if absent. Without `authenticate` only the other limits apply. */
  readonly maxBytesPerOwner?: number;
  /** The most bytes of all sessions of the endpoint; 128 MiB if absent. */
  readonly maxBytesInAll?: number;
  /** Milliseconds that a stream is kept after it was sent completely, up to its response; 60,000 if absent. */
  readonly keepMs?: number;
}

/** What a store shares with others. */
export interface EventStoreShared {
  readonly clock?: Clock;
  /** The bounds that it is part of, besides its own. */
  readonly bounds?: readonly EventBound[];
}

const encoder = new TextEncoder();
/** JSON has no control characters: other non-ASCII text is counted by encoding it. */
const sizeOf = (text: string): number => (/[^ -~]/.test(text) ? encoder.encode(text).byteLength : text.length);

/** An event without a message, as the SDK's transport stores it. */
const silence = JSON.stringify({});

/** One stream of a session. */
interface Stream extends StoredStream {
  readonly id: string;
  readonly events: StoredEvent[];
  /** Sequence number up to which events of this stream may have been forgotten. */
  forgotten: number;
  /** True once it has had its response. */
  isAnswered: boolean;
}

/** Splits the id of an event into its stream and its number; undefined if it is not one of our ids. */
export function parseEventId(eventId: string): { readonly stream: string; readonly sequence: number } | undefined {
  const [, stream, digits] = /^(.+)\.([1-9]\d{0,15})$/u.exec(eventId) ?? [];
  return stream === undefined ? undefined : { stream, sequence: Number(digits) };
}

/** The stream of an event, by the id it carries; the transport sends each event as one chunk, the id before the data. */
export function streamIn(chunk: Uint8Array): string | undefined {
  const [, id] = /^(?:event: message\n)?id: ([^\n]+)\n/u.exec(new TextDecoder().decode(chunk.subarray(0, 160))) ?? [];
  return id === undefined ? undefined : parseEventId(id)?.stream;
}

/** What one session has sent. */
export interface BoundedEventStore extends EventStore {
  /** Stores an empty event, with which a stream begins. @returns its id */
  prime(stream: string): string;
  /**
   * Stores a message.
   * @param text - the same message, as JSON
   * @returns the id of its event
   */
  store(stream: string, message: JSONRPCMessage, text: string): string;
  /** A connection has sent a stream completely, as far as there is any; if it has had its response, it is forgotten later. */
  sent(stream: string): void;
  /** Forgets the streams whose time is up. */
  tidy(): void;
  /** Forgets everything, and keeps nothing more. */
  clear(): void;
}

/** An event store for one session. */
export function boundedEventStore(options: EventStoreOptions = {}, shared: EventStoreShared = {}): BoundedEventStore {
  const { maxEvents = 1_000, maxBytes = 8 * 1024 * 1024, keepMs = 60_000 } = options;
  const { clock = idleClock } = shared;
  const bounds = [new EventBound(maxEvents, maxBytes), ...(shared.bounds ?? [])];
  const streams = new Map<string, Stream>();
  /** When each stream that has had its response was sent completely, in steady time; the first comes first. */
  const complete = new Map<Stream, number>();
  let sequence = 0;
  let isCleared = false;

  const newStream = (id: string): Stream => {
    const stream: Stream = {
      ...{ id, events: [], forgotten: sequence - 1, isAnswered: false },
      forgetFirst() {
        const first = stream.events.shift();
        if (!first) return;
        stream.forgotten = first.sequence;
        for (const bound of bounds) bound.remove(first, stream);
        if (stream.events.length > 0) return;
        streams.delete(id);
        complete.delete(stream);
      },
    };
    streams.set(id, stream);
    return stream;
  };

  const forgetAll = (stream: Stream): void => {
    while (stream.events.length > 0) stream.forgetFirst();
  };

  const tidy = (): void => {
    for (const [stream, at] of complete) {
      if (steadyNow(clock) - at < keepMs) return;
      forgetAll(stream);
    }
  };

  const parse = (eventId: string): { id: string; stream: Stream; after: number } | undefined => {
    const { stream: id, sequence: after } = parseEventId(eventId) ?? { stream: '', sequence: 0 };
    const stream = streams.get(id);
    if (!stream || after < stream.forgotten || after > sequence) return undefined;
    return { id, stream, after };
  };

  const add = (id: string, text: string, isResponse: boolean): string => {
    sequence += 1;
    if (isCleared) return `${id}.${sequence}`;
    const stream = streams.get(id) ?? newStream(id);
    const event = { sequence, text, bytes: sizeOf(text) };
    stream.events.push(event);
    for (const bound of bounds) bound.add(event, stream);
    if (isResponse) {
      stream.isAnswered = true;
      for (const bound of bounds) bound.answered(stream);
    }
    tidy();
    for (const bound of bounds) bound.forget();
    return `${id}.${sequence}`;
  };
  const store = (id: string, message: JSONRPCMessage, text: string): string =>
    add(id, text, 'id' in message && !('method' in message));

  return {
    prime: id => add(id, silence, false),
    store,
    sent(id) {
      const stream = streams.get(id);
      if (!stream?.isAnswered) return;
      complete.delete(stream);
      complete.set(stream, steadyNow(clock));
    },
    tidy,
    clear() {
      isCleared = true;
      for (const stream of streams.values()) forgetAll(stream);
    },
    async storeEvent(id, message) {
      return store(id, message, JSON.stringify(message));
    },
    async getStreamIdForEventId(eventId) {
      return parse(eventId)?.id;
    },
    async replayEventsAfter(lastEventId, { send }) {
      const position = parse(lastEventId);
      if (!position) throw new Error('This event is no longer kept.');
      for (const event of position.stream.events.filter(each => each.sequence > position.after)) {
        // An event that primes a stream is not a message; it only gives the stream its first id.
        if (event.text !== silence) await send(`${position.id}.${event.sequence}`, JSON.parse(event.text));
      }
      return position.id;
    },
  };
}
