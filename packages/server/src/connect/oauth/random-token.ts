import { randomBytes } from 'node:crypto';

/** A new verifier, state or nonce: 256 random bits in base64url, as PKCE wants them (RFC 7636, section 4.1). */
export const randomToken = (): string => randomBytes(32).toString('base64url');
