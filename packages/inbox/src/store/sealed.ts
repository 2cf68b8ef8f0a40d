/**
 * What the keys of the inbox do: seal contents, and make digests that nobody else can make.
 *
 * - inbox-sealed-K1 A content opens only in the row it was sealed for.
 */
import { createHmac, hkdfSync } from 'node:crypto';
import { existsSync } from 'node:fs';
import { MidcallError } from '@midcall/core/errors';
import { createSealer, type KeyRing, type KeySource, keyRing } from '@midcall/server';
import { isPostgres } from './database.ts';

const purpose = 'inbox';
/** A request of a server may have 16 MiB, and its question is some longer. */
const maxLength = 64 * 1024 * 1024;

/** Where a person's name is sealed. */
export const namePlace = (principal: string): string => `name ${principal}`;

/** @returns undefined for somebody who has none, or none that can be read: their id will do, and nobody else is held up */
export const readName = (sealed: Sealed, principal: string, name: string | null): string | undefined =>
  name === null ? undefined : sealed.openIfReadable<string>(name, namePlace(principal));

/** Keys at work. */
export interface Sealed {
  /** @param place - the row, and what in it */
  seal(content: unknown, place: string): string;
  /** @throws MidcallError `server/setup` if the key is missing, `store/corrupt` if the text is none of ours */
  open<T>(text: string, place: string): T;
  /** @returns undefined if the text was changed, or its key is not there any more */
  openIfReadable<T>(text: string, place: string): T | undefined;
  /** A keyed digest. @param key - the id of its key; absent: the newest. @returns undefined if the ring lacks that key */
  digest(text: string, key?: string): string | undefined;
  /** The id of the newest key. */
  readonly key: string;
  /** The ids of all keys. */
  readonly keys: readonly string[];
  /** Whether a text was sealed by another key than the newest. */
  outdated(text: string): boolean;
}

/**
 * The keys of an inbox.
 * @param source - absent: of the environment; else, for a SQLite file, the key file beside it
 * @throws MidcallError `server/setup` if there is none, or it is unusable
 */
export function inboxKeys(where: string, source?: KeySource): KeyRing {
  const ring = keyRing(source);
  if (!ring.ephemeral || where === ':memory:') return ring;
  if (isPostgres(where)) {
    throw new MidcallError(
      'server/setup',
      'An inbox in Postgres needs a key that all its bridges share. Set MIDCALL_KEY; make a key with: openssl rand -base64 32',
    );
  }
  // An inbox without its key is not to be given another.
  return keyRing({ file: `${where}.key`, create: !existsSync(where) });
}

/** @param keys - the first one seals */
export function sealed(keys: KeyRing): Sealed {
  const sealer = createSealer(keys, { maxLength });
  const digestKeys = new Map(
    keys.keys.map(({ id, secret }) => [id, Buffer.from(hkdfSync('sha256', secret, 'midcall.inbox', 'digests', 32))]),
  );
  const key = keys.keys[0]!.id;
  return {
    key,
    keys: [...digestKeys.keys()],
    seal: (content, place) => sealer.seal(content, purpose, place),
    open<T>(text: string, place: string) {
      const opened = sealer.open(text, purpose, place);
      if (opened.ok) return opened.payload as T;
      if (opened.reason === 'unknown-key') {
        throw new MidcallError(
          'server/setup',
          'The inbox was sealed with another key. Give that key: alone, or after the new one, separated by a comma.',
        );
      }
      throw new MidcallError('store/corrupt', 'A text in the inbox was changed, or belongs elsewhere. It is not used.');
    },
    openIfReadable<T>(text: string, place: string) {
      const opened = sealer.open(text, purpose, place);
      return opened.ok ? (opened.payload as T) : undefined;
    },
    digest(text, id = key) {
      const secret = digestKeys.get(id);
      return secret && createHmac('sha256', secret).update(text).digest('base64url');
    },
    outdated: text => sealer.outdated(text),
  };
}
