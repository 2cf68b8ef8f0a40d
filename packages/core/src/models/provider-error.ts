/**
 * Says in plain words why a provider failed. Nothing is taken from the provider's text, headers, URL or request, which contain
 * keys and prompts; only the status, a short error code, and the model's name. The error underneath is not kept as a cause,
 * since whoever logs it would log those too.
 */
import { isMidcallError, MidcallError } from '../errors/index.ts';
import { isRecord } from '../json/index.ts';

/** @param name - the model's, as the operator calls it */
export function providerError(error: unknown, name: string): MidcallError {
  if (isMidcallError(error)) return error;
  const from = isRecord(error) ? error : {};
  const status = typeof from['statusCode'] === 'number' ? from['statusCode'] : undefined;
  const code = errorCode(from['data']);
  const details = [status === undefined ? [] : [`HTTP ${status}`], code === undefined ? [] : [code]].flat().join(', ');
  const [kind, words] = meaning(from['name'], status, code);
  return new MidcallError(kind, `${words(name)}${details === '' ? '' : ` (${details})`}.`);
}

type Meaning = readonly ['sampling/unavailable' | 'sampling/limit' | 'sampling/invalid', (name: string) => string];

function meaning(kind: unknown, status: number | undefined, code: string | undefined): Meaning {
  if (kind === 'AI_LoadAPIKeyError' || kind === 'AI_LoadSettingError')
    return [
      'sampling/unavailable',
      name => `The provider of ${name} has no API key; set it where this host is configured`,
    ];
  if (kind === 'AI_UnsupportedFunctionalityError')
    return ['sampling/unavailable', name => `The provider of ${name} cannot take a part of this request`];
  if (status === 401 || status === 403)
    return ['sampling/unavailable', name => `The provider of ${name} does not accept this host’s API key`];
  if (status === 404) return ['sampling/unavailable', name => `The provider does not know the model ${name}`];
  if (status === 402 || code === 'insufficient_quota')
    return ['sampling/limit', name => `The quota for ${name} is used up at its provider`];
  if (status === 429 || status === 529)
    return ['sampling/limit', name => `The provider of ${name} is too busy for this account; try again in a while`];
  if (status !== undefined && status >= 500)
    return ['sampling/unavailable', name => `The provider of ${name} failed; try again later`];
  if (status !== undefined && status >= 400)
    return ['sampling/invalid', name => `The provider of ${name} refused this request`];
  if (kind === 'AI_APICallError' && status === undefined)
    return ['sampling/unavailable', name => `The provider of ${name} cannot be reached`];
  return ['sampling/unavailable', name => `The provider of ${name} gave no usable reply`];
}

/** The provider's own short code, such as `context_length_exceeded`; nothing that could be prose. */
function errorCode(data: unknown): string | undefined {
  const error = isRecord(data) && isRecord(data['error']) ? data['error'] : undefined;
  const shortCode = [error?.['code'], error?.['type']].find(
    (each): each is string => typeof each === 'string' && /^[a-z][a-z_]{2,49}$/.test(each),
  );
  return shortCode;
}
