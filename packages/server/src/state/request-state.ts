/**
 * The sealed journal: what travels in `requestState` between the rounds of one call (2026-07-28, basic/patterns/mrtr,
 * "Server Requirements": state is attacker-controlled, so it is encrypted, authenticated and bound).
 *
 * - state-B1 A state opens only for the call it was made for: principal, client, method, name, arguments, audience, version.
 * - state-B2 It lives until `exp`; the deadlines of its questions are inside it and earlier.
 * - state-B3 It can be used once (the nonce is claimed; see claims.ts), by one set of inputs.
 * - state-B4 A journal too large to travel stays in the store, and the state carries a reference to it.
 * - state-B6 A state that never travels is stored as JSON with the call that it continues, which is sealed as a whole. It is
 *   bound as any other.
 * - state-B5 A journal in the store is part of its person's share (shares.ts), and is reduced to its questions once its retry
 *   was answered: only duplicates come after that, and are recognized by them.
 */

import { MidcallError } from '@midcall/core/errors';
import type { Store } from '@midcall/core/store';
import type { Clock } from '@midcall/core/time';
import { digest } from '../base/index.ts';
import type { EntryKind, Journal } from '../engine/index.ts';
import type { Sealer } from './seal.ts';
import { openUnder } from './sealed-values.ts';
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
  /** What it is called in error texts; shortened. */
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

/** A state that is stored with the call that it continues (state-B6). */
export interface StoredState extends RoundState {
  /** What it is bound to: the parts of a {@link Binding} in their order, long ones by their digests. */
  readonly bound: readonly string[];
  /** Where questions and journal are stored instead (state-B4). */
  readonly ref?: string;
  /** Known to nobody who reads the store: without it, an answer could be guessed from the digest in its claim. */
  readonly secret: string;
}

/** The sealed content of a state. */
interface Packed {
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

const STATE_PURPOSE = 'request-state';
const APART = 'journal';
/** Clocks of replicas may differ by this much. */
const SKEW_MS = 60_000;
/** More characters than a state has once its questions and journal are in the store; one of these is always opened. */
const SHORT_STATE = 16_384;

export interface StateOptions {
  readonly sealer: Sealer;
  readonly store: Store;
  readonly clock: Pick<Clock, 'now'>;
  /** What each person takes of the store; absent if they are not bounded. */
  readonly shares?: Shares | undefined;
}

const parts: readonly (keyof Binding)[] = ['principal', 'client', 'method', 'name', 'arguments', 'audience', 'version'];

/** Long values are bound by their digests, so that the state does not grow with the client's input. */
const bound = (binding: Binding): readonly string[] =>
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
 * @throws MidcallError `call/too-many` if its person takes too much of the store, or `store/unavailable`
 */
export async function sealState(
  state: RoundState,
  binding: Binding,
  options: StateOptions,
  maxLength: number,
): Promise<string> {
  const { sealer } = options;
  const packed = pack(state, binding);
  const { f, n, r, iat, exp, b } = packed;
  const whole = sealer.seal(packed, STATE_PURPOSE);
  if (whole.length <= maxLength) return whole;
  const ref = await storeJournal(state, binding.principal, options);
  return sealer.seal({ f, n, r, iat, exp, b, ref } satisfies Packed, STATE_PURPOSE);
}

/**
 * Stores the questions and the journal of a state apart from it (state-B4).
 * @param replaces - the journal of the same state that this one replaces
 * @returns where they are
 */
async function storeJournal(
  state: RoundState,
  person: string,
  { sealer, store, clock, shares }: StateOptions,
  replaces?: ApartJournal,
): Promise<string> {
  const ref = `journal:${state.nonce}`;
  const rest = sealer.seal({ o: state.out, j: state.journal } satisfies Rest, APART, ref);
  const taken = { characters: rest.length, until: goneAt(state) };
  await shares?.take(person, taken, replaces && takenBy(replaces));
  await store.set(ref, rest, { ttlMs: lifeOf(state, clock.now()) });
  return ref;
}

/**
 * Opens a state and checks every binding; claims nothing.
 * @param maxLength - the longest state that is opened, in characters
 */
export async function openState(
  text: unknown,
  binding: Binding,
  options: StateOptions,
  maxLength: number,
): Promise<Unsealed> {
  const { sealer, clock } = options;
  if (typeof text === 'string' && text.length > Math.max(maxLength, SHORT_STATE))
    return invalid('longer than any we make');
  const opened = sealer.open(text, STATE_PURPOSE);
  if (!opened.ok) return invalid(opened.reason);
  const packed = opened.payload as Packed;
  // A stored state may be from the future if a clock has been set back.
  if (packed.iat > clock.now() + SKEW_MS) return invalid('not yet valid');
  return openStored(unpacked(packed, text as string), binding, options);
}

/** As {@link openState}, for a state that never travelled (state-B6). */
export async function openStored(
  { bound: actual, ref, secret: _, ...state }: StoredState,
  binding: Binding,
  options: StateOptions,
): Promise<Unsealed> {
  const expected = bound(binding);
  const differs = parts.find((_, index) => actual[index] !== expected[index]);
  if (differs === 'version') return { ok: false, kind: 'changed', reason: 'another version of the handler' };
  if (differs) return invalid(`another ${differs}`);
  if (options.clock.now() >= state.expiresAt) return { ok: false, kind: 'expired', reason: 'expired' };
  if (ref === undefined) return { ok: true, state };
  const stored = await readApart(ref, options);
  if (!stored) return { ok: false, kind: 'expired', reason: 'its journal is gone' };
  const { o: out = [], j: journal = [], characters } = stored;
  const apart = { ref, person: binding.principal, characters, out, expiresAt: state.expiresAt };
  return { ok: true, state: { ...state, out, journal }, apart };
}

/** @returns what is stored apart of a state, with its length; undefined if it is gone, or cannot be opened */
async function readApart(
  ref: string,
  { sealer, store }: Pick<StateOptions, 'sealer' | 'store'>,
): Promise<(Rest & Pick<ApartJournal, 'characters'>) | undefined> {
  const stored = await store.get(ref);
  const rest = stored === undefined ? undefined : (openUnder(sealer, APART, ref, stored) as Rest | undefined);
  return rest && { ...rest, characters: stored!.length };
}

/**
 * @param text - a state that has been sealed; it is bound to the same call, and is checked when it is opened
 * @returns the same state, to be stored with its call (state-B6)
 * @throws MidcallError `state/invalid` if we have not made it
 */
export function storedState(text: string, { sealer }: Pick<StateOptions, 'sealer'>): StoredState {
  const opened = sealer.open(text, STATE_PURPOSE);
  if (opened.ok) return unpacked(opened.payload as Packed, text);
  throw new MidcallError('state/invalid', 'This requestState is none of this server. Nothing was done.');
}

/**
 * A state that is to be stored with its call, and has never been sealed (state-B6).
 * @param secret - random
 */
export const newStoredState = (state: RoundState, binding: Binding, secret: string): StoredState => ({
  ...state,
  bound: bound(binding),
  secret,
});

/** Reduces the stored journal of a state whose retry was answered to its questions (state-B5). */
export async function shrinkJournal(
  apart: ApartJournal,
  { sealer, store, clock, shares }: StateOptions,
): Promise<void> {
  const { ref, person, characters, out } = apart;
  const stored = await store.get(ref);
  if (stored?.length !== characters) return;
  const questions = sealer.seal({ o: out } satisfies Rest, APART, ref);
  await store.set(ref, questions, { ttlMs: lifeOf(apart, clock.now()), ifEquals: stored });
  await shares?.give(person, takenBy(apart));
}

/** Removes what is stored apart of a state that nothing continues any more. */
export async function dropJournal(
  { ref, expiresAt }: StoredState,
  person: string,
  { store, shares }: StateOptions,
): Promise<void> {
  const stored = ref === undefined ? undefined : await store.take(ref);
  if (stored !== undefined) await shares?.give(person, takenBy({ characters: stored.length, expiresAt }));
}

/**
 * Extends the life of a state, before anybody has presented it.
 * @param until - its new expiry, in milliseconds since the epoch
 * @returns the state that replaces it; the same one if it cannot be opened
 */
export async function prolongState(
  stored: StoredState,
  until: number,
  binding: Binding,
  options: StateOptions,
): Promise<StoredState> {
  const opened = await openStored(stored, binding, options);
  if (!opened.ok || opened.state.expiresAt >= until) return stored;
  if (opened.apart) await storeJournal({ ...opened.state, expiresAt: until }, binding.principal, options, opened.apart);
  return { ...stored, expiresAt: until };
}

/** @param text - the sealed text of the state; the tag at its end is in no store */
function unpacked({ f: flow, n: nonce, r: round, iat: issuedAt, exp: expiresAt, ...packed }: Packed, text: string) {
  const { b, o: out = [], j: journal = [], ref } = packed;
  const state = { flow, nonce, round, issuedAt, expiresAt, journal, out, bound: b, secret: text.slice(-22) };
  return { ...state, ...(ref !== undefined && { ref }) } satisfies StoredState;
}

/**
 * The journal of a call's state, for whoever ends that call: its owner and expiry are not checked.
 * @returns nothing if it is stored apart and cannot be opened
 */
export async function journalIn(
  { journal, ref }: StoredState,
  options: Pick<StateOptions, 'sealer' | 'store'>,
): Promise<Journal> {
  return ref === undefined ? journal : ((await readApart(ref, options))?.j ?? []);
}

const invalid = (reason: string): Unsealed => ({ ok: false, kind: 'invalid', reason });
