/**
 * The envelope around everything that leaves the process and comes back: request states, tickets, vault entries. It hides and
 * authenticates a JSON value; the value's bindings (principal, tool, expiry, nonce) are its creator's business.
 *
 * `m1.` + base64url( key id 6 | salt 12 | nonce 12 | ciphertext | tag 16 )
 *
 *   purpose key = HKDF-SHA256(key, salt: "midcall.seal.m1", info: purpose)
 *   message key = HMAC-SHA256(purpose key, salt); a process draws a salt for many messages, and a nonce for each
 *   ciphertext, tag = AES-256-GCM(message key, nonce, JSON in UTF-8; further data: the place, where there is one)
 *
 * The prefix, the key id and the salt are not among the further data: they make the key, and with another key or another nonce
 * the tag fails.
 *
 * - seal-E1 A value that opens was sealed by a key of the ring, for the same purpose and the same place, and not one bit of it
 *   has changed.
 * - seal-E2 A sealed value has one spelling: base64url without padding and with clear spare bits, nothing around it.
 * - seal-E3 Nothing is decoded before its length has been checked, and nothing parsed before its tag has been checked.
 * - seal-E4 A message key seals at most 2^20 messages, then another salt is drawn. So a key of the ring may seal without a
 *   limit that anybody will reach; random nonces under one GCM key would end at 2^32.
 * - seal-E5 The length tells how long the value is and nothing else: it is never compressed, because the length of a
 *   compressed text answers guesses about the parts of it that the guesser cannot see.
 */
import { createCipheriv, createDecipheriv, createHmac, hkdfSync, randomBytes as systemRandomBytes } from 'node:crypto';
import { MidcallError } from '@midcall/core/errors';
import type { KeyRing, SealKey } from './keys.ts';

const PREFIX = 'm1.';
const KEY_ID = 6;
const SALT = 12;
const NONCE = 12;
const TAG = 16;
const HEADER = KEY_ID + SALT + NONCE;
/** The characters of a key id: whole groups of three bytes, which are encoded independently. */
const KEY_ID_TEXT = (KEY_ID / 3) * 4;
const SALT_TEXT = (SALT / 3) * 4;
/** Purposes are a handful of constants, and so are the salts of a few replicas; invented salts do not make the cache grow. */
const MAX_DERIVED = 256;
/** Messages under one salt (seal-E4). */
const MAX_SEALED = 2 ** 20;

const cipherOptions = { authTagLength: TAG };

/** How a sealer is set up. */
export interface SealerOptions {
  /** The longest sealed text, in characters, to make or open; 1,048,576 if absent. */
  readonly maxLength?: number;
  /** The source of salts and nonces; `node:crypto` if absent. */
  readonly randomBytes?: (size: number) => Uint8Array;
}

/** What {@link Sealer.open} found. */
export type Opened =
  | { readonly ok: true; readonly payload: unknown }
  /**
   * `malformed`: nothing we ever wrote; `unknown-key`: sealed by a key that is not in the ring;
   * `tampered`: changed, or sealed for another purpose or place.
   */
  | { readonly ok: false; readonly reason: 'malformed' | 'unknown-key' | 'tampered' };

/** Seals and opens JSON values; see the head of this file for the format. */
export interface Sealer {
  /**
   * @param payload - any JSON value
   * @param purpose - a constant such as `'request-state'`: a value sealed for one purpose opens for no other
   * @param place - where the text will be stored, such as a key of a store; absent for one that travels. Adds nothing to its
   *   length
   * @throws MidcallError `state/too-large` if the result would be longer than `maxLength`; TypeError where the
   *   payload is not JSON
   */
  seal(payload: unknown, purpose: string, place?: string): string;
  /** @param text - the text that came back; may be anything, and never causes an error */
  open(text: unknown, purpose: string, place?: string): Opened;
  /** True if the text was made with another key than the one that now seals: long-lived values should be sealed again. */
  outdated(text: string): boolean;
}

/**
 * @param keys - the first key seals, every key opens
 * @throws TypeError for bad options
 * @example
 * ```ts
 * const sealer = createSealer(keyRing(key));
 * const text = sealer.seal({ cart: 7 }, 'cart-link');
 * const opened = sealer.open(text, 'cart-link');
 * ```
 */
export function createSealer(keys: KeyRing, options: SealerOptions = {}): Sealer {
  const maxLength = options.maxLength ?? 1_048_576;
  const randomBytes = options.randomBytes ?? systemRandomBytes;
  if (!Number.isSafeInteger(maxLength) || maxLength < 256) {
    throw new TypeError('createSealer: maxLength must be a whole number of characters, 256 or more.');
  }
  const sealing = keys.keys[0];
  if (!sealing) throw new TypeError('createSealer: the key ring is empty; build it with keyRing().');
  const byId = new Map(keys.keys.map(key => [key.id, key]));
  const keyOf = derivation();
  const draw = (size: number): Uint8Array => {
    const drawn = randomBytes(size);
    if (drawn.length !== size) throw new TypeError('seal: randomBytes returned the wrong number of bytes.');
    return drawn;
  };
  const newSeries = () => {
    const salt = Buffer.from(draw(SALT)).toString('base64url');
    return { salt, spelled: `${PREFIX}${sealing.id}${salt}`, sealed: 0, keys: new Map<string, Buffer>() };
  };
  /** The messages under one salt, and what they share. */
  let series: ReturnType<typeof newSeries> | undefined;

  return {
    seal(payload, purpose, place) {
      const json = JSON.stringify(payload);
      if (json === undefined) throw new TypeError('seal: the payload is not a JSON value.');
      if (!series || series.sealed >= MAX_SEALED) series = newSeries();
      series.sealed++;
      const { salt, spelled } = series;
      const key = memoized(series.keys, purpose, () => keyOf(sealing, purpose, salt));
      const nonce = draw(NONCE);
      const cipher = createCipheriv('aes-256-gcm', key, nonce, cipherOptions);
      if (place !== undefined) cipher.setAAD(Buffer.from(place));
      const ciphertext = cipher.update(json, 'utf8');
      // GCM streams: `final` has nothing more to give.
      cipher.final();
      const text = spelled + Buffer.concat([nonce, ciphertext, cipher.getAuthTag()]).toString('base64url');
      if (text.length > maxLength) {
        throw new MidcallError(
          'state/too-large',
          `The sealed text would have ${text.length} characters; the limit is ${maxLength}. Store less in it.`,
        );
      }
      return text;
    },

    open(text, purpose, place) {
      if (typeof text !== 'string' || text.length > maxLength || !text.startsWith(PREFIX)) return malformed;
      const spelled = text.slice(PREFIX.length);
      const bytes = Buffer.from(spelled, 'base64url');
      if (bytes.length < HEADER + TAG || bytes.toString('base64url') !== spelled) return malformed;
      const ringKey = byId.get(spelled.slice(0, KEY_ID_TEXT));
      if (!ringKey) return unknownKey;
      const key = keyOf(ringKey, purpose, spelled.slice(KEY_ID_TEXT, KEY_ID_TEXT + SALT_TEXT));
      const nonce = bytes.subarray(KEY_ID + SALT, HEADER);
      const decipher = createDecipheriv('aes-256-gcm', key, nonce, cipherOptions).setAuthTag(bytes.subarray(-TAG));
      if (place !== undefined) decipher.setAAD(Buffer.from(place));
      const plaintext = decipher.update(bytes.subarray(HEADER, -TAG));
      try {
        decipher.final();
      } catch {
        return tampered;
      }
      return { ok: true, payload: JSON.parse(plaintext.toString('utf8')) };
    },

    outdated: text => !text.startsWith(PREFIX + sealing.id),
  };
}

const malformed: Opened = { ok: false, reason: 'malformed' };
const unknownKey: Opened = { ok: false, reason: 'unknown-key' };
const tampered: Opened = { ok: false, reason: 'tampered' };

/** Message keys, by salts in base64url; the most recent are kept, since a process uses the same salts again and again. */
function derivation(): (key: SealKey, purpose: string, salt: string) => Buffer {
  const purposeKeys = new Map<string, Buffer>();
  const messageKeys = new Map<string, Buffer>();
  return (key, purpose, salt) =>
    memoized(messageKeys, `${key.id} ${salt} ${purpose}`, () => {
      if (typeof purpose !== 'string' || purpose === '') throw new TypeError('A purpose is a non-empty string.');
      const purposeKey = memoized(purposeKeys, `${key.id} ${purpose}`, () =>
        Buffer.from(hkdfSync('sha256', key.secret, 'midcall.seal.m1', purpose, 32)),
      );
      return createHmac('sha256', purposeKey).update(salt, 'base64url').digest();
    });
}

/** The map's entry under the name, created if missing; a full map is emptied first. */
function memoized<T>(map: Map<string, T>, name: string, make: () => T): T {
  const cached = map.get(name);
  if (cached) return cached;
  const value = make();
  if (map.size >= MAX_DERIVED) map.clear();
  map.set(name, value);
  return value;
}
