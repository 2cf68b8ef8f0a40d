/**
 * Tells open pages that something has changed. An event carries no content: a page fetches itself again, so that there
 * is one rendering of everything. A page that was away names the last event it saw and is told at once if it missed one.
 */

/** What an event says beside "look again". */
export interface Announcement {
  /** Read out by screen readers, and shown in a notification where `alert` is set. */
  readonly text: string;
  /** True where a person is waited for. */
  readonly alert: boolean;
}

interface Event {
  readonly id: number;
  readonly announcement?: Announcement;
}

/** How many events a page may have missed and still be told what they said. */
const remembered = 50;
/** Milliseconds between signs of life on a quiet stream. */
const heartbeatMs = 15_000;

/** The event streams of one desk. */
export class Live {
  readonly #streams = new Set<(event: Event) => void>();
  readonly #ends = new Set<() => void>();
  #recent: Event[] = [];
  #last = 0;

  /** Something a page may show has changed. */
  changed(announcement?: Announcement): void {
    this.#last += 1;
    const event: Event = { id: this.#last, ...(announcement && { announcement }) };
    this.#recent = [...this.#recent, event].slice(-remembered);
    for (const send of this.#streams) send(event);
  }

  /** The id of the newest event; part of every page, so that its stream can begin where the page ends. */
  get last(): number {
    return this.#last;
  }

  /** How many pages listen. */
  get listeners(): number {
    return this.#streams.size;
  }

  /**
   * A stream of events (`text/event-stream`).
   * @param since - the id of the last event the page has seen
   */
  stream(since: number): ReadableStream<Uint8Array> {
    const encoder = new TextEncoder();
    let stop = (): void => {};
    return new ReadableStream({
      start: controller => {
        const write = (text: string): void => controller.enqueue(encoder.encode(text));
        const send = ({ id, announcement }: Event): void =>
          write(`id: ${id}\nevent: changed\ndata: ${JSON.stringify(announcement ?? {})}\n\n`);
        const heartbeat = setInterval(() => write(':\n\n'), heartbeatMs);
        heartbeat.unref();
        stop = () => {
          clearInterval(heartbeat);
          this.#streams.delete(send);
          this.#ends.delete(end);
        };
        const end = (): void => {
          stop();
          controller.close();
        };
        this.#streams.add(send);
        this.#ends.add(end);
        write('retry: 1000\n\n');
        const missed = this.#recent.filter(event => event.id > since);
        if (missed.length > 0) for (const event of missed) send(event);
        else if (since > this.#last) send({ id: this.#last });
      },
      cancel: () => stop(),
    });
  }

  /** Ends every stream. */
  close(): void {
    for (const end of [...this.#ends]) end();
  }
}
