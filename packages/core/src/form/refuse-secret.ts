/** The error for a form that asks for a secret; see `secret-in.ts` for what counts as one. */
import { MidcallError } from '../errors/index.ts';
import type { AskedField, Field } from './field.ts';
import { type Secret, secretIn, secretInMessage } from './secret-in.ts';

/** @throws MidcallError `form/secret` if the field asks for a secret */
export function refuseSecret(field: Field): void {
  const secret = secretIn(field);
  if (secret) throw refusal(field.name, secret);
}

/**
 * A form with a single question without any text of its own is asked by the message, so the two are checked together.
 * @throws MidcallError `form/secret` if such a message asks for a secret
 */
export function refuseSecretMessage(message: string, fields: readonly AskedField[]): void {
  const secret = secretInMessage(message, fields);
  if (secret) throw refusal(fields[0]!.name, secret);
}

function refusal(name: string, { kind, where, words }: Secret): MidcallError {
  return new MidcallError(
    'form/secret',
    `Field '${name}' asks for a secret: its ${where} says '${words}' (${kind}). A form must not ask for passwords, keys, ` +
      'tokens or payment credentials: use URL mode (elicitUrl), where the answer does not pass through the client.',
  );
}
