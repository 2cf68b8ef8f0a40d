/**
 * The last few envelopes (the declarations that 2026-07-28 clients send with each request) that the SDK has accepted, to
 * recognize them again.
 */
type Members = Readonly<Record<string, unknown>>;

/** A process serves few kinds of client at once. */
const MOST = 8;
/** The maximum length of one as JSON, in characters; the SDK checks longer ones each time. */
const LONGEST = 4_096;

export class KnownEnvelopes {
  /** The most recent one comes first. */
  #known: Members[] = [];

  /** @param envelope - one that the SDK has accepted; it is copied */
  add(envelope: Members): void {
    if (this.has(envelope)) return;
    const text = JSON.stringify(envelope);
    if (text.length <= LONGEST) this.#known = [JSON.parse(text) as Members, ...this.#known.slice(0, MOST - 1)];
  }

  /** True for an equal one. */
  has(envelope: Members): boolean {
    const at = this.#known.findIndex(each => isSame(envelope, each, 0));
    if (at > 0) this.#known.unshift(...this.#known.splice(at, 1));
    return at >= 0;
  }
}

/** Those of all 2026-07-28 clients: the SDK treats them alike, whichever of its servers received them. */
export const knownEnvelopes = new KnownEnvelopes();

/** Deeper levels are not compared: no client declares anything there. */
const DEEPEST = 12;

/** True for equal JSON. */
function isSame(one: unknown, other: unknown, depth: number): boolean {
  if (one === other) return true;
  if (typeof one !== 'object' || typeof other !== 'object' || one === null || other === null) return false;
  if (depth === DEEPEST || Array.isArray(one) !== Array.isArray(other)) return false;
  let left = Object.keys(other).length;
  for (const member in one) {
    if (!Object.hasOwn(other, member)) return false;
    if (!isSame((one as Members)[member], (other as Members)[member], depth + 1)) return false;
    left -= 1;
  }
  return left === 0;
}
