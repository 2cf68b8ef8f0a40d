/** What the npm registry says about a package, so that a person can confirm exactly what is run. */
import { MidcallError } from '@midcall/core/errors';
import { limitedFetch } from '@midcall/core/fetch';
import { isRecord } from '@midcall/core/json';
import { texts } from '../texts/index.ts';

/** One version of a package. */
export interface NpmPackage {
  readonly name: string;
  readonly version: string;
  /** The author's words; untrusted. */
  readonly description?: string;
  /** Why it should not be used any more, in the author's words; untrusted. */
  readonly deprecated?: string;
}

const mostBytes = 5_000_000;
const answerMs = 15_000;

/** True for one version, and no range or tag. */
export const isExactVersion = (text: string): boolean => /^\d+\.\d+\.\d+(?:[-+][\w.+-]+)?$/.test(text);

/**
 * Asks the registry that npm uses.
 * @param wanted - a version or a tag
 * @param environment - may name the registry, as for npm
 * @throws MidcallError `host/not-found` if there is no such package, or the registry cannot be reached
 */
export async function findPackage(
  name: string,
  wanted: string,
  environment: Readonly<Record<string, string | undefined>>,
): Promise<NpmPackage> {
  const registry = environment['npm_config_registry'] ?? 'https://registry.npmjs.org';
  const address = `${registry.replace(/\/$/, '')}/${name.replace('/', '%2f')}/${encodeURIComponent(wanted)}`;
  let answer: unknown;
  try {
    const response = await limitedFetch(fetch, { mostBytes })(address, { signal: AbortSignal.timeout(answerMs) });
    if (response.status === 404) throw new MidcallError('host/not-found', texts.add.noPackage(name, wanted));
    if (!response.ok) throw new Error(`${response.status}`);
    answer = await response.json();
  } catch (cause) {
    if (cause instanceof MidcallError) throw cause;
    throw new MidcallError('host/not-found', texts.add.registryAway(name), { cause });
  }
  const { version, description, deprecated } = isRecord(answer) ? answer : {};
  if (!isRecord(answer) || answer['name'] !== name || typeof version !== 'string' || !isExactVersion(version))
    throw new MidcallError('host/not-found', texts.add.registryAway(name));
  return {
    name,
    version,
    ...(typeof description === 'string' && { description }),
    ...(typeof deprecated === 'string' && { deprecated }),
  };
}
