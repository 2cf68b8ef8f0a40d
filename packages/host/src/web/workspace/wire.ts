/**
 * The last messages between the desk and each server. They are stored without being asked for, so that the page of messages and
 * logs shows what has just happened.
 *
 * - wire-P1 Until somebody opens that page, or the drawer that shows the last of them below others, a message is only measured: it is not serialized or masked, and no page is refreshed
 *   for it.
 * - wire-P2 Messages are limited in number and size; the oldest are dropped first. Members that are named like a secret are masked
 *   before anything is shown.
 */
import type { Clock } from '@midcall/core/time';
import { maskedArguments } from '../../index.ts';
import type { DeskConnection } from './desk-connection.ts';

/** One message as it is shown. */
export interface FrameView {
  /** Counts up from 1 for each server. */
  readonly number: number;
  /** Milliseconds since the epoch. */
  readonly at: number;
  readonly direction: 'sent' | 'received';
  /** Masked. */
  readonly message: Readonly<Record<string, unknown>>;
  /** The message as one line of JSON. */
  readonly text: string;
}

/** One message as it is stored. */
interface Frame extends Pick<FrameView, 'number' | 'at' | 'direction'> {
  readonly message: Readonly<Record<string, unknown>>;
  readonly size: number;
  /** Set when it is first shown. */
  view?: FrameView;
}

interface Tail {
  readonly connection: DeskConnection;
  frames: Frame[];
  count: number;
  /** How many characters all frames have together. */
  size: number;
  /** Undefined while it is paused. */
  stop: (() => void) | undefined;
  /** True if the page was opened or refreshed since the last message. */
  isSeen: boolean;
}

/** Per server: the most messages, the most characters of them all, and the most of one message. */
const [mostFrames, mostCharacters, longestFrame] = [500, 1_000_000, 200_000];

/** The last messages of each server. */
export class Wire {
  readonly #tails = new Map<string, Tail>();
  readonly #clock: Clock;
  readonly #onChange: () => void;

  constructor(clock: Clock, onChange: () => void) {
    this.#clock = clock;
    this.#onChange = onChange;
  }

  /** Stores the last messages of a server from now on. @returns stops that, and forgets them */
  follow(serverId: string, connection: DeskConnection): () => void {
    const tail: Tail = { connection, frames: [], count: 0, size: 0, stop: undefined, isSeen: false };
    this.#tails.set(serverId, tail);
    this.#resume(tail);
    return () => {
      tail.stop?.();
      if (this.#tails.get(serverId) === tail) this.#tails.delete(serverId);
    };
  }

  isPaused(serverId: string): boolean {
    return this.#tails.get(serverId)?.stop === undefined;
  }

  /** Oldest first. Pages are refreshed at the next message after this. */
  frames(serverId: string): readonly FrameView[] {
    const tail = this.#tails.get(serverId);
    if (!tail) return [];
    tail.isSeen = true;
    return tail.frames.map(frame => {
      frame.view ??= viewOf(frame);
      return frame.view;
    });
  }

  /** Called when a server has written to its standard error, which the page shows too. */
  wrote(serverId: string): void {
    const tail = this.#tails.get(serverId);
    if (tail) this.#tell(tail);
  }

  pause(serverId: string): void {
    const tail = this.#tails.get(serverId);
    tail?.stop?.();
    if (tail) tail.stop = undefined;
    this.#onChange();
  }

  /** Continues after a pause; messages sent during the pause are not stored. */
  resume(serverId: string): void {
    const tail = this.#tails.get(serverId);
    if (tail && !tail.stop) this.#resume(tail);
    this.#onChange();
  }

  /** Forgets the messages so far. */
  clear(serverId: string): void {
    const tail = this.#tails.get(serverId);
    if (tail) Object.assign(tail, { frames: [], count: 0, size: 0 });
    this.#onChange();
  }

  #resume(tail: Tail): void {
    tail.stop = tail.connection.wire.subscribe(({ direction, message }) => this.#add(tail, direction, message));
  }

  #add(tail: Tail, direction: Frame['direction'], received: Frame['message']): void {
    const size = sizeOf(received);
    const message = size <= longestFrame ? received : shortOf(received);
    tail.count += 1;
    const frame = { number: tail.count, at: this.#clock.now(), direction, message, size: Math.min(size, longestFrame) };
    tail.frames.push(frame);
    tail.size += frame.size;
    while (tail.frames.length > mostFrames || tail.size > mostCharacters) tail.size -= tail.frames.shift()!.size;
    this.#tell(tail);
  }

  /** Refreshes pages once for each time that the messages were shown. */
  #tell(tail: Tail): void {
    if (!tail.isSeen) return;
    tail.isSeen = false;
    this.#onChange();
  }
}

function viewOf({ number, at, direction, message }: Frame): FrameView {
  const masked = maskedArguments(message);
  return { number, at, direction, message: masked, text: JSON.stringify(masked) };
}

/** Characters counted for each member beside its name and text. */
const perMember = 8;

/** About how many characters a message has when serialized; counting stops above the limit. */
function sizeOf(message: unknown): number {
  let size = 0;
  const left: unknown[] = [message];
  while (left.length > 0 && size <= longestFrame) {
    const value = left.pop();
    size += perMember;
    if (typeof value === 'string') size += value.length;
    else if (Array.isArray(value)) {
      // A list that is certainly too long is not walked.
      if (value.length * perMember > longestFrame) return longestFrame + 1;
      for (const each of value) left.push(each);
    } else if (typeof value === 'object' && value !== null)
      for (const name in value) {
        size += name.length;
        left.push((value as Record<string, unknown>)[name]);
      }
  }
  return size;
}

/** What is stored of a message that is too large. */
const shortOf = ({ jsonrpc, id, method }: Frame['message']): Frame['message'] => ({
  jsonrpc,
  ...(id !== undefined && { id: typeof id === 'string' ? id.slice(0, 100) : id }),
  ...(typeof method === 'string' && { method: method.slice(0, 100) }),
  tooLarge: `more than ${longestFrame.toLocaleString('en')} characters`,
});
