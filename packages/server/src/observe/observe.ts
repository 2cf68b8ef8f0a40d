/**
 * What a test can see of a handler while it runs: when it begins, what it changes, and how it ends. It is what `explore`
 * of `@midcall/testing` watches; nothing in it reaches a client or a log.
 */

import type { Json } from '../base/index.ts';

/** One thing that a handler did, or that happened to it. */
export type Observation =
  /** The handler begins, from the top. */
  | { readonly kind: 'run' }
  /** The handler returned or threw, whether or not anybody still waits for it. */
  | { readonly kind: 'returned' }
  /** The server waits for one of its pages. */
  | { readonly kind: 'page' }
  /** The server waits for an answer in an inbox. */
  | { readonly kind: 'inbox' }
  /** An inbox has brought a yes. */
  | { readonly kind: 'approved'; readonly message: string; readonly content: Json }
  /** The call ended with this error. */
  | { readonly kind: 'failed'; readonly error: unknown }
  /** A step marked `effect`, or a change of files, begins or has ended. */
  | {
      readonly kind: 'effect';
      readonly phase: 'begun' | 'ended';
      readonly by: 'step' | 'files';
      /** The step's name, or the operation and its path. */
      readonly name: string;
      /** True if a question of the same run was open. */
      readonly asking: boolean;
    };

/** Takes observations; must not throw. */
export type Observer = (seen: Observation) => void;

/** The part of a run that an observation needs. */
interface Asking {
  readonly asking: boolean;
}

/** Runs something with an outside effect, and reports it. */
export function observed<T>(
  observe: Observer | undefined,
  run: Asking,
  effect: { readonly by: 'step' | 'files'; readonly name: string },
  work: () => T,
): T {
  if (!observe) return work();
  const tell = (phase: 'begun' | 'ended') => observe({ kind: 'effect', phase, ...effect, asking: run.asking });
  tell('begun');
  let result: T;
  try {
    result = work();
  } catch (error) {
    tell('ended');
    throw error;
  }
  if (result instanceof Promise) {
    return result.finally(() => tell('ended')) as T;
  }
  tell('ended');
  return result;
}
