/**
 * Where sealing keys come from: the operator (text, as in `MIDCALL_KEY`, or a file) or, failing that, this process alone.
 *
 * - keys-K1 A key never prints: not in an error, not in JSON, not under `util.inspect`. Its id may be shown.
 * - keys-K2 Key text is hex or base64 (either alphabet) of at least 32 bytes; several, separated by commas or line breaks,
 *   allow rotation: the first seals, all open.
 * - keys-K3 A key file appears whole or not at all, readable by its owner only, and once: if several processes start together,
 *   one writes it and the others read it.
 */
import { createSecretKey, hkdfSync, type KeyObject, randomBytes as nodeRandomBytes } from 'node:crypto';
import {
  closeSync,
  constants,
  existsSync,
  fstatSync,
  fsyncSync,
  linkSync,
  mkdirSync,
  openSync,
  readFileSync,
  unlinkSync,
  writeSync,
} from 'node:fs';
import { dirname } from 'node:path';
import { MidcallError } from '@midcall/core/errors';
import { checkKind, type Kind } from '@midcall/core/options';

/** One key. Its id is derived from it, the same in every process, and reveals nothing about it. */
export interface SealKey {
  /** Eight characters of base64url. */
  readonly id: string;
  readonly secret: KeyObject;
}

/** The keys of a server. */
export interface KeyRing {
  /** The first one seals; all of them open. Never empty. */
  readonly keys: readonly SealKey[];
  /** True if the key dies with this process: a restart or another replica cannot open what it sealed. */
  readonly ephemeral: boolean;
}

/** A key as given: text, bytes, several of either, or the path of a text file. */
export type KeySource =
  | string
  | Uint8Array
  | readonly (string | Uint8Array)[]
  | {
      /** Path of the key file. On POSIX nobody but its owner and group may read it. */
      readonly file: string;
      /** True to create the file, with a new key, if there is none. */
      readonly create?: boolean;
    };

/** The dependencies of a key ring. */
export interface KeyRingOptions {
  /** Where `MIDCALL_KEY` and `MIDCALL_KEY_FILE` are looked up when no source is given; `process.env` if absent. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** Makes new keys; `node:crypto` if absent. */
  readonly randomBytes?: (size: number) => Uint8Array;
}

const sourceKind: Kind = {
  words: 'a text (hex or base64), bytes, a list of these, or { file }',
  fits: value => typeof value === 'string' || (typeof value === 'object' && value !== null),
};

const MIN_BYTES = 32;
const MAX_FILE = 65_536;
const NEW_KEY = 'Make a new one with: openssl rand -base64 32';
const posix = process.platform !== 'win32';

/**
 * Builds a key ring from `source`; without one from `MIDCALL_KEY`, then `MIDCALL_KEY_FILE`; without those from a random
 * key of this process, which is marked `ephemeral`.
 *
 * @throws MidcallError `server/setup`: what is wrong with the key, but never the key itself
 * @example
 * ```ts
 * const keys = keyRing([newKey, oldKey]); // the first seals; states that the old one sealed still open
 * ```
 */
export function keyRing(source?: KeySource, options: KeyRingOptions = {}): KeyRing {
  const env = options.env ?? process.env;
  const randomBytes = options.randomBytes ?? nodeRandomBytes;
  if (source !== undefined) checkKind('keyRing', 'the key', source, sourceKind);
  if (source !== undefined) return ring(bytesOf(source, randomBytes));
  if (env['MIDCALL_KEY'] !== undefined) return ring(decode(env['MIDCALL_KEY'], 'MIDCALL_KEY'));
  const file = env['MIDCALL_KEY_FILE'];
  if (file !== undefined) return ring(readKeyFile(file));
  return ring([randomBytes(MIN_BYTES)], true);
}

function bytesOf(source: KeySource, randomBytes: (size: number) => Uint8Array): readonly Uint8Array[] {
  if (typeof source === 'string') return decode(source, 'The key');
  if (source instanceof Uint8Array) return [source];
  if ('file' in source) {
    if (source.create) createKeyFile(source.file, randomBytes);
    return readKeyFile(source.file);
  }
  return source.flatMap(each => (typeof each === 'string' ? decode(each, 'The key') : [each]));
}

function ring(raw: readonly Uint8Array[], ephemeral = false): KeyRing {
  if (raw.length === 0) throw new MidcallError('server/setup', `There is no key in the list. ${NEW_KEY}`);
  const keys = raw.map((bytes, index) => {
    if (bytes.length < MIN_BYTES) {
      throw new MidcallError(
        'server/setup',
        `Key ${index + 1} has ${bytes.length} bytes; at least ${MIN_BYTES} are needed. ${NEW_KEY}`,
      );
    }
    return sealKey(bytes);
  });
  if (new Set(keys.map(key => key.id)).size !== keys.length) {
    throw new MidcallError('server/setup', 'The same key is given twice. Give each key once, the newest first.');
  }
  return quiet({ keys: Object.freeze(keys), ephemeral }, () => ({ keys: keys.map(key => key.id), ephemeral }));
}

function sealKey(bytes: Uint8Array): SealKey {
  const id = Buffer.from(hkdfSync('sha256', bytes, 'midcall.seal.m1', 'key id', 6)).toString('base64url');
  return quiet({ id, secret: createSecretKey(bytes) }, () => ({ id }));
}

/** Freezes an object and makes it print as `shown` (keys-K1). */
function quiet<T extends object>(object: T, inText: () => unknown): T {
  Object.defineProperty(object, 'toJSON', { value: inText });
  Object.defineProperty(object, Symbol.for('nodejs.util.inspect.custom'), { value: inText });
  return Object.freeze(object);
}

/** @param where - names the source at the beginning of a message */
function decode(text: string, where: string): readonly Uint8Array[] {
  const parts = text
    .split(',')
    .flatMap(part => part.trim().split(/[\r\n]+/))
    .map(part => part.trim());
  return parts.map((part, index) => {
    const name = parts.length === 1 ? where : `${where}, entry ${index + 1},`;
    if (part === '') throw new MidcallError('server/setup', `${name} is empty. ${NEW_KEY}`);
    const bytes = /^(?:[0-9a-fA-F]{2})+$/.test(part) ? Buffer.from(part, 'hex') : base64(part);
    if (!bytes) throw new MidcallError('server/setup', `${name} is neither hex nor base64. ${NEW_KEY}`);
    if (bytes.length < MIN_BYTES) {
      throw new MidcallError(
        'server/setup',
        `${name} decodes to ${bytes.length} bytes; at least ${MIN_BYTES} are needed. ${NEW_KEY}`,
      );
    }
    // 32 random bytes almost never have fewer than 16 different values: this is a placeholder.
    if (new Set(bytes).size < 16) {
      throw new MidcallError('server/setup', `${name} is not random. ${NEW_KEY}`);
    }
    return bytes;
  });
}

function base64(text: string): Buffer | undefined {
  const bytes = Buffer.from(text, 'base64');
  const unpadded = text
    .replaceAll('-', '+')
    .replaceAll('_', '/')
    .replace(/(?<!=)=+$/, '');
  return bytes.toString('base64').replace(/(?<!=)=+$/, '') === unpadded ? bytes : undefined;
}

function readKeyFile(path: string): readonly Uint8Array[] {
  const file = `The key file ${JSON.stringify(path)}`;
  let descriptor: number;
  try {
    // Without O_NONBLOCK opening a FIFO would hang the start.
    descriptor = openSync(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
  } catch (cause) {
    const missing = (cause as NodeJS.ErrnoException).code === 'ENOENT';
    throw new MidcallError(
      'server/setup',
      missing
        ? `${file} does not exist. Make it with: (umask 077; openssl rand -base64 32 > FILE)`
        : `${file} cannot be opened (${(cause as NodeJS.ErrnoException).code}).`,
      { cause },
    );
  }
  try {
    const stat = fstatSync(descriptor);
    if (!stat.isFile()) throw new MidcallError('server/setup', `${file} is not a regular file.`);
    if (stat.size > MAX_FILE) throw new MidcallError('server/setup', `${file} is too large to hold keys.`);
    if (posix && (stat.mode & 0o027) !== 0) {
      throw new MidcallError(
        'server/setup',
        `${file} may be read by everyone or written by its group. Run: chmod 600 FILE (in a Kubernetes secret: defaultMode: 0400)`,
      );
    }
    return decode(readFileSync(descriptor, 'utf8'), file);
  } finally {
    closeSync(descriptor);
  }
}

/** Creates the file if there is none (keys-K3). */
function createKeyFile(path: string, randomBytes: (size: number) => Uint8Array): void {
  if (existsSync(path)) return;
  const draft = `${path}.${Buffer.from(randomBytes(9)).toString('base64url')}`;
  try {
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    const descriptor = openSync(draft, 'wx', 0o600);
    try {
      writeSync(descriptor, `${Buffer.from(randomBytes(MIN_BYTES)).toString('base64')}\n`);
      fsyncSync(descriptor);
    } finally {
      closeSync(descriptor);
    }
    try {
      linkSync(draft, path);
    } catch (error) {
      // Another process was first, and its key counts.
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    } finally {
      unlinkSync(draft);
    }
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException;
    throw new MidcallError(
      'server/setup',
      `The key file ${JSON.stringify(path)} cannot be made (${code}). Make it yourself with: (umask 077; openssl rand -base64 32 > FILE)`,
      { cause },
    );
  }
}
