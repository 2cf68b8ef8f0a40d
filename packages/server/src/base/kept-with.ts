/**
 * Additional data about an object, stored on the object itself: for servers and contexts, which are created for each request. A
 * WeakMap would do the same, but its entries cost more in garbage collection than all their other uses.
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
    // A copy of an object has its members too, but is another object.
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
