/** The part of a form by which a replay recognizes an ask: the digest of the schema as sent, computed once per schema. */
import type { WireSchema } from '@midcall/core/form';
import { digest } from '../base/index.ts';

const digests = new WeakMap<WireSchema, string>();

/** @returns SHA-256 of the schema in base64url: two forms that ask the same have the same */
export function formDigest(schema: WireSchema): string {
  let cached = digests.get(schema);
  if (cached === undefined) {
    cached = digest(schema);
    digests.set(schema, cached);
  }
  return cached;
}
