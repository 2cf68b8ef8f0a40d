/**
 * The sealed journal: what travels in `requestState` between the rounds of one call (2026-07-28, basic/patterns/mrtr,
 * "Server Requirements": state is attacker-controlled, so it is encrypted, authenticated and bound).
 *
 * - state-B1 A state opens only for the call it was made for: principal, client, method, name, arguments, audience, version.
 * - state-B2 It lives until `exp`; the deadlines of its questions are inside it and earlier.
 * - state-B3 It can be used once (the nonce is claimed; see claims.ts), by one set of inputs.
 * - state-B4 A journal too large to travel stays in the store, and the state carries a reference to it.
 * - state-B5 A journal in the store is part of its person's share (shares.ts), and is reduced to its questions once its retry
 *   was answered: only duplicates come after that, and are recognized by them.
 */

import type { Store } from '@midcall/core/store';
import type { Clock } from '@midcall/core/time';
import { digest } from '../base/index.ts';
import type { EntryKind, Journal } from '../engine/index.ts';
import type { Sealer } from './seal.ts';
import { openUnder, sealUnder } from './sealed-under.ts';
import type { Shares, Taken } from './shares.ts';

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

/** A question that was open when the state was made. */
export interface SealedAsk {
  readonly id: string;
  readonly kind: EntryKind;
  /** For error texts; shortened. */
  readonly label: string;
  /** Its key in `inputRequests`. */
  readonly key: string;
  /** When it was sent, in milliseconds since the epoch. */
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
  readonly out: readonly SealedAsk[];
}

/** The sealed content of a state. */
export interface Packed {
  readonly f: string;
  readonly n: string;
  readonly r: number;
  readonly iat: number;
  readonly exp: number;
  readonly b: readonly string[];
  readonly o?: readonly SealedAsk[];
  readonly j?: Journal;
  /** Where questions and journal are stored instead (state-B4). */
  readonly ref?: string;
}

export type Unsealed =
  | { readonly ok: true; readonly state: RoundState; readonly apart?: ApartJournal }
  | { readonly ok: false; readonly kind: 'invalid' | 'expired' | 'changed'; readonly reason: string };

/** A journal in the store (state-B4). */
export interface ApartJournal extends Pick<RoundState, 'out' | 'expiresAt'> {
  readonly ref: string;
  /** Whose it is. */
  readonly person: string;
  /** As it is stored. */
  readonly characters: number;
}

/** The part that is stored if it is too large to travel (state-B4). */
type Rest = Pick<Packed, 'o' | 'j'>;

export const STATE_PURPOSE = 'request-state';
const APART = 'journal';
/** Clocks of replicas may differ by this much. */
const SKEW_MS = 60_000;
/** More characters than a state has once its questions and journal are in the store; one of these is always opened. */
const BARE_LENGTH = 16_384;

export interface StateOptions {
  readonly sealer: Sealer;
  readonly store: Store;
  readonly clock: Pick<Clock, 'now'>;
  /** What each person takes of the store; absent if they are not bounded. */
  readonly shares?: Shares | undefined;
}

const parts: readonly (keyof Binding)[] = ['principal', 'client', 'method', 'name', 'arguments', 'audience', 'version'];

/** Long values are bound by their digests, so that the state does not grow with the client's input. */
export const bound = (binding: Binding): readonly string[] =>
  parts.map(part => (binding[part].length > 200 ? digest(binding[part]) : binding[part]));

/** How long the data of a state must be kept, in milliseconds: longer than it is valid by anybody's clock. */
export const lifeOf = (state: Pick<RoundState, 'expiresAt'>, now: number): number =>
  Math.max(1, Math.ceil(state.expiresAt - now)) + 2 * SKEW_MS;

const pack = (state: RoundState, binding: Binding) => {
  const { flow: f, nonce: n, round: r, issuedAt: iat, expiresAt: exp, out: o, journal: j } = state;
  return { f, n, r, iat, exp, b: bound(binding), o, j } satisfies Packed;
};

/** When nothing is stored of a state any more, in milliseconds since the epoch. */
const goneAt = ({ expiresAt }: Pick<RoundState, 'expiresAt'>): number => Math.ceil(expiresAt) + 2 * SKEW_MS;

const takenBy = (of: Pick<ApartJournal, 'characters' | 'expiresAt'>): Taken => ({
  characters: of.characters,
  until: goneAt(of),
});

/**
 * @param maxLength - the longest state that travels, in characters; longer ones go into the store (state-B4)
 * @param replaces - the journal of the same state that this one replaces
 * @throws MidcallError `call/too-many` if its person takes too much of the store, or `store/unavailable`
 */
export async function sealState(
  state: RoundState,
  binding: Binding,
  { sealer, store, clock, shares }: StateOptions,
  maxLength: number,
  replaces?: ApartJournal,
): Promise<string> {
  const packed = pack(state, binding);
  const { f, n, r, iat, exp, b, o, j } = packed;
  const whole = sealer.seal(packed, STATE_PURPOSE);
  if (whole.length <= maxLength) return whole;
  const ref = `journal:${n}`;
  const rest = sealUnder(sealer, APART, ref, { o, j } satisfies Rest);
  const taken = { characters: rest.length, until: goneAt(state) };
  await shares?.take(binding.principal, taken, replaces && takenBy(replaces));
  await store.set(ref, rest, { ttlMs: lifeOf(state, clock.now()) });
  return sealer.seal({ f, n, r, iat, exp, b, ref } satisfies Packed, STATE_PURPOSE);
}

/**
 * Opens a state and checks every binding; claims nothing. Returns a promise only if the store is read.
 * @param maxLength - the longest state that is opened, in characters
 * @param isOwn - true for the state of a task, which never left this server: it may be from the future if a clock has been set
 *   back
 */
export function openState(
  text: unknown,
  binding: Binding,
  { sealer, store, clock }: StateOptions,
  maxLength: number,
  isOwn = false,
): Unsealed | Promise<Unsealed> {
  if (typeof text === 'string' && text.length > Math.max(maxLength, BARE_LENGTH))
    return invalid('longer than any we make');
  const opened = sealer.open(text, STATE_PURPOSE);
  if (!opened.ok) return invalid(opened.reason);
  const packed = opened.payload as Packed;
  const expected = bound(binding);
  const differs = parts.find((_, index) => packed.b[index] !== expected[index]);
  if (differs === 'version') return { ok: false, kind: 'changed', reason: 'another version of the handler' };
  if (differs) return invalid(`another ${differs}`);
  if (clock.now() >= packed.exp) return { ok: false, kind: 'expired', reason: 'expired' };
  if (!isOwn && packed.iat > clock.now() + SKEW_MS) return invalid('not yet valid');
  const { ref } = packed;
  if (ref === undefined) return unpacked(packed, packed);
  return store.get(ref).then(stored => {
    const journal = stored === undefined ? undefined : openUnder(sealer, APART, ref, stored);
    if (journal === undefined) return { ok: false, kind: 'expired', reason: 'its journal is gone' };
    const read = unpacked(packed, journal as Rest);
    const { out, expiresAt } = read.state;
    const apart = { ref, person: binding.principal, characters: stored!.length, out, expiresAt };
    return { ...read, apart };
  });
}

/** Reduces the stored journal of a state whose retry was answered to its questions (state-B5). */
export async function shrinkJournal(
  apart: ApartJournal,
  { sealer, store, clock, shares }: StateOptions,
): Promise<void> {
  const { ref, person, characters, out } = apart;
  const stored = await store.get(ref);
  if (stored?.length !== characters) return;
  const questions = sealUnder(sealer, APART, ref, { o: out } satisfies Rest);
  await store.set(ref, questions, { ttlMs: lifeOf(apart, clock.now()), ifEquals: stored });
  await shares?.give(person, takenBy(apart));
}

/** Removes what is stored of a state that nothing continues any more. */
export async function dropJournal(
  text: string,
  person: string,
  { sealer, store, shares }: StateOptions,
): Promise<void> {
  const opened = sealer.open(text, STATE_PURPOSE);
  const { ref, exp: expiresAt } = opened.ok ? (opened.payload as Packed) : { ref: undefined, exp: 0 };
  const stored = ref === undefined ? undefined : await store.take(ref);
  if (stored !== undefined) await shares?.give(person, takenBy({ characters: stored.length, expiresAt }));
}

/**
 * Extends the life of a state, before anybody has presented it.
 * @param until - its new expiry, in milliseconds since the epoch
 * @param maxLength - the longest state that travels, in characters
 * @returns the state that replaces it; the same one if it cannot be opened
 */
export async function prolongState(
  text: string,
  until: number,
  binding: Binding,
  options: StateOptions,
  maxLength: number,
): Promise<string> {
  const opened = await openState(text, binding, options, maxLength, true);
  if (!opened.ok || opened.state.expiresAt >= until) return text;
  const state = { ...opened.state, expiresAt: until };
  return sealState(state, binding, options, maxLength, opened.apart);
}

function unpacked(
  { f: flow, n: nonce, r: round, iat: issuedAt, exp: expiresAt }: Packed,
  { j, o }: Rest,
): Extract<Unsealed, { ok: true }> {
  return { ok: true, state: { flow, nonce, round, issuedAt, expiresAt, journal: j ?? [], out: o ?? [] } };
}

/**
 * The journal in a call's state, for whoever ends that call: its owner and expiry are not checked.
 * @returns nothing if it cannot be opened
 */
export async function journalIn(text: string, { sealer, store }: StateOptions): Promise<Journal> {
  const opened = sealer.open(text, STATE_PURPOSE);
  if (!opened.ok) return [];
  const { ref, j = [] } = opened.payload as Packed;
  if (ref === undefined) return j;
  const stored = await store.get(ref);
  return (stored === undefined ? undefined : (openUnder(sealer, APART, ref, stored) as Rest | undefined))?.j ?? [];
}

const invalid = (reason: string): Unsealed => ({ ok: false, kind: 'invalid', reason });
