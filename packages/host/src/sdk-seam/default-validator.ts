/** The validator a client was made with: the SDK takes one at construction, and keeps it in a private member. */
import type { Client, jsonSchemaValidator } from '@modelcontextprotocol/client';

/**
 * Replaces the SDK's default validator of a client; one that the client's author chose stays.
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
