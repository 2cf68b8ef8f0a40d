/**
 * Where a host keeps its sign-ins, each for one principal and one server. A change excludes every other process, so that a
 * refresh token that rotates is presented once.
 */
import { isRecord } from '@midcall/core/json';
import type { Grant } from './grant.ts';

/** Whose sign-in, and for which server. */
export interface VaultKey {
  /** The person, or another principal that the server is reached for; one string for each. */
  readonly principal: string;
  /** The server's address. */
  readonly server: string;
}

/** Sign-ins of a host; see {@link vaultFolder}. */
export interface GrantVault {
  /**
   * @returns undefined if there is none
   * @throws MidcallError `host/refused` for one that cannot be read
   */
  read(key: VaultKey): Promise<Grant | undefined>;
  /**
   * Changes a sign-in while nobody else does, in this process or another.
   * @param make - given the present value; returns the new one, or undefined to remove it
   * @returns the new value
   * @throws what `make` throws; nothing is changed then
   */
  change(key: VaultKey, make: (grant: Grant | undefined) => Promise<Grant | undefined>): Promise<Grant | undefined>;
}

/**
 * A vault in memory, lost when the process ends.
 * @example
 * ```ts
 * const connection = new Connection(entry, { client: about, inbox, authorization: { vault: memoryVault() } });
 * ```
 */
export function memoryVault(): GrantVault {
  const grants = new Map<string, Grant>();
  const tails = new Map<string, Promise<unknown>>();
  const nameOf = ({ principal, server }: VaultKey): string => JSON.stringify([principal, server]);
  return {
    read: async key => grants.get(nameOf(key)),
    change(key, make) {
      const name = nameOf(key);
      const changed = (tails.get(name) ?? Promise.resolve())
        .catch(() => {})
        .then(async () => {
          const grant = await make(grants.get(name));
          if (grant) grants.set(name, grant);
          else grants.delete(name);
          return grant;
        });
      tails.set(name, changed);
      return changed;
    },
  };
}

/** True for a value with the shape of a sign-in. Its members were sealed by us, so only the shape is checked. */
export const isGrant = (value: unknown): value is Grant => isRecord(value) && typeof value['issuer'] === 'string';
