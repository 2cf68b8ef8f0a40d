/**
 * What waits for clients that read slowly, or not at all: every response of an endpoint is counted from when it is available until
 * its client has taken it. Beyond a limit, the response whose client has read nothing for the longest time is cut.
 *
 * - unread-U1 A stream that is cut because too much of it waits still gives what was buffered, so that a client that keeps reading
 *   gets further each time it resumes, however much is replayed to it at once.
 * - unread-U2 What one owner leaves unread cuts responses of that owner only. If all owners together leave too much, a response of
 *   the one with the most is cut.
 * - unread-U3 One message may be larger than a limit: the response that has just grown is not cut for it.
 */
import { isEventStream } from './response-end.ts';

/** How much may wait for clients to read it. */
export interface UnreadOptions {
  /**
   * Bytes of one event stream; 16 MiB if absent. The streams of a `fleet` wait in Redis instead, and are not cut for this. If more
   * than this is replayed to a client that resumes, it comes in pieces, and the client reconnects for each.
   */
  readonly maxBytes?: number;
  /** Bytes of all responses of one owner; 64 MiB if absent. Without `authenticate` only the other limits apply. */
  readonly maxBytesPerOwner?: number;
  /** Bytes of all responses of the endpoint; 256 MiB if absent. */
  readonly maxBytesInAll?: number;
}

/** What sends a response, if the platform says so: Node's `ServerResponse` is one. */
export interface Outgoing {
  readonly headersSent: boolean;
  readonly destroyed?: boolean;
  once(event: 'close', listener: () => void): unknown;
  destroy(): unknown;
}

export interface UnreadBytesOptions {
  /** The path of the endpoint. */
  readonly path: string;
  readonly limits: UnreadOptions | undefined;
  /** True if senders are identified, so that unidentified ones are one owner among others. */
  readonly tellsOwnersApart: boolean;
  /** Called with the reason when a response was cut. */
  readonly onCut: (reason: string) => void;
}

const MIB = 1024 * 1024;
/**
 * The most bytes that are handed to the platform at once: it buffers what it has been handed, whoever reads. Where it does not say
 * when a response closes, the last of them cannot be counted.
 */
const SLICE = MIB;
const UNCOUNTED_SLICE = 65_536;

/** The responses of one owner that wait; the one whose client has read nothing for the longest time comes first. */
interface Owned {
  bytes: number;
  readonly waiting: Set<UnreadResponse>;
}

/** What all clients of one endpoint have not read. */
export class UnreadBytes {
  readonly mostOfStream: number;
  readonly #path: string;
  readonly #mostOfOwner: number;
  readonly #mostInAll: number;
  readonly #tellsOwnersApart: boolean;
  readonly #onCut: (reason: string) => void;
  readonly #owners = new Map<string, Owned>();
  #bytes = 0;

  constructor({ path, limits = {}, tellsOwnersApart, onCut }: UnreadBytesOptions) {
    this.#path = path;
    this.mostOfStream = limits.maxBytes ?? 16 * MIB;
    this.#mostOfOwner = limits.maxBytesPerOwner ?? 64 * MIB;
    this.#mostInAll = limits.maxBytesInAll ?? 256 * MIB;
    this.#tellsOwnersApart = tellsOwnersApart;
    this.#onCut = onCut;
  }

  /** How many bytes wait. */
  get bytes(): number {
    return this.#bytes;
  }

  /**
   * Counts a response that is about to be made.
   * @param owner - empty if unknown
   */
  of(owner: string, outgoing: Outgoing | undefined): UnreadResponse {
    return new UnreadResponse(this, owner, outgoing);
  }

  /** Notes that the bytes of a response that wait have changed, or that its client has read some of them. */
  changed(response: UnreadResponse, before: number): void {
    const { owner, bytes } = response;
    const owned = this.#owners.get(owner) ?? { bytes: 0, waiting: new Set() };
    this.#bytes += bytes - before;
    owned.bytes += bytes - before;
    if (bytes <= before) owned.waiting.delete(response);
    if (bytes > 0) owned.waiting.add(response);
    if (owned.waiting.size > 0) this.#owners.set(owner, owned);
    else this.#owners.delete(owner);
    if (bytes > before) this.#makeRoom(response, owned);
  }

  cutStream(): void {
    const excess = `More than ${this.mostOfStream} bytes of one stream`;
    this.#onCut(`${excess} waited for a client of ${this.#path} to read them. The stream was cut.`);
  }

  #makeRoom(grown: UnreadResponse, owned: Owned): void {
    const isOne = grown.owner !== '' || this.#tellsOwnersApart;
    const cutFirstOf = ({ waiting }: Owned, excess: string): boolean => {
      const [first, second] = waiting;
      const longest = first === grown ? second : first;
      if (!longest) return false;
      longest.cut();
      this.#onCut(`${excess}. The response whose client had read nothing for the longest time was cut.`);
      return true;
    };
    while (isOne && owned.bytes > this.#mostOfOwner)
      if (!cutFirstOf(owned, `One owner left more than ${this.#mostOfOwner} bytes of ${this.#path} unread`)) break;
    while (this.#bytes > this.#mostInAll) {
      const most = [...this.#owners.values()].reduce((a, b) => (b.bytes > a.bytes ? b : a));
      if (!cutFirstOf(most, `The clients of ${this.#path} left more than ${this.#mostInAll} bytes unread`)) break;
    }
  }
}

class TooSlow extends Error {
  override readonly name = 'TooSlow';

  constructor() {
    super('The client reads too slowly.');
  }
}

/** One response, in whichever parts it waits. */
export class UnreadResponse {
  readonly owner: string;
  readonly #all: UnreadBytes;
  readonly #outgoing: Outgoing | undefined;
  /** Functions that let go of what waits, and tell whoever writes. */
  readonly #stops: ((reason: Error) => void)[] = [];
  /** Stops counting what was handed to the platform. */
  #letGo = (): void => {};
  #bytes = 0;
  #isOver = false;

  constructor(all: UnreadBytes, owner: string, outgoing: Outgoing | undefined) {
    this.#all = all;
    this.owner = owner;
    this.#outgoing = outgoing;
    if (outgoing?.destroyed) this.#isOver = true;
    // Whoever sends the response cancels its body then.
    else outgoing?.once('close', () => this.#end());
  }

  /** How many of its bytes wait. */
  get bytes(): number {
    return this.#bytes;
  }

  /**
   * The same response, read as soon as it is written if it is a stream, since its writer observes no limit: beyond the limit of one
   * stream it fails, after what was buffered (unread-U1).
   */
  buffer(response: Response): Response {
    const { body, status, statusText, headers } = response;
    if (!body || !isEventStream(response) || this.#isOver) return response;
    const reader: ReadableStreamDefaultReader<Uint8Array> = body.getReader();
    const buffered: Uint8Array[] = [];
    let waiting = 0;
    let ended: { readonly error?: unknown } | undefined;
    let arrived = (): void => {};
    const stop = (reason: unknown): void => {
      ended ??= { error: reason };
      this.#add(-waiting);
      waiting = 0;
      buffered.length = 0;
      arrived();
      void reader.cancel(reason).catch(() => {});
    };
    const pump = async (): Promise<void> => {
      for (let read = await reader.read(); !read.done; read = await reader.read()) {
        if (ended) return;
        if (waiting >= this.#all.mostOfStream) {
          this.#all.cutStream();
          const slow = new TooSlow();
          void reader.cancel(slow).catch(() => {});
          throw slow;
        }
        buffered.push(read.value);
        waiting += read.value.byteLength;
        this.#add(read.value.byteLength);
        arrived();
      }
    };
    void pump().then(
      () => {
        ended ??= {};
        arrived();
      },
      (error: unknown) => {
        ended ??= { error };
        arrived();
      },
    );
    this.#stops.push(stop);
    const counted = new ReadableStream<Uint8Array>(
      {
        pull: async controller => {
          while (buffered.length === 0 && !ended)
            await new Promise<void>(resolve => {
              arrived = resolve;
            });
          const chunk = buffered.shift();
          if (chunk) {
            controller.enqueue(chunk);
            waiting -= chunk.byteLength;
            this.#add(-chunk.byteLength);
          } else if (ended && 'error' in ended) controller.error(ended.error);
          else controller.close();
        },
        cancel: stop,
      },
      { highWaterMark: 0 },
    );
    return new Response(counted, { status, statusText, headers });
  }

  /** The same response, handed to the platform in slices, each when the one before it was taken. */
  async send(response: Response): Promise<Response> {
    const { body, status, statusText } = response;
    if (!body || this.#isOver) return response;
    const headers = new Headers(response.headers);
    const isStream = isEventStream(response);
    const reader: ReadableStreamDefaultReader<Uint8Array> | undefined = isStream ? body.getReader() : undefined;
    let rest = isStream ? new Uint8Array() : new Uint8Array(await response.arrayBuffer());
    if (this.#isOver) return new Response(null, { status, statusText });
    if (!isStream) headers.set('content-length', String(rest.byteLength));
    /** The bytes of the chunk that is being handed over: its memory is in use until the last of it is taken. */
    let counted = 0;
    const count = (bytes: number): void => {
      counted += bytes;
      this.#add(bytes);
    };
    this.#letGo = () => {
      count(-counted);
      rest = new Uint8Array();
    };
    const most = this.#outgoing ? SLICE : UNCOUNTED_SLICE;
    if (!isStream && rest.byteLength <= most) {
      // It is handed over at once anyway: whether it was taken can be known only where the platform says so.
      if (this.#outgoing) count(rest.byteLength);
      return new Response(rest, { status, statusText, headers });
    }
    count(rest.byteLength);
    const sliced = new ReadableStream<Uint8Array>(
      {
        start: controller => {
          if (!this.#outgoing) this.#stops.push(reason => controller.error(reason));
        },
        pull: async controller => {
          // Whoever asks for more has passed on what came before, but for what is read ahead of the head.
          const isTaken = rest.byteLength === 0 && (this.#outgoing?.headersSent ?? true);
          count(isTaken ? -counted : 0);
          if (rest.byteLength === 0) {
            const read = await reader?.read().catch((error: unknown) => {
              // A platform that has an end for its responses ends this one: it would report an error as one of the server.
              if (!this.#isOver && !(this.#outgoing && error instanceof TooSlow)) throw error;
            });
            if (this.#isOver) return;
            if (!read || read.done) {
              controller.close();
              if (!this.#outgoing) this.#end();
              return;
            }
            rest = read.value as Uint8Array<ArrayBuffer>;
            count(rest.byteLength);
          }
          const slice = rest.subarray(0, most);
          rest = rest.subarray(most);
          controller.enqueue(slice);
        },
        cancel: async reason => {
          this.#end();
          await reader?.cancel(reason);
        },
      },
      { highWaterMark: 0 },
    );
    return new Response(sliced, { status, statusText, headers });
  }

  /** Ends the response, whatever of it is still to come. */
  cut(): void {
    this.#end();
    const reason = new TooSlow();
    for (const stop of this.#stops) stop(reason);
    this.#outgoing?.destroy();
  }

  #end(): void {
    this.#isOver = true;
    this.#letGo();
  }

  #add(bytes: number): void {
    const before = this.#bytes;
    this.#bytes += bytes;
    if (bytes !== 0 || before > 0) this.#all.changed(this, before);
  }
}
