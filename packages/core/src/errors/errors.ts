/**
 * The one error class. Check `code`, never `instanceof` across copies of the package.
 *
 * A message says what happened and what to do about it. It names a field, a tool or a path the caller gave; it never contains
 * an answer, a secret or anything outside a boundary.
 */
import { visible } from '../text/index.ts';

/** The error codes, stable across releases. The part before the slash names the area. */
export type MidcallErrorCode =
  // The author's mistakes, raised at construction.
  | 'form/unsupported'
  | 'form/secret'
  | 'server/setup'
  // The run of one call.
  | 'ask/not-awaited'
  | 'ask/nested'
  | 'ask/diverged'
  | 'ask/repeated'
  | 'ask/unavailable'
  | 'ask/rounds'
  | 'step/in-doubt'
  | 'step/not-json'
  | 'step/timeout'
  | 'call/interrupted'
  | 'call/closed'
  | 'call/stopped'
  | 'call/too-many'
  | 'call/not-json'
  | 'call/no-result'
  // Input from the other side.
  | 'state/invalid'
  | 'state/too-large'
  | 'state/already-answered'
  | 'sampling/invalid'
  | 'sampling/unavailable'
  | 'sampling/refused'
  | 'sampling/suspect'
  | 'sampling/limit'
  // Files.
  | 'roots/none'
  | 'roots/outside'
  | 'roots/revoked'
  | 'roots/weak'
  | 'roots/not-found'
  | 'roots/exists'
  | 'roots/invalid'
  | 'roots/io'
  // Out of band.
  | 'connect/identity'
  | 'connect/provider'
  | 'connect/scopes'
  | 'connect/unavailable'
  | 'connect/limit'
  | 'store/corrupt'
  | 'store/unavailable'
  // The host.
  | 'host/refused'
  | 'host/invalid-request'
  | 'host/abandoned'
  | 'host/cancelled'
  | 'host/server-gone'
  | 'host/not-found'
  | 'host/unauthorized'
  | 'cli/usage';

/** A mistake for the author to fix, even if a handler catches it and continues. */
export const authorMistakes: ReadonlySet<MidcallErrorCode> = new Set<MidcallErrorCode>([
  'server/setup',
  'form/unsupported',
  'form/secret',
  'ask/nested',
  'step/not-json',
]);

/**
 * One of Midcall's own errors; see {@link MidcallErrorCode}.
 * @example
 * ```ts
 * throw new MidcallError('host/refused', 'The port 8080 is taken. Stop the process that uses it, or give another port.');
 * ```
 */
export class MidcallError extends Error {
  override readonly name = 'MidcallError';
  readonly code: MidcallErrorCode;

  /**
   * @param code - what went wrong, stable across releases
   * @param message - what happened and what to do; no secrets
   * @param options - `cause`: the error underneath, if there is one
   */
  constructor(code: MidcallErrorCode, message: string, options?: { readonly cause?: unknown }) {
    super(message, options);
    this.code = code;
  }
}

/**
 * True for one of our errors, from any copy of the package.
 * @example
 * ```ts
 * if (isMidcallError(error, 'roots/none')) console.error('Grant a folder first.');
 * ```
 */
export function isMidcallError(error: unknown, code?: MidcallErrorCode): error is MidcallError {
  if (!(error instanceof Error) || error.name !== 'MidcallError') return false;
  return code === undefined || (error as MidcallError).code === code;
}

/** What a thrown value says, which need not be an error. */
export const messageOf = (thrown: unknown): string => (thrown instanceof Error ? thrown.message : String(thrown));

/** A thrown value as an error. */
export const asError = (thrown: unknown): Error => (thrown instanceof Error ? thrown : new Error(String(thrown)));

const visibleName = (name: string): string => visible(name, { max: 60 });

/** The most tools that an error lists. */
const mostNamed = 50;

/**
 * The error for a tool that a person named and the server does not have.
 * @param tools - the tools it has
 */
export function noSuchTool(name: string, tools: readonly { readonly name: string }[]): MidcallError {
  const named = tools.slice(0, mostNamed).map(tool => visibleName(tool.name));
  const more = tools.length - named.length;
  const has = [...named, ...(more > 0 ? [`${more.toLocaleString('en')} more`] : [])].join(', ') || 'none';
  return new MidcallError('cli/usage', `The server has no tool '${visibleName(name)}'. It has: ${has}.`);
}

/** Ends a text that says what a call has done, or may have done, so that nobody repeats it without looking. */
export const findOut = 'Find out what took effect before calling again.';

/** Refuses to go on with a call that may have had effects. */
export const nothingNow = `Nothing was done now. What this call did before stays done. ${findOut}`;
