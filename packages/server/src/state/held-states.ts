/**
 * Round states that stay in this process: without a key and a store nobody else could open them, so a short handle travels in
 * place of the sealed state.
 *
 * - held-state-H1 A handle opens the state it was made for, and nothing else: it cannot be guessed, and has one spelling.
 * - held-state-H2 An expired state is distinguished from one that never existed: a handle contains its expiry, under a tag
 *   that only this process can make.
 * - held-state-H3 The table is bounded by its entries and its characters; if there is no room for a state, it travels sealed.
 * - held-state-H4 A state is held until it expires, or until the result of its answered retry is no longer stored either.
 */
import { hash, timingSafeEqual } from 'node:crypto';
import { BoundedTexts } from '@midcall/core/store';
import type { Clock } from '@midcall/core/time';

/** The maximum number of entries, and of characters in all of them. */
const MAX_ENTRIES = 100_000;
const MAX_CHARACTERS = 33_554_432;

const handle = /^(h1\.[\w-]{1,64}\.([0-9a-z]{1,11})\.)([\w-]{22})$/;

/** The result of looking up a handle. */
export type HeldState =
  | { readonly ok: true; readonly json: string }
  | { readonly ok: false; readonly reason: 'expired' | 'answered' };

export interface HeldStatesOptions {
  readonly clock: Pick<Clock, 'now'>;
  /** How long the result of an answered retry is kept, in milliseconds. */
  readonly keptMs: number;
  /** Generates an unguessable text: 128 bits in base64url. */
  readonly id: () => string;
  readonly maxEntries?: number;
  readonly maxCharacters?: number;
}

export class HeldStates {
  readonly #texts: BoundedTexts;
  readonly #options: HeldStatesOptions;
  #secret: string | undefined;

  constructor(options: HeldStatesOptions) {
    const { clock, maxEntries = MAX_ENTRIES, maxCharacters = MAX_CHARACTERS } = options;
    this.#options = options;
    this.#texts = new BoundedTexts(clock, maxEntries, maxCharacters);
  }

  /**
   * @param json - the state
   * @param expiresAt - when it ends, in milliseconds since the epoch
   * @returns its handle; undefined if there is no room
   */
  hold(json: string, expiresAt: number): string | undefined {
    // A handle has no room for fractions of a millisecond or a time beyond all calendars.
    const expires = Math.min(Math.ceil(expiresAt), Number.MAX_SAFE_INTEGER);
    const body = `h1.${this.#options.id()}.${expires.toString(36)}.`;
    const text = body + this.#tagOf(body);
    return this.#texts.set(text, json, expires) ? text : undefined;
  }

  /** @returns undefined for anything but a handle of this process */
  open(text: unknown): HeldState | undefined {
    if (typeof text !== 'string') return undefined;
    const json = this.#texts.get(text);
    if (json !== undefined) return { ok: true, json };
    const [, body, expires, tag] = handle.exec(text) ?? [];
    if (body === undefined || !timingSafeEqual(Buffer.from(tag!), Buffer.from(this.#tagOf(body)))) return undefined;
    const isExpired = this.#options.clock.now() >= Number.parseInt(expires!, 36);
    return { ok: false, reason: isExpired ? 'expired' : 'answered' };
  }

  /** The retry with this handle was answered, so only duplicates will open it. */
  answered(text: string): void {
    const json = this.#texts.get(text);
    if (json === undefined) return;
    const expiresAt = Number.parseInt(handle.exec(text)![2]!, 36);
    this.#texts.set(text, json, Math.min(expiresAt, this.#options.clock.now() + this.#options.keptMs));
  }

  /** Truncated, so that no longer text with a valid tag can be made from an observed one. */
  #tagOf(body: string): string {
    // Generated on first use: a worker may not generate random values while it is loaded.
    this.#secret ??= this.#options.id() + this.#options.id();
    return hash('sha256', this.#secret + body, 'base64url').slice(0, 22);
  }
}
