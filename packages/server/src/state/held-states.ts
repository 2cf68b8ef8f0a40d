/**
 * Round states that stay in this process: without a key and without a store nobody else could open them, so a short handle
 * travels in the place of the sealed state.
 *
 * - held-H1 A handle opens what it was given for, and nothing else: it cannot be guessed, and has one spelling.
 * - held-H2 What is gone is told from what never was: a handle says when it expires, under a tag that only this process makes.
 * - held-H3 The table is bounded by its entries and its characters; a state that finds no room travels sealed.
 * - held-H4 A state is held until it expires, or until its retry was answered so long ago that its result is not kept either.
 */
import { hash, timingSafeEqual } from 'node:crypto';
import { BoundedTexts } from '@midcall/core/store';
import type { Clock } from '@midcall/core/time';

/** Entries at most, and characters of them all. */
const MAX_ENTRIES = 100_000;
const MAX_CHARACTERS = 33_554_432;

const handle = /^(h1\.[\w-]{1,64}\.([0-9a-z]{1,11})\.)([\w-]{22})$/;

/** What a handle was found to be. */
export type HeldState =
  | { readonly ok: true; readonly json: string }
  | { readonly ok: false; readonly reason: 'expired' | 'answered' };

export interface HeldStatesOptions {
  readonly clock: Pick<Clock, 'now'>;
  /** Milliseconds for which the result of an answered retry is kept. */
  readonly keptMs: number;
  /** Draws what nobody can guess: 128 bits in base64url. */
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
   * @returns its handle; undefined where there is no room
   */
  hold(json: string, expiresAt: number): string | undefined {
    // Neither parts of a millisecond nor a time past all calendars has a place in a handle.
    const expires = Math.min(Math.ceil(expiresAt), Number.MAX_SAFE_INTEGER);
    const body = `h1.${this.#options.id()}.${expires.toString(36)}.`;
    const text = body + this.#tagOf(body);
    return this.#texts.set(text, json, expires) ? text : undefined;
  }

  /** @returns undefined for what is no handle of this process */
  open(text: unknown): HeldState | undefined {
    if (typeof text !== 'string') return undefined;
    const json = this.#texts.get(text);
    if (json !== undefined) return { ok: true, json };
    const [, body, expires, tag] = handle.exec(text) ?? [];
    if (body === undefined || !timingSafeEqual(Buffer.from(tag!), Buffer.from(this.#tagOf(body)))) return undefined;
    const isExpired = this.#options.clock.now() >= Number.parseInt(expires!, 36);
    return { ok: false, reason: isExpired ? 'expired' : 'answered' };
  }

  /** The retry that brought this was answered, so it is opened by duplicates alone. */
  answered(text: string): void {
    const json = this.#texts.get(text);
    if (json === undefined) return;
    const expiresAt = Number.parseInt(handle.exec(text)![2]!, 36);
    this.#texts.set(text, json, Math.min(expiresAt, this.#options.clock.now() + this.#options.keptMs));
  }

  /** Cut short, so that no longer text with a tag of its own can be made from one that was seen. */
  #tagOf(body: string): string {
    // Drawn when it is needed first: a worker may draw nothing while it is loaded.
    this.#secret ??= this.#options.id() + this.#options.id();
    return hash('sha256', this.#secret + body, 'base64url').slice(0, 22);
  }
}
