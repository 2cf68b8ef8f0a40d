/** Who a call belongs to. */

/** The person behind a call: the issuer of the identity, and the subject there. */
export interface Principal {
  readonly issuer: string;
  readonly subject: string;
}

/** True for two texts that are not empty; anything less would be the same person for everybody. */
export function isPrincipal(value: unknown): value is Principal {
  const { issuer, subject } = (value ?? {}) as { readonly issuer?: unknown; readonly subject?: unknown };
  return typeof issuer === 'string' && issuer !== '' && typeof subject === 'string' && subject !== '';
}

/**
 * A principal as one text. An issuer contains no parenthesis, so no two principals give the same text.
 * @example
 * ```ts
 * const id = principalId({ issuer: 'https://id.example', subject: 'ann' }); // 'ann (https://id.example)'
 * ```
 */
export const principalId = ({ issuer, subject }: Principal): string => `${subject} (${issuer})`;

/**
 * The principal whom `principalId` has made this text of.
 * @throws TypeError for another text
 * @example
 * ```ts
 * const { subject } = readPrincipalId('ann (https://id.example)'); // 'ann'
 * ```
 */
export function readPrincipalId(id: string): Principal {
  const [, subject, issuer] = /^(.*) \(([^()]*)\)$/s.exec(id) ?? [];
  if (subject === undefined || issuer === undefined) throw new TypeError('This is no id of a principal.');
  return { issuer, subject };
}
