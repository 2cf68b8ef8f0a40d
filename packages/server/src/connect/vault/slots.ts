/**
 * Sealed values under a person and a name: the basis of the vault. A slot is one value of the store, with the id of the sign-in
 * or secret it belongs to sealed inside.
 *
 * - vault-V1 A store contains envelopes under digests: no value, person or name can be read from it or listed.
 * - vault-V2 An envelope opens only in the slot it was sealed for: if moved to another person's slot it is refused.
 * - vault-V3 Every change of a slot is one atomic operation of the store. A process killed at any point leaves the old value or
 *   the new one; a reader concurrent with a writer sees one or the other; and nothing else is ever written that would have to
 *   be cleaned up.
 * - vault-V4 A value is renewed only by replacing the very envelope it was read from, so that a late writer neither overwrites
 *   a newer value nor brings back a cleared one.
 */
import { hash, randomBytes } from 'node:crypto';
import { MidcallError } from '@midcall/core/errors';
import type { Store } from '@midcall/core/store';
import type { Principal } from '../../base/index.ts';
import type { Sealer } from '../../state/index.ts';

const PURPOSE = 'vault';

/** A value as read from the store. */
export interface SlotEntry {
  /** Stays the same when the value is renewed, and changes when it is replaced. */
  readonly id: string;
  readonly value: unknown;
  /** True if it was sealed with an older key of the ring. */
  readonly outdated: boolean;
  /** As stored. */
  readonly envelope: string;
}

export interface Slots {
  /** @throws MidcallError `store/corrupt` if the stored value cannot be opened */
  read(owner: Principal, name: string): Promise<SlotEntry | undefined>;
  /** Stores a value, replacing any other. */
  replace(owner: Principal, name: string, value: unknown): Promise<void>;
  /**
   * Renews the value that was read.
   * @returns false if the slot was written or cleared in the meantime; then nothing was written
   */
  renew(owner: Principal, name: string, read: SlotEntry, value: unknown): Promise<boolean>;
  /** Empties the slot. @returns undefined if it was empty; `value` is present if it could be opened */
  clear(owner: Principal, name: string): Promise<{ readonly value?: unknown } | undefined>;
}

/** The sealed content. */
interface Content {
  readonly slot: string;
  readonly id: string;
  readonly value: unknown;
}

/** The digest under which a person's slot is stored; one-way, and the same in every process. */
function slotKey(owner: Principal, name: string): string {
  const text = JSON.stringify(['midcall.vault', owner.issuer, owner.subject, name]);
  return `vault:${hash('sha256', text, 'base64url')}`;
}

export function slots(store: Store, sealer: Sealer): Slots {
  const sealed = (content: Content): string => sealer.seal(content, PURPOSE);

  const opened = (envelope: string, slot: string): Content => {
    const result = sealer.open(envelope, PURPOSE);
    if (!result.ok && result.reason === 'unknown-key') {
      throw new MidcallError(
        'store/corrupt',
        'A stored credential was sealed with a key that is no longer in the ring. Put the old key back, after the new one.',
      );
    }
    const content = result.ok ? (result.payload as Partial<Content> | null) : undefined;
    if (content?.slot !== slot || typeof content.id !== 'string') {
      throw new MidcallError(
        'store/corrupt',
        'A stored credential was changed in the store, or belongs elsewhere. It is not used; forget it and connect again.',
      );
    }
    return content as Content;
  };

  return {
    async read(owner, name) {
      const slot = slotKey(owner, name);
      const envelope = await store.get(slot);
      if (envelope === undefined) return undefined;
      const { id, value } = opened(envelope, slot);
      return { id, value, outdated: sealer.outdated(envelope), envelope };
    },
    async replace(owner, name, value) {
      const slot = slotKey(owner, name);
      await store.set(slot, sealed({ slot, id: randomBytes(12).toString('base64url'), value }));
    },
    renew(owner, name, { id, envelope }, value) {
      const slot = slotKey(owner, name);
      return store.set(slot, sealed({ slot, id, value }), { ifEquals: envelope });
    },
    async clear(owner, name) {
      const slot = slotKey(owner, name);
      const envelope = await store.take(slot);
      if (envelope === undefined) return undefined;
      try {
        return { value: opened(envelope, slot).value };
      } catch {
        return {};
      }
    },
  };
}
