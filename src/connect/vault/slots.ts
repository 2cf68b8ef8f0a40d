/**
 * Sealed values under a person and a name: what the vault stands on. A slot is a pointer to one entry; whoever replaces
 * a value writes a new entry and swings the pointer, so that a writer who comes late never overwrites what is newer.
 *
 * - V1 A store holds envelopes, random ids and digests: no value, no person, no name can be read off it or listed.
 * - V2 An entry opens only in the slot it was sealed for: moved to another person's slot it is refused.
 * - V3 The pointer is the truth. A writer to an entry looks at the pointer after writing, and removes what it wrote
 *   where the pointer has moved on; so nothing that was cleared comes back. One that dies in the middle leaves the old
 *   value, the new one, or none, and never anything between.
 */
import { createHash, randomBytes } from 'node:crypto';
import { MidcallError } from '../../errors.ts';
import type { Principal, Sealer } from '../../server/index.ts';
import type { Store } from '../../stores/store.ts';

const PURPOSE = 'vault';

/** A value, and which write it comes from. */
export interface SlotEntry {
  readonly id: string;
  readonly value: unknown;
  /** True where an older key of the ring sealed it. */
  readonly outdated: boolean;
}

export interface Slots {
  /** @throws MidcallError `store/corrupt` where what is kept cannot be opened */
  read(owner: Principal, name: string): Promise<SlotEntry | undefined>;
  /** Puts a value in place of whatever is there. */
  replace(owner: Principal, name: string, value: unknown): Promise<void>;
  /**
   * Writes to the entry that was read. Only one writer at a time may do so; the claims of a refresh see to that.
   * @returns false where the slot was cleared or replaced in the meantime; then nothing of the value is left
   */
  rewrite(owner: Principal, name: string, id: string, value: unknown): Promise<boolean>;
  /** Empties the slot. @returns undefined where it was empty; `value` is there where it could be opened */
  clear(owner: Principal, name: string): Promise<{ readonly value?: unknown } | undefined>;
}

/** The digest under which a person's slot lies; one-way, and the same in every process. */
function slotKey(owner: Principal, name: string): string {
  const text = JSON.stringify(['midcall.vault', owner.issuer, owner.subject, name]);
  return `vault:${createHash('sha256').update(text).digest('base64url')}`;
}

export function slots(store: Store, sealer: Sealer): Slots {
  const entryKey = (slot: string, id: string): string => `${slot}:${id}`;

  const opened = (text: string, slot: string): unknown => {
    const result = sealer.open(text, PURPOSE);
    if (!result.ok && result.reason === 'unknown-key') {
      throw new MidcallError(
        'store/corrupt',
        'A kept credential was sealed with a key that is no longer in the ring. Put the old key back behind the new one.',
      );
    }
    const payload = result.ok ? (result.payload as { slot?: unknown; value?: unknown } | null) : undefined;
    if (payload?.slot !== slot) {
      throw new MidcallError(
        'store/corrupt',
        'A kept credential was changed in the store, or belongs elsewhere. It is not used; forget it and connect again.',
      );
    }
    return payload.value;
  };

  return {
    async read(owner, name) {
      const slot = slotKey(owner, name);
      // A second look, for a slot that was replaced between the pointer and its entry.
      for (let look = 0; look < 2; look++) {
        const id = await store.get(slot);
        if (id === undefined) return undefined;
        const text = await store.get(entryKey(slot, id));
        if (text !== undefined) return { id, value: opened(text, slot), outdated: sealer.outdated(text) };
      }
      return undefined;
    },
    async replace(owner, name, value) {
      const slot = slotKey(owner, name);
      const id = randomBytes(12).toString('base64url');
      await store.set(entryKey(slot, id), sealer.seal({ slot, value }, PURPOSE));
      // Every pointer that is displaced is taken by exactly one writer, who removes its entry.
      while (!(await store.set(slot, id, { ifAbsent: true }))) {
        const displaced = await store.take(slot);
        if (displaced !== undefined) await store.delete(entryKey(slot, displaced));
      }
    },
    async rewrite(owner, name, id, value) {
      const slot = slotKey(owner, name);
      await store.set(entryKey(slot, id), sealer.seal({ slot, value }, PURPOSE));
      if ((await store.get(slot)) === id) return true;
      await store.delete(entryKey(slot, id));
      return false;
    },
    async clear(owner, name) {
      const slot = slotKey(owner, name);
      const id = await store.take(slot);
      const text = id === undefined ? undefined : await store.take(entryKey(slot, id));
      if (text === undefined) return undefined;
      try {
        return { value: opened(text, slot) };
      } catch {
        return {};
      }
    },
  };
}
