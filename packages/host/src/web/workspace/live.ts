/**
 * Tells open pages that something has changed. An event carries no content: a page fetches itself again, so that there
 * is one rendering of everything. A page that was away names the last event it saw and is told at once if it missed one.
 *
 * - live-L1 Changes that say nothing are told at once, and after that as one for as long as more come quickly.
 * - live-L2 Nothing piles up for a page that does not read: it is told once that something has changed when it reads again.
 */
import { type Clock, systemClock } from '@midcall/core/time';

/** What an event says beside "look again". */
export interface Announcement {
  /** Read out by screen readers, and shown in a notification where `alert` is set. */
  readonly text: string;
  /** True if a person is waited for. */
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
/** Milliseconds between two changes that say nothing. */
const gatherMs = 50;
/** Pieces that may wait for a page to read them. */
const mostUnread = 200;

/** The event streams of one desk. */
export class Live {
  readonly #streams = new Set<(event: Event) => void>();
  readonly #ends = new Set<() => void>();
  readonly #clock: Clock;
  #recent: Event[] = [];
  #last = 0;
  #pause: (() => void) | undefined;
  #more = false;

  constructor(clock: Clock = systemClock) {
    this.#clock = clock;
  }

  /** Something a page may show has changed. */
  changed(announcement?: Announcement): void {
    if (!announcement && this.#pause) {
      this.#more = true;
      return;
    }
    this.#tell(announcement);
    if (announcement) return;
    this.#pause = this.#clock.after(gatherMs, () => {
      this.#pause = undefined;
      if (!this.#more) return;
      this.#more = false;
      this.changed();
    });
  }

  #tell(announcement: Announcement | undefined): void {
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
    let goOn = (): void => {};
    return new ReadableStream({
      start: controller => {
        let behind = false;
        const write = (text: string): void => {
          if ((controller.desiredSize ?? 0) > -mostUnread) controller.enqueue(encoder.encode(text));
          else behind = true;
        };
        const send = ({ id, announcement }: Event): void =>
          write(`id: ${id}\nevent: changed\ndata: ${JSON.stringify(announcement ?? {})}\n\n`);
        goOn = () => {
          if (!behind) return;
          behind = false;
          send({ id: this.#last });
        };
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
      pull: () => goOn(),
      cancel: () => stop(),
    });
  }

  /** Ends every stream. */
  close(): void {
    this.#pause?.();
    for (const end of [...this.#ends]) end();
  }
}
