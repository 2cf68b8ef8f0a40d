/**
 * The server library as a bridge uses it: questions go to the host only, by its forms or on a card, since the bridge runs the desk
 * itself.
 */
import type { Clock } from '@midcall/core/time';
import { type Midcall, type MidcallOptions, midcall } from '@midcall/server';

/** The options that differ between bridges. */
export interface BridgeMidcallOptions extends Pick<MidcallOptions, 'key' | 'principal'> {
  readonly clock: Clock;
  readonly suspectBelowMs: number;
  /** How many milliseconds a client is kept waiting for the desk; one that has tasks gets a task before that. */
  readonly holdMs: number;
  readonly warn: (message: string) => void;
  /** True if hosts of 2026-07-28 are asked for their roots. */
  readonly asksRoots: boolean;
  /** True if they are asked for their model's replies. */
  readonly asksModel: boolean;
}

/** Milliseconds after which a call becomes a task, for hosts with tasks. */
const taskAfterMs = 20_000;

/** Makes the library for one bridge. */
export function bridgeMidcall({ holdMs, asksRoots, asksModel, ...rest }: BridgeMidcallOptions): Midcall {
  return midcall({
    ...rest,
    channels: ['native', 'card'],
    // The errors of the servers behind it go to the host.
    onError: () => {},
    taskAfterMs: Math.max(1, Math.min(taskAfterMs, holdMs)),
    // It contains the reply of a host's model, and no proxy in between limits its size.
    maxStateLength: 8_000_000,
    roots: { askWhereDeprecated: asksRoots },
    sampling: { askWhereDeprecated: asksModel },
  });
}
