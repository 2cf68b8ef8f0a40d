/**
 * What an operator is told by. Events arise wherever a call is, in timers and when a client goes away, too, where an error thrown
 * by a listener would end the process.
 *
 * - operator-sinks-O1 None throws or rejects. What the operator's own function does wrong is told by the next: of `audit` to
 *   `onError`, of `onError` to `warn`, and of `warn` on standard error.
 */

import { visible } from '@midcall/core/text';
import { ProtocolError } from '@modelcontextprotocol/server';
import type { AuditSink, CallRef, ErrorSink } from '../state/index.ts';

/** The most characters of a message, and of the stack below it. */
const longest = { message: 1_000, stack: 4_000 };
/** How many causes of an error are written, each below the one that it caused. */
const mostCauses = 4;

const written = new WeakSet<object>();

/**
 * Writes an error with its stack, and only once: one that a factory throws passes several that report it. Its message takes one
 * line and is visible text, since it may quote what a client sent.
 * @param what - what failed
 */
export function writeError(what: string, error: unknown): void {
  if (typeof error === 'object' && error !== null) {
    if (written.has(error)) return;
    written.add(error);
  }
  console.error(`midcall: ${visible(what, { max: 300 })} failed: ${withStack(error, mostCauses)}`);
}

function withStack(error: unknown, causes: number): string {
  if (!(error instanceof Error)) return visible(String(error), { max: longest.message });
  const { name, message, stack = '', cause } = error;
  const at = stack.indexOf(message);
  const frames = at < 0 ? '' : stack.slice(at + message.length);
  const text = visible(`${name}: ${message}`, { max: longest.message });
  const below = visible(frames, { max: longest.stack, lines: true });
  return `${text}${below}${cause === undefined || causes === 0 ? '' : `\nCaused by ${withStack(cause, causes - 1)}`}`;
}

/** The operator's own functions, as given. */
interface OwnSinks {
  readonly audit?: AuditSink | undefined;
  /** Standard error if absent. */
  readonly onError?: ErrorSink | undefined;
  /** Standard error if absent. */
  readonly warn?: ((message: string) => void) | undefined;
}

/** Wraps a sink so that it can be called anywhere. */
export interface OperatorSinks {
  readonly audit: AuditSink | undefined;
  readonly onError: (error: unknown, call: CallRef | undefined) => void;
  readonly warn: (message: string) => void;
}

export function operatorSinks(own: OwnSinks): OperatorSinks {
  // The text of an error that `onError` did not take may contain what a call did.
  const failed = (what: string, error: unknown): string =>
    `midcall: ${what} failed itself (${(error as Error | null)?.name ?? 'error'}).`;
  const warn = guarded(own.warn ?? console.error, (error, message) => {
    console.error(message);
    console.error(failed('warn', error));
  });
  const onError = guarded(own.onError ?? onStandardError, error => warn(failed('onError', error)));
  const audit =
    own.audit &&
    guarded(own.audit, (error, { call }) => (own.onError ? onError(error, call) : warn(failed('audit', error))));
  return { audit, onError, warn };
}

/** An error of the protocol is an answer to the client, which may have sent whatever it wanted. */
function onStandardError(error: unknown, call: CallRef | undefined): void {
  if (!(error instanceof ProtocolError)) writeError(whatOf(call), error);
}

/** What failed; requests about tasks name no tool. */
function whatOf(call: CallRef | undefined): string {
  if (!call) return 'a registration';
  return call.name ? `${call.method} of '${call.name}'` : call.method;
}

/** A function that calls `sink`, and `failed` with what it throws or rejects with, sooner or later. */
function guarded<A extends readonly unknown[]>(
  sink: (...args: A) => unknown,
  failed: (error: unknown, ...args: A) => void,
): (...args: A) => void {
  return (...args) => {
    try {
      const result = sink(...args);
      // Most return nothing, and there are several events in a call.
      if (result !== undefined) Promise.resolve(result).catch(error => failed(error, ...args));
    } catch (error) {
      failed(error, ...args);
    }
  };
}
