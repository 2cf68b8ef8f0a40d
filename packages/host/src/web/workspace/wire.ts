/**
 * The messages between the desk and a server, while the person records them.
 *
 * - wire-P1 Nothing is read before the person starts a recording, or after they pause it.
 * - wire-P2 Frames are limited in number and size; the oldest are dropped first. Members that are named like a secret are
 *   masked.
 */
import type { Clock } from '@midcall/core/time';
import { type Connection, maskedArguments } from '../../index.ts';

/** One message as it is shown. */
export interface FrameView {
  /** Counts up from 1 in each recording. */
  readonly number: number;
  /** Milliseconds since the epoch. */
  readonly at: number;
  readonly direction: 'sent' | 'received';
  /** Masked. */
  readonly message: Readonly<Record<string, unknown>>;
  /** The message as one line of JSON. */
  readonly text: string;
}

interface Recording {
  frames: FrameView[];
  count: number;
  /** The most characters of all frames together. */
  weight: number;
  stop: (() => void) | undefined;
}

const [mostFrames, mostCharacters, longestFrame] = [500, 5_000_000, 200_000];

/** The recordings of a desk, by server. */
export class Wire {
  readonly #recordings = new Map<string, Recording>();
  readonly #clock: Clock;
  readonly #onChange: () => void;

  constructor(clock: Clock, onChange: () => void) {
    this.#clock = clock;
    this.#onChange = onChange;
  }

  isRecording(serverId: string): boolean {
    return this.#recordings.get(serverId)?.stop !== undefined;
  }

  /** Oldest first. */
  frames(serverId: string): readonly FrameView[] {
    return this.#recordings.get(serverId)?.frames ?? [];
  }

  record(serverId: string, connection: Connection): void {
    const recording = this.#recordings.get(serverId) ?? { frames: [], count: 0, weight: 0, stop: undefined };
    this.#recordings.set(serverId, recording);
    recording.stop?.();
    recording.stop = connection.wire.subscribe(({ direction, message }) => this.#add(recording, direction, message));
    this.#onChange();
  }

  pause(serverId: string): void {
    const recording = this.#recordings.get(serverId);
    recording?.stop?.();
    if (recording) recording.stop = undefined;
    this.#onChange();
  }

  /** Forgets what was recorded; a recording in progress continues. */
  clear(serverId: string): void {
    const recording = this.#recordings.get(serverId);
    if (recording) Object.assign(recording, { frames: [], count: 0, weight: 0 });
    this.#onChange();
  }

  /** Ends a recording and forgets it. */
  forget(serverId: string): void {
    this.#recordings.get(serverId)?.stop?.();
    this.#recordings.delete(serverId);
  }

  #add(recording: Recording, direction: FrameView['direction'], received: Readonly<Record<string, unknown>>): void {
    const whole = maskedArguments(received);
    const written = JSON.stringify(whole);
    const message = written.length <= longestFrame ? whole : { ...shortOf(whole), tooLarge: written.length };
    const text = written.length <= longestFrame ? written : JSON.stringify(message);
    recording.count += 1;
    recording.weight += text.length;
    recording.frames.push({ number: recording.count, at: this.#clock.now(), direction, message, text });
    while (recording.frames.length > mostFrames || recording.weight > mostCharacters) {
      const oldest = recording.frames.shift();
      recording.weight -= oldest?.text.length ?? recording.weight;
    }
    this.#onChange();
  }
}

const shortOf = ({ jsonrpc, id, method }: Readonly<Record<string, unknown>>) => ({ jsonrpc, id, method });
