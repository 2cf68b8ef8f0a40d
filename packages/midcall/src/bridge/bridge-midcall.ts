/** The server library as a bridge uses it: questions go to the host alone, since the desk is the bridge's own affair. */
import type { Clock } from '@midcall/core/time';
import { type Midcall, type MidcallOptions, midcall } from '@midcall/server';

/** What differs between bridges. */
export interface BridgeMidcallOptions extends Pick<MidcallOptions, 'key' | 'principal'> {
  readonly clock: Clock;
  readonly suspectBelowMs: number;
  /** Milliseconds a client is kept waiting for the desk; one that has tasks gets a task before. */
  readonly holdMs: number;
  readonly warn: (message: string) => void;
  /** True if hosts of 2026-07-28 are asked for their roots. */
  readonly asksRoots: boolean;
  /** True if they are asked for their model. */
  readonly asksModel: boolean;
}

/** Milliseconds after which a call becomes a task, for hosts that have tasks. */
const taskAfterMs = 20_000;

/** Makes it. */
export function bridgeMidcall({ holdMs, asksRoots, asksModel, ...rest }: BridgeMidcallOptions): Midcall {
  return midcall({
    ...rest,
    channels: ['native'],
    taskAfterMs: Math.max(1, Math.min(taskAfterMs, holdMs)),
    // What a host's model replies travels in it, and no proxy in between would object.
    maxStateLength: 8_000_000,
    roots: { askWhereDeprecated: asksRoots },
    sampling: { askWhereDeprecated: asksModel },
  });
}
