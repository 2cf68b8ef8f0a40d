/**
 * Stores what a session has sent, so that a client whose stream broke gets the rest on reconnect (2025-11-25, basic/transports,
 * "Resumability and Redelivery"). One store per session, in memory, bounded.
 *
 * - events-E1 A client resumes one stream and gets that stream's messages only, each once, in order.
 * - events-E2 When full, the store first forgets streams that have had their response, then the oldest messages.
 * - events-E3 A stream with a forgotten message after the given event is not resumed: a gap is never skipped silently.
 */
import type { EventStore, JSONRPCMessage } from '@modelcontextprotocol/server';

/** How much one session keeps. */
export interface EventStoreOptions {
  /** 1,000 if absent. */
  readonly maxEvents?: number;
  /** Of messages, as JSON; 8 MiB if absent. */
  readonly maxBytes?: number;
}

const encoder = new TextEncoder();
/** JSON has no control characters: other non-ASCII text is counted by encoding it. */
const sizeOf = (text: string): number => (/[^ -~]/.test(text) ? encoder.encode(text).byteLength : text.length);

/** An event without a message, as the SDK's transport stores it. */
const silence = JSON.stringify({});

interface Stored {
  readonly sequence: number;
  /** The message as JSON: a thousand texts cost less in garbage collection than the objects in a thousand messages. */
  readonly text: string;
  readonly bytes: number;
}

interface Stream {
  readonly id: string;
  readonly events: Stored[];
  /** Sequence number up to which events of this stream may have been forgotten. */
  forgotten: number;
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
}

/** An event store for one session. */
export function boundedEventStore(options: EventStoreOptions = {}): BoundedEventStore {
  const { maxEvents = 1_000, maxBytes = 8 * 1024 * 1024 } = options;
  const streams = new Map<string, Stream>();
  /** The stream of each event, the oldest event first: the next one to forget is found without a search. */
  const kept = new Map<number, Stream>();
  /** Streams that have had their response, after which nothing follows; the one that had it first comes first. */
  const answered = new Set<Stream>();
  let sequence = 0;
  let bytes = 0;

  const forgetFirst = (stream: Stream): void => {
    const first = stream.events.shift();
    if (!first) return;
    kept.delete(first.sequence);
    bytes -= first.bytes;
    stream.forgotten = first.sequence;
    if (stream.events.length > 0) return;
    streams.delete(stream.id);
    answered.delete(stream);
  };

  const forget = (): void => {
    while (kept.size > maxEvents || (bytes > maxBytes && kept.size > 1)) {
      const [done] = answered;
      if (done) while (done.events.length > 0) forgetFirst(done);
      else {
        const [oldest] = kept.values();
        forgetFirst(oldest!);
      }
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
    let stream = streams.get(id);
    if (!stream) {
      stream = { id, events: [], forgotten: sequence - 1 };
      streams.set(id, stream);
    }
    kept.set(sequence, stream);
    const size = sizeOf(text);
    stream.events.push({ sequence, text, bytes: size });
    if (isResponse) answered.add(stream);
    bytes += size;
    const eventId = `${id}.${sequence}`;
    forget();
    return eventId;
  };
  const store = (id: string, message: JSONRPCMessage, text: string): string =>
    add(id, text, 'id' in message && !('method' in message));

  return {
    prime: id => add(id, silence, false),
    store,
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
