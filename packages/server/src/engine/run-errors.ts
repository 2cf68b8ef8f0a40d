/** The errors that end a run of the engine, in words that name the author's mistake and the fix. */
import { MidcallError, messageOf } from '@midcall/core/errors';
import { describe, type Entry, shortLabel } from './journal.ts';
import type { NamedAsk } from './seam.ts';

const list = (items: readonly string[]): string =>
  items.length > 5 ? `${items.slice(0, 5).join(', ')} and ${items.length - 5} more` : items.join(', ');

/** @param open - what was open, in the author's words */
export function notAwaited(open: readonly string[]): MidcallError {
  return new MidcallError(
    'ask/not-awaited',
    `The handler returned before ${list(open)} had ended. Await every ask, step and file operation; what had begun may ` +
      'still take effect.',
  );
}

/** @param reason - what it failed with */
export function failedUnseen(label: string, reason: unknown): MidcallError {
  return new MidcallError(
    'ask/not-awaited',
    `The handler returned although ${label}, which it did not await, failed: ` +
      `${messageOf(reason)} Await every ask, step and file operation.`,
    { cause: reason },
  );
}

/**
 * @param member - what was read
 * @param method - the method of `call` whose promise it was read from
 */
export function readUnawaited(member: string, method: string): MidcallError {
  return new MidcallError(
    'ask/not-awaited',
    `The handler read '${member}' from the promise that call.${method}(…) returns, not from the answer. Write 'await' before ` +
      `call.${method}(…).`,
  );
}

/**
 * @param open - what nobody awaited, in the author's words
 * @param thrown - what the handler threw
 */
export function threwUnawaited(open: readonly string[], thrown: TypeError): MidcallError {
  return new MidcallError(
    'ask/not-awaited',
    `The handler threw while ${list(open)} was open and not awaited: ${thrown.message}. Await every ask, step and file operation.`,
    { cause: thrown },
  );
}

/** @param label - what was begun, in the author's words */
export function afterReturn(label: string): MidcallError {
  return new MidcallError(
    'ask/not-awaited',
    `The handler had returned when '${shortLabel(label)}' was begun, so nothing was done, and whoever awaits it waits forever. ` +
      'A call ends with its handler: await whatever uses it, also each branch of Promise.all or Promise.race, and do not use it in a ' +
      'timer, an event listener or another call.',
  );
}

/** @param step - the step whose function it is, in the author's words */
export function insideStep(inner: Pick<Entry, 'kind' | 'label'>, step: string): MidcallError {
  return new MidcallError(
    'ask/nested',
    `The function of ${step} called for ${describe(inner)}, so nothing was asked. A step is recorded as one piece and ` +
      'skipped as one when the handler runs again: ask first, and give the step the answer; begin steps one after another.',
  );
}

/**
 * @param asks - what waits
 * @param open - what it waits for, in the author's words
 */
export function neverPut(asks: readonly NamedAsk[], open: readonly string[]): MidcallError {
  return new MidcallError(
    'ask/nested',
    `${list(asks.map(describe))} could not be asked, because ${list(open)} did not end. A step's function must not wait for a ` +
      'question: await the answer first, then begin the step. Work that takes this long belongs after the question.',
  );
}

export function afterEnd(label: string): MidcallError {
  return new MidcallError(
    'ask/nested',
    `A function given to call.defer called for '${shortLabel(label)}', which can no longer start: such a function runs when ` +
      'the call has ended or waits for the person. Clean up with plain code there.',
  );
}

export function inDoubt(name: string): MidcallError {
  return new MidcallError(
    'step/in-doubt',
    `Step '${name}' was begun by an earlier attempt whose end is not known, so it is not run again. ` +
      'Find out whether it took effect before calling again.',
  );
}

/** @param asks - the questions of this run that no earlier run recorded */
export function diverged(unused: readonly Entry[], asks: readonly NamedAsk[]): MidcallError {
  const instead = asks.length > 0 ? `this run asked ${list(asks.map(describe))} instead` : 'this run did not reach it';
  return new MidcallError(
    'ask/diverged',
    `The handler did something different from before: an earlier round recorded ${list(unused.map(describe))}, but ${instead}. ` +
      'A question must read the same each time it is asked: put what changes (time, randomness, what was read) into call.step.',
  );
}
