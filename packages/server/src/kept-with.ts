/**
 * What is known of an object besides what it says itself, kept on the object: for servers and contexts, of which there is one for each
 * request. Entries of a WeakMap do the same and cost more, when garbage is collected, than all that is done with them.
 */

interface Kept<V> {
  readonly owner: object;
  readonly value: V;
}

/** A map whose values live and end with their keys. */
export class KeptWith<K extends object, V> {
  readonly #member = Symbol('kept');

  get(owner: K): V | undefined {
    const kept = (owner as { readonly [member: symbol]: Kept<V> | undefined })[this.#member];
    // A copy of an object has its members too, and is another object.
    return kept?.owner === owner ? kept.value : undefined;
  }

  has(owner: K): boolean {
    return this.get(owner) !== undefined;
  }

  set(owner: K, value: V): void {
    (owner as { [member: symbol]: Kept<V> | undefined })[this.#member] = { owner, value };
  }

  delete(owner: K): void {
    if (this.has(owner)) (owner as { [member: symbol]: Kept<V> | undefined })[this.#member] = undefined;
  }
}
