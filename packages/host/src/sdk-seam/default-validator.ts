/** The validator a client was made with: the SDK takes one when the client is made, and keeps it in a private member. */
import type { Client, jsonSchemaValidator } from '@modelcontextprotocol/client';

/**
 * Gives a client a validator in place of the SDK's default one; one that its author chose stays.
 * @returns true if it was replaced
 */
export function replaceDefaultValidator(client: Client, validator: jsonSchemaValidator): boolean {
  const inside = client as unknown as {
    _jsonSchemaValidator?: { _userAjv?: unknown; constructor?: { name?: unknown } };
  };
  const current = inside._jsonSchemaValidator;
  if (current?.constructor?.name !== 'AjvJsonSchemaValidator' || current._userAjv === true) return false;
  inside._jsonSchemaValidator = validator as never;
  return true;
}
