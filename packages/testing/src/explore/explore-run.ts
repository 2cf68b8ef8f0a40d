/**
 * Runs a tool once, in one era, along one path of outcomes, and reports what happened. Time moves only by decision: each
 * answer takes a moment, and a timeout lets the person's time pass.
 */

import { checkKind, func } from '@midcall/core/options';
import type { AnyServerFactory, MidcallOptions } from '@midcall/server';
import { memoryStore } from '@midcall/server/stores/memory';
import type { McpServerFactory } from '@modelcontextprotocol/server';
import { watchedFactory } from '../watched-factory.ts';
import { type ExploredCall, play } from './explore-client.ts';
import { virtualClock } from './explore-clock.ts';
import { OpenTrace, type Picker, type PlayedAs, type Trace, type TraceRules } from './explore-trace.ts';
import { openWire } from './explore-wire.ts';

/**
 * The options a server under exploration passes on to `midcall()`; options set after these override them,
 * and the exploration may then be wrong.
 */
export type ExploreOptionsForMidcall = Required<
  Pick<MidcallOptions, 'clock' | 'store' | 'observe' | 'onError' | 'warn' | 'stateTtlMs' | 'taskAfterMs'>
> &
  Pick<MidcallOptions, 'maxRounds'>;

/** The parameters of runs; the same for every run of an exploration. */
export interface Subject extends ExploredCall, TraceRules {
  readonly server: (
    options: ExploreOptionsForMidcall,
    effect: (name: string) => void,
  ) => AnyServerFactory | Promise<AnyServerFactory>;
  readonly before: () => void | Promise<void>;
  /** Real milliseconds. */
  readonly hangMs: number;
}

const factoryKind = { ...func, words: 'a function that makes a server: options => () => notesServer(options)' };

/** Longer than the client's person is ever away. */
const stateTtlMs = 60 * 86_400_000;

/**
 * Runs one path in one way.
 * @param maxRounds - replaces the server's own, which is what a client meets
 * @returns undefined if it should have been a task and is not
 */
export async function runPath(
  subject: Subject,
  playedAs: PlayedAs,
  pick: Picker,
  maxRounds?: number,
): Promise<Trace | undefined> {
  await subject.before();
  const clock = virtualClock();
  const trace = new OpenTrace(subject, pick);
  const options: ExploreOptionsForMidcall = {
    clock,
    store: memoryStore({ clock }),
    observe: seen => trace.saw(seen),
    onError: () => {},
    warn: () => {},
    stateTtlMs,
    ...(maxRounds === undefined ? {} : { maxRounds }),
    // A client that has tasks gets one for every call.
    taskAfterMs: 0,
  };
  const factory = (await subject.server(options, name => trace.effect(name))) as McpServerFactory;
  checkKind('explore', 'what server(options) gives', factory, factoryKind);
  const { build, failure } = watchedFactory(factory);
  const wire = openWire(build, clock, subject.hangMs);
  try {
    const end = await play(playedAs, { subject, wire, clock, trace });
    const failed = failure();
    if (failed) throw failed.error;
    await wire.drain();
    return end && { playedAs, end, ...trace.told() };
  } finally {
    await wire.close();
  }
}
