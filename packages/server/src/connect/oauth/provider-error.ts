/**
 * Explains a provider's refusal in plain words. Pure.
 *
 * - provider-error-P1 A message consists of our words, the provider's name and one standard error code. The provider's own text
 *   and the underlying error may contain a token or personal data, so neither is passed on, not even as `cause`.
 */
import { MidcallError } from '@midcall/core/errors';

/** How far a failed request got. */
export type ProviderFailure =
  /** The provider says that this grant has ended: the person must sign in again. */
  | 'ended'
  /** It answered, and granted nothing. */
  | 'refused'
  /** The request never reached it. */
  | 'unsent'
  /** The request may have reached the provider, and no complete answer came back. */
  | 'unknown';

/** An error of a provider: the message for people, and what it means for the tokens. */
export class ProviderError extends MidcallError {
  readonly failure: ProviderFailure;
  /** The standard error code, if the provider gave one that we know. */
  readonly reason: string | undefined;

  constructor(message: string, failure: ProviderFailure, reason?: string) {
    super('connect/provider', message);
    this.failure = failure;
    this.reason = reason;
  }
}

/** RFC 6749 sections 4.1.2.1 and 5.2, RFC 7009, OpenID Connect Core 3.1.2.6, RFC 8707; and what each means here. */
const meanings: Readonly<Record<string, string>> = {
  access_denied: 'the sign-in was refused there',
  invalid_grant: 'it no longer accepts this sign-in; sign in again',
  invalid_client:
    'it does not know this server by these credentials; the operator has to check clientId and clientSecret',
  unauthorized_client: 'this server may not sign people in there; the operator has to allow it in its settings there',
  invalid_scope: 'it does not know one of the scopes that were asked for, or does not allow it',
  invalid_request: 'it did not understand the request',
  invalid_target: 'it does not know the resource that was asked for',
  unsupported_response_type: 'it does not offer the authorization code flow',
  unsupported_grant_type: 'it does not offer this kind of grant',
  unsupported_token_type: 'it does not revoke this kind of token',
  server_error: 'it had an error of its own; try again later',
  temporarily_unavailable: 'it is busy or being worked on; try again later',
  login_required: 'it wants the person to sign in there first',
  consent_required: 'it wants the person to agree there first',
  interaction_required: 'it wants to ask the person something first',
  account_selection_required: 'it wants the person to choose an account first',
};

const neverSent = new Set(['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'EHOSTUNREACH', 'ENETUNREACH', 'EADDRNOTAVAIL']);

interface Raw {
  readonly name?: unknown;
  readonly code?: unknown;
  readonly error?: unknown;
  readonly status?: unknown;
  readonly cause?: unknown;
  readonly errors?: unknown;
}

const object = (value: unknown): Raw | undefined => (typeof value === 'object' && value !== null ? value : undefined);

/** @param name - the provider's, as people know it */
export function providerError(name: string, error: unknown): ProviderError {
  if (error instanceof ProviderError) return error;
  const raw = object(error) ?? {};
  if (typeof raw.error === 'string') {
    const code = Object.hasOwn(meanings, raw.error) ? raw.error : undefined;
    const text = code
      ? `${name} says: ${meanings[code]} (${code}).`
      : `${name} refused, and gave a reason that no standard defines.`;
    return new ProviderError(text, code === 'invalid_grant' ? 'ended' : 'refused', code);
  }
  const codes = [...codesOf(raw)];
  if (codes.includes('OAUTH_TIMEOUT') || codes.includes('OAUTH_ABORT')) {
    return new ProviderError(`${name} did not answer in time. Try again later.`, 'unknown');
  }
  if (codes.some(code => neverSent.has(code))) {
    return new ProviderError(`${name} cannot be reached. Try again later.`, 'unsent');
  }
  const status = statusOf(raw);
  if (status === 401) return new ProviderError(`${name} says: ${meanings['invalid_client']}.`, 'refused');
  if (status !== undefined && status >= 300) {
    return new ProviderError(
      status >= 500
        ? `${name} answered with HTTP status ${status}. Try again later.`
        : `${name} answered with HTTP status ${status}, which is not what the standard says.`,
      'refused',
    );
  }
  if (codes.some(code => code.startsWith('OAUTH_'))) {
    return new ProviderError(`${name} sent an answer that failed its checks, so it was not used.`, 'unknown');
  }
  return new ProviderError(`The connection to ${name} broke off. Try again later.`, 'unknown');
}

/** The codes of an error and of its causes. */
function* codesOf(error: Raw, depth = 0): Generator<string> {
  if (typeof error.code === 'string') yield error.code;
  // In the middle of an answer, the library says only that it cannot be read.
  if (error.name === 'TimeoutError') yield 'OAUTH_TIMEOUT';
  if (depth === 5) return;
  const under = [error.cause, ...(Array.isArray(error.errors) ? error.errors : [])];
  for (const each of under) {
    const raw = object(each);
    if (raw) yield* codesOf(raw, depth + 1);
  }
}

/** The HTTP status of a response that the library rejected and left in the error. */
function statusOf(error: Raw, depth = 0): number | undefined {
  if (typeof error.status === 'number') return error.status;
  const cause = object(error.cause);
  return cause && depth < 5 ? statusOf(cause, depth + 1) : undefined;
}
