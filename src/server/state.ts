/**
 * The sealed journal: what travels in `requestState` between the rounds of one call (2026-07-28, basic/patterns/mrtr,
 * "Server Requirements": state is attacker-controlled, so it is encrypted, authenticated and bound).
 *
 * - B1 A state opens only for the call it was made for: principal, client, method, name, arguments, audience, version.
 * - B2 It lives until `exp`; the deadlines of its questions lie inside it and are shorter.
 * - B3 It can be used once (the nonce is claimed; see claims.ts).
 * - B4 A journal too large to travel stays in the store, and the state carries a reference to it.
 */
import type { Store } from '../stores/store.ts';
import { digest } from './digest.ts';
import type { EntryKind, Journal } from './journal.ts';
import type { Sealer } from './seal.ts';

/** What a state is bound to; every part must be equal when it comes back. */
export interface Binding {
  readonly principal: string;
  readonly client: string;
  readonly method: string;
  /** Tool or prompt name, or the resource's URI. */
  readonly name: string;
  /** Digest of the raw arguments. */
  readonly arguments: string;
  readonly audience: string;
  /** The author's version of the handler. */
  readonly version: string;
}

/** A question that was out when the state was made. */
export interface OutAsk {
  readonly id: string;
  readonly kind: EntryKind;
  /** For error texts; shortened. */
  readonly label: string;
  /** Its key in `inputRequests`. */
  readonly key: string;
  /** When it left, milliseconds since the epoch. */
  readonly at: number;
  /** After this a late answer counts as none. */
  readonly due: number;
}

/** One round of one call. */
export interface RoundState {
  readonly flow: string;
  readonly nonce: string;
  readonly round: number;
  readonly issuedAt: number;
  readonly expiresAt: number;
  readonly journal: Journal;
  readonly out: readonly OutAsk[];
}

interface Packed {
  readonly f: string;
  readonly n: string;
  readonly r: number;
  readonly iat: number;
  readonly exp: number;
  readonly b: string;
  readonly o: readonly OutAsk[];
  readonly j?: Journal;
  /** Where the journal lies instead (B4). */
  readonly ref?: string;
}

export type Unsealed =
  | { readonly ok: true; readonly state: RoundState }
  | { readonly ok: false; readonly reason: string; readonly expired: boolean };

const PURPOSE = 'request-state';
/** Clocks of replicas may differ by this much. */
const SKEW_MS = 60_000;

export interface StateOptions {
  readonly sealer: Sealer;
  readonly store: Store;
  /** The longest state that travels, in characters. */
  readonly maxLength: number;
  readonly now: () => number;
}

const bindingDigest = (binding: Binding): string => digest(binding);

export async function sealState(state: RoundState, binding: Binding, options: StateOptions): Promise<string> {
  const { sealer, store, maxLength } = options;
  const packed: Packed = {
    f: state.flow,
    n: state.nonce,
    r: state.round,
    iat: state.issuedAt,
    exp: state.expiresAt,
    b: bindingDigest(binding),
    o: state.out,
  };
  const journal = JSON.stringify(state.journal);
  // Base64 makes three bytes four characters, and the envelope adds a little.
  if ((journal.length * 4) / 3 + 512 <= maxLength) return sealer.seal({ ...packed, j: state.journal }, PURPOSE);
  const ref = `journal:${state.nonce}`;
  await store.set(ref, sealer.seal(state.journal, ref), { ttlMs: state.expiresAt - state.issuedAt + 2 * SKEW_MS });
  return sealer.seal({ ...packed, ref }, PURPOSE);
}

/** Opens a state and checks every binding; claims nothing. */
export async function openState(text: unknown, binding: Binding, options: StateOptions): Promise<Unsealed> {
  const { sealer, store, now } = options;
  const opened = sealer.open(text, PURPOSE);
  if (!opened.ok) return { ok: false, reason: opened.reason, expired: false };
  const packed = opened.payload as Packed;
  if (packed.b !== bindingDigest(binding)) return { ok: false, reason: 'bound to another call', expired: false };
  if (now() >= packed.exp) return { ok: false, reason: 'expired', expired: true };
  if (packed.iat > now() + SKEW_MS) return { ok: false, reason: 'not yet valid', expired: false };
  let journal = packed.j;
  if (packed.ref !== undefined) {
    const stored = await store.get(packed.ref);
    const found = stored === undefined ? undefined : sealer.open(stored, packed.ref);
    if (!found?.ok) return { ok: false, reason: 'its journal is gone', expired: true };
    journal = found.payload as Journal;
  }
  const { f: flow, n: nonce, r: round, iat: issuedAt, exp: expiresAt, o: out } = packed;
  return { ok: true, state: { flow, nonce, round, issuedAt, expiresAt, journal: journal ?? [], out } };
}
