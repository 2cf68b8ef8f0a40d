/**
 * Why an authorization server issued no tokens, in words without secrets: a response that is not an OAuth error may quote
 * anything, so it is not repeated. Pure.
 */
import { isMidcallError, MidcallError } from '@midcall/core/errors';
import { own } from '@midcall/core/json';
import { invalidResultIssue } from '@midcall/core/sdk-seam';
import { visible } from '@midcall/core/text';
import {
  InsecureTokenEndpointError,
  IssuerMismatchError,
  OAuthError,
  RegistrationRejectedError,
} from '@modelcontextprotocol/client';
import { isUnreadableOAuthAnswer } from '../sdk-seam/index.ts';

/** The `error` of an OAuth answer (RFC 6749, section 5.2); undefined if there was none. */
export function oauthCode(error: unknown): string | undefined {
  if (!OAuthError.isInstance(error)) return undefined;
  return isUnreadableOAuthAnswer(error.code, error.message) ? undefined : error.code;
}

/**
 * @param what - what was tried, such as `The sign-in at https://login.example.com`
 * @param secrets - what was sent; a message that repeats one of them is not shown
 */
export function tokenProblem(what: string, error: unknown, secrets: readonly string[] = []): MidcallError {
  if (isMidcallError(error)) return error;
  const problem = (why: string): MidcallError =>
    new MidcallError('host/unauthorized', `${what} did not succeed: ${why}`, { cause: withoutSecrets(error) });
  if (IssuerMismatchError.isInstance(error))
    return problem(
      'the answer does not say that it comes from this authorization server (iss, RFC 9207). It was not used, since it may be meant to steal the sign-in.',
    );
  if (InsecureTokenEndpointError.isInstance(error)) return problem('its token endpoint is not encrypted (https).');
  if (RegistrationRejectedError.isInstance(error))
    return problem(
      `it refuses to register this host (HTTP ${error.status}${itsWords(error.body)}). Register one there by hand, and give its id as 'clientId' in 'auth'.`,
    );
  const code = oauthCode(error);
  if (code === undefined) {
    if (error instanceof TypeError || (error as Error)?.name === 'TimeoutError')
      return problem('the authorization server cannot be reached.');
    const issue = invalidResultIssue(String((error as Error | null)?.message));
    return problem(
      `the authorization server sent an answer that OAuth does not allow${issue?.path ? ` (${visible(issue.path, { max: 100 })})` : ''}.`,
    );
  }
  const message = (error as Error).message;
  const repeats = secrets.some(secret => secret.length > 5 && message.includes(secret));
  const quote = message === '' || message === code || repeats ? '' : `: “${visible(message, { max: 300 })}”`;
  return problem(`the authorization server says ${visible(code, { max: 100 })}${quote}.`);
}

/** What a refusal of a registration says (RFC 7591, 3.2.2), to follow its status. Nothing secret was sent. */
function itsWords(body: string): string {
  let answer: unknown;
  try {
    answer = JSON.parse(body);
  } catch {
    return '';
  }
  const said = [own(answer, 'error'), own(answer, 'error_description')].filter(each => typeof each === 'string');
  return said.length === 0 ? '' : `, “${visible(said.join(': '), { max: 300 })}”`;
}

/** The kind of an error without its text, which may quote a response. */
function withoutSecrets(error: unknown): Error {
  const name = error instanceof Error ? error.name : typeof error;
  return new Error(name);
}
