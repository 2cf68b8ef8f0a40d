/** What a provider's refusal means: for the person, and for the tokens that were used. */
import { describe, expect, it } from 'vitest';
import { ProviderError, providerError } from '../../packages/server/src/connect/oauth/provider-error.ts';

const of = (error: unknown) => {
  const { message, failure, reason } = providerError('Acme', error);
  return [message, failure, reason];
};
const status = (number: number) => ({ code: 'OAUTH_RESPONSE_IS_NOT_CONFORM', cause: { status: number } });
const below = (error: object, depth: number): object => (depth === 0 ? error : { cause: below(error, depth - 1) });

describe('an error of a provider', () => {
  it.each<[string, unknown, unknown[]]>([
    [
      'a grant that is over ends the sign-in',
      { error: 'invalid_grant', error_description: 'their own words' },
      ['Acme says: it no longer accepts this sign-in; sign in again (invalid_grant).', 'ended', 'invalid_grant'],
    ],
    [
      'another code of the standards is a refusal, which ends nothing',
      { error: 'access_denied' },
      ['Acme says: the sign-in was refused there (access_denied).', 'refused', 'access_denied'],
    ],
    [
      'an error code of its own is not passed on',
      { error: 'toString' },
      ['Acme refused, and gave a reason that no standard defines.', 'refused', undefined],
    ],
    [
      'a request that ran out of time may have arrived',
      { code: 'OAUTH_TIMEOUT' },
      ['Acme did not answer in time. Try again later.', 'unknown', undefined],
    ],
    [
      'a request that was given up may have arrived',
      { cause: { code: 'OAUTH_ABORT' } },
      ['Acme did not answer in time. Try again later.', 'unknown', undefined],
    ],
    [
      'a request whose connection was refused has not arrived',
      { cause: { code: 'ECONNREFUSED' } },
      ['Acme cannot be reached. Try again later.', 'unsent', undefined],
    ],
    [
      'a request that found no address of several has not arrived',
      { cause: { errors: [{ code: 'EOTHER' }, { code: 'ENETUNREACH' }] } },
      ['Acme cannot be reached. Try again later.', 'unsent', undefined],
    ],
    [
      'a status of 401 is about the credentials of this server',
      status(401),
      [
        'Acme says: it does not know this server by these credentials; the operator has to check clientId and clientSecret.',
        'refused',
        undefined,
      ],
    ],
    [
      'a status of 300 is no answer of the standard',
      status(300),
      ['Acme answered with HTTP status 300, which is not what the standard says.', 'refused', undefined],
    ],
    [
      'a status of 499 is no answer of the standard either',
      status(499),
      ['Acme answered with HTTP status 499, which is not what the standard says.', 'refused', undefined],
    ],
    [
      'a status of 500 is worth another try',
      status(500),
      ['Acme answered with HTTP status 500. Try again later.', 'refused', undefined],
    ],
    [
      'an answer that fails its checks is not used',
      status(299),
      ['Acme sent an answer that failed its checks, so it was not used.', 'unknown', undefined],
    ],
    [
      'a connection that broke off may have carried the request',
      { code: 'ECONNRESET' },
      ['The connection to Acme broke off. Try again later.', 'unknown', undefined],
    ],
    [
      'a text that is thrown is taken for a connection that broke off',
      'a text',
      ['The connection to Acme broke off. Try again later.', 'unknown', undefined],
    ],
    [
      'nothing that is thrown is taken for a connection that broke off',
      null,
      ['The connection to Acme broke off. Try again later.', 'unknown', undefined],
    ],
  ])('%s', (_, error, expected) => {
    expect(of(error)).toEqual(expected);
  });

  it('an error of a provider is looked for five errors deep, and no deeper, so that errors that hold each other end', () => {
    expect(of(below({ code: 'ENOTFOUND' }, 5))[1]).toBe('unsent');
    expect(of(below({ code: 'ENOTFOUND' }, 6))[1]).toBe('unknown');
    expect(of(below({ status: 503 }, 5))[1]).toBe('refused');
    expect(of(below({ status: 503 }, 6))[1]).toBe('unknown');
    const loop: { cause?: unknown } = {};
    loop.cause = loop;
    expect(of(loop)[1]).toBe('unknown');
  });

  it('an error of a provider that was read before stays as it is', () => {
    const error = new ProviderError('Read.', 'ended', 'invalid_grant');
    expect(providerError('Acme', error)).toBe(error);
  });
});
