/**
 * Decides who gets a session, and whose session ends to make room. Pure.
 *
 * - room-R1 A session with calls in progress never ends to make room, nor does one that is being opened.
 * - room-R2 An owner at its limit gives up one of its own sessions that nothing uses, or gets no more.
 * - room-R3 At the overall limit, the owner with the most sessions gives one up: the one unused for longest; failing that, if
 *   the newcomer has fewer, one that only listens. No owner gives one up to an owner that has as many.
 */
import { everySession, type Refusal } from './refusal.ts';

/** What is known about a session. */
export interface Occupant {
  readonly id: string;
  readonly owner: string;
  /** Milliseconds since the epoch. */
  readonly usedAt: number;
  /** `calls`: requests in progress, or being opened. `listens`: an open stream and nothing else. */
  readonly use: 'calls' | 'listens' | 'none';
}

/** The limits of sessions. */
export interface RoomLimits {
  /** The most sessions of all owners together. */
  readonly max: number;
  /** The most sessions of one owner. */
  readonly maxPerOwner: number;
}

/** There is room, if a session is named once that one has ended; or there is none. */
export type Room = { readonly ends?: string } | { readonly refusal: Refusal };

/** Decides whether a newcomer gets a session. */
export function roomFor(newcomer: string, occupants: readonly Occupant[], { max, maxPerOwner }: RoomLimits): Room {
  const counts = new Map<string, number>();
  for (const { owner } of occupants) counts.set(owner, (counts.get(owner) ?? 0) + 1);
  const own = counts.get(newcomer) ?? 0;
  const unused = occupants.filter(({ use }) => use === 'none').sort((a, b) => a.usedAt - b.usedAt);
  if (own >= maxPerOwner) {
    const ends = unused.find(({ owner }) => owner === newcomer);
    if (ends) return { ends: ends.id };
    const message = `You have ${own} sessions in use, the most one owner may have. End one, or try again later.`;
    return { refusal: { status: 429, code: -32000, message, retryAfter: 30 } };
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
  return { refusal: everySession };
}
