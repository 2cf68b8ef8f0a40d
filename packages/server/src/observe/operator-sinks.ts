/**
 * What an operator is told by. Events arise wherever a call is, in timers and when a client goes away, too, where an error thrown
 * by a listener would end the process.
 *
 * - operator-sinks-O1 None throws or rejects. What the operator's own function does wrong is told by the next: of `audit` to
 *   `onError`, of `onError` to `warn`, and of `warn` on standard error.
 */
import { ProtocolError } from '@modelcontextprotocol/server';
import type { AuditSink, CallRef, ErrorSink } from '../state/index.ts';
import { writeError } from './standard-error.ts';

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
