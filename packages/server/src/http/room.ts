/**
 * Who gets a session, and whose session ends for it. Pure.
 *
 * - room-R1 A session with calls in progress never ends to make room, nor does one that is being opened.
 * - room-R2 An owner with as many sessions as one may have gives up one of its own that nothing uses, or gets no more.
 * - room-R3 If there are as many as there may be, the owner with the most gives one up: the one unused for longest;
 *   failing that, where the newcomer has fewer, one that only listens. No owner gives one up to an owner that has as many.
 */
import type { Refusal } from './refusal.ts';

/** What is known of a session. */
export interface Occupant {
  readonly id: string;
  readonly owner: string;
  /** Milliseconds since the epoch. */
  readonly usedAt: number;
  /** `calls`: requests in progress, or being opened. `listens`: an open stream and nothing else. */
  readonly use: 'calls' | 'listens' | 'none';
}

/** How many sessions there may be. */
export interface RoomLimits {
  /** In all. */
  readonly max: number;
  /** Of one owner. */
  readonly maxPerOwner: number;
}

/** There is room, once this session has ended, where one is named; or there is none. */
export type Room = { readonly ends?: string } | { readonly refusal: Refusal };

/** Seconds after which a refused client may try again: none can tell when somebody is done. */
const retryAfter = 30;

/** Judges whether a newcomer gets a session. */
export function roomFor(newcomer: string, occupants: readonly Occupant[], { max, maxPerOwner }: RoomLimits): Room {
  const counts = new Map<string, number>();
  for (const { owner } of occupants) counts.set(owner, (counts.get(owner) ?? 0) + 1);
  const own = counts.get(newcomer) ?? 0;
  const unused = occupants.filter(({ use }) => use === 'none').sort((a, b) => a.usedAt - b.usedAt);
  if (own >= maxPerOwner) {
    const ends = unused.find(({ owner }) => owner === newcomer);
    if (ends) return { ends: ends.id };
    const message = `You have ${own} sessions in use, the most one owner may have. End one, or try again later.`;
    return { refusal: { status: 429, code: -32000, message, retryAfter } };
  }
  if (occupants.length < max) return {};
  const heaviestFirst = [...counts]
    .filter(([owner, count]) => owner === newcomer || count > own)
    .sort(([, a], [, b]) => b - a)
    .map(([owner]) => owner);
  const listening = occupants.filter(({ use }) => use === 'listens').sort((a, b) => a.usedAt - b.usedAt);
  for (const heavy of heaviestFirst) {
    const ends =
      unused.find(({ owner }) => owner === heavy) ??
      (heavy === newcomer ? undefined : listening.find(({ owner }) => owner === heavy));
    if (ends) return { ends: ends.id };
  }
  const message = 'Every session this server may have is in use. Try again later.';
  return { refusal: { status: 503, code: -32000, message, retryAfter } };
}
