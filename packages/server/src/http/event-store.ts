/**
 * What a session has sent, kept so that a client whose stream broke gets the rest on reconnect (2025-11-25,
 * basic/transports, "Resumability and Redelivery"). One store per session, in memory, bounded.
 *
 * - events-E1 A client resumes one stream and gets that stream's messages only, each once, in order.
 * - events-E2 Full, the store forgets streams that have had their response first, then the oldest messages.
 * - events-E3 A stream with a forgotten message after the given event is not resumed: a hole is never passed over in silence.
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

interface Stored {
  readonly sequence: number;
  readonly message: JSONRPCMessage;
  readonly bytes: number;
}

interface Stream {
  readonly events: Stored[];
  /** Sequence number up to which events of this stream may have been forgotten. */
  forgotten: number;
  /** True once the response has been stored: nothing follows. */
  answered: boolean;
}

/** Splits the id of an event into its stream and its number; undefined if it is no id of ours. */
export function parseEventId(eventId: string): { readonly stream: string; readonly sequence: number } | undefined {
  const [, stream, digits] = /^(.+)\.([1-9]\d{0,15})$/u.exec(eventId) ?? [];
  return stream === undefined ? undefined : { stream, sequence: Number(digits) };
}

/** An event store for one session. */
export function boundedEventStore(options: EventStoreOptions = {}): EventStore {
  const { maxEvents = 1_000, maxBytes = 8 * 1024 * 1024 } = options;
  const streams = new Map<string, Stream>();
  let sequence = 0;
  let events = 0;
  let bytes = 0;

  const forgetFirst = (id: string, stream: Stream): void => {
    const first = stream.events.shift();
    if (!first) return;
    events -= 1;
    bytes -= first.bytes;
    stream.forgotten = first.sequence;
    if (stream.events.length === 0) streams.delete(id);
  };

  const forget = (): void => {
    while (events > maxEvents || (bytes > maxBytes && events > 1)) {
      const full = [...streams].filter(([, stream]) => stream.events.length > 0);
      const oldest = (among: typeof full) =>
        among.sort(([, a], [, b]) => a.events[0]!.sequence - b.events[0]!.sequence).at(0);
      const [id, stream] = oldest(full.filter(([, each]) => each.answered)) ?? oldest(full)!;
      if (!stream.answered) forgetFirst(id, stream);
      else while (stream.events.length > 0) forgetFirst(id, stream);
    }
  };

  const parse = (eventId: string): { id: string; stream: Stream; after: number } | undefined => {
    const { stream: id, sequence: after } = parseEventId(eventId) ?? { stream: '', sequence: 0 };
    const stream = streams.get(id);
    if (!stream || after < stream.forgotten || after > sequence) return undefined;
    return { id, stream, after };
  };

  return {
    async storeEvent(id, message) {
      sequence += 1;
      const stream = streams.get(id) ?? { events: [], forgotten: sequence - 1, answered: false };
      streams.set(id, stream);
      const size = encoder.encode(JSON.stringify(message)).byteLength;
      stream.events.push({ sequence, message, bytes: size });
      stream.answered ||= 'id' in message && !('method' in message);
      events += 1;
      bytes += size;
      const eventId = `${id}.${sequence}`;
      forget();
      return eventId;
    },
    async getStreamIdForEventId(eventId) {
      return parse(eventId)?.id;
    },
    async replayEventsAfter(lastEventId, { send }) {
      const position = parse(lastEventId);
      if (!position) throw new Error('This event is no longer kept.');
      for (const event of position.stream.events.filter(each => each.sequence > position.after)) {
        // The transport's priming event is no message; it only gives a stream its first id.
        if ('jsonrpc' in event.message) await send(`${position.id}.${event.sequence}`, event.message);
      }
      return position.id;
    },
  };
}
