/**
 * Tells open pages that something has changed. A page fetches itself again then, so that everything is rendered in one place; if
 * a person is waited for, the same page comes with the event. A page that was disconnected names the last event it saw, and is
 * told at once if it missed one.
 *
 * - live-L1 Changes without a text are announced at once; further ones that follow quickly are announced as one.
 * - live-L2 Nothing is queued for a page that does not read: once it reads again, it is told that something has changed.
 * - live-L3 A page comes only with an event that is read at once, and is never waited for: what is not rendered in the same turn
 *   is fetched. Events keep their order.
 * - live-L4 Of the events that a page has missed, that of a question which has ended since says nothing: nobody is waited for.
 */
import { type Clock, systemClock } from '@midcall/core/time';

/** What an event says besides "look again". */
export interface Announcement {
  /** Read out by screen readers, and shown in a notification if `alert` is set. */
  readonly text: string;
  /** True if a person is waited for. */
  readonly alert: boolean;
  /** The question that has come; `isBrief` if there is nothing in it to fill in or to choose. */
  readonly asked?: { readonly id: string; readonly isBrief: boolean };
  /** The id of the question that has ended. */
  readonly ended?: string;
}

interface Event {
  readonly id: number;
  readonly announcement?: Announcement;
}

/** How many events a page may have missed and still be told what they said. */
const remembered = 50;
/** Milliseconds between signs of life on a quiet stream. */
const heartbeatMs = 15_000;
/** Milliseconds between two changes without a text, and between two pages that come with changes. */
const gatherMs = 50;
/** The most chunks that may wait for a page to read them. */
const mostUnread = 200;

/** Resolves when everything of this turn of the event loop is done. */
const turn = (): Promise<undefined> => new Promise(resolve => setImmediate(() => resolve(undefined)));

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

  /** Announces that something a page may show has changed. */
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

  /** The id of the newest event; part of every page, so that its stream can start where the page ends. */
  get last(): number {
    return this.#last;
  }

  /** How many pages are listening. */
  get listeners(): number {
    return this.#streams.size;
  }

  /**
   * A stream of events (`text/event-stream`).
   * @param since - the id of the last event the page has seen
   * @param render - renders the page that listens; undefined if it has to fetch itself
   * @param onEnd - called when the stream has ended, whoever ended it
   */
  stream(since: number, render?: () => Promise<string | undefined>, onEnd?: () => void): ReadableStream<Uint8Array> {
    const encoder = new TextEncoder();
    let stop = (): void => {};
    let goOn = (): void => {};
    /** Events that wait for the one before them, whose page is being rendered. */
    let waitingEvents: Event[] | undefined;
    /** When a page came with an event last. */
    let broughtAt = -gatherMs;
    return new ReadableStream({
      start: controller => {
        let behind = false;
        const write = (text: string): void => {
          if ((controller.desiredSize ?? 0) > -mostUnread) controller.enqueue(encoder.encode(text));
          else behind = true;
        };
        const tell = ({ id, announcement }: Event, page?: string): void =>
          write(`id: ${id}\nevent: changed\ndata: ${JSON.stringify({ ...announcement, page })}\n\n`);
        const mayBring = ({ announcement }: Event): boolean =>
          announcement?.alert === true &&
          (controller.desiredSize ?? 0) > 0 &&
          this.#clock.now() - broughtAt >= gatherMs;
        const send = (event: Event): void => {
          if (waitingEvents) waitingEvents.push(event);
          else if (!render || !mayBring(event)) tell(event);
          else {
            waitingEvents = [];
            broughtAt = this.#clock.now();
            void Promise.race([render().catch(() => undefined), turn()]).then(page => {
              const later = waitingEvents ?? [];
              waitingEvents = undefined;
              if (!this.#streams.has(send)) return;
              tell(event, page);
              for (const each of later) send(each);
            });
          }
        };
        goOn = () => {
          if (!behind) return;
          behind = false;
          send({ id: this.#last });
        };
        // A comment would be heard by the browser, and not by the page.
        const live = (): void => write('event: alive\ndata: {}\n\n');
        const heartbeat = setInterval(live, heartbeatMs);
        heartbeat.unref();
        stop = () => {
          clearInterval(heartbeat);
          this.#streams.delete(send);
          this.#ends.delete(end);
          onEnd?.();
        };
        const end = (): void => {
          stop();
          controller.close();
        };
        this.#streams.add(send);
        this.#ends.add(end);
        live();
        const missed = this.#recent.filter(event => event.id > since);
        const ended = new Set(missed.flatMap(({ announcement }) => announcement?.ended ?? []));
        const isOver = ({ announcement }: Event): boolean => ended.has(announcement?.asked?.id ?? '');
        if (missed.length > 0) for (const event of missed) send(isOver(event) ? { id: event.id } : event);
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
