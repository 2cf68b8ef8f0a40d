/**
 * A state that never travels, since the call it belongs to is stored with it: without its seal, and without what that call
 * contains already. It can be rebuilt bit for bit, so it is treated exactly like a state that came back. Pure.
 */
import { type Binding, bound, type Packed, type SealedAsk, STATE_PURPOSE } from './request-state.ts';
import { headerOf, type Sealer } from './seal.ts';

/** The call's own data. */
export interface StateCall extends Omit<Binding, 'version'> {
  readonly flow: string;
  /** Milliseconds since the epoch; times are stored relative to it. */
  readonly since: number;
}

type BareAsk = readonly [id: string, kind: string, label: string, key: string, at: number, due: number];

/** Its stored form: by position, with the parts that differ from the call, or are rare, at the end. */
export type BareState = readonly [
  header: string,
  nonce: string,
  round: number,
  issuedAt: number,
  expiresAt: number,
  out: readonly BareAsk[],
  rest?: { readonly f?: string; readonly b?: readonly string[]; readonly v?: string } & Pick<Packed, 'j' | 'ref'>,
];

type Sealing = Pick<Sealer, 'open' | 'sealAgain'>;

const boundOf = (call: StateCall, version: string): readonly string[] => bound({ ...call, version });

/** @returns undefined if it is not one of our states, or could not be rebuilt */
export function bareState(text: string, call: StateCall, sealer: Sealing): BareState | undefined {
  const opened = sealer.open(text, STATE_PURPOSE);
  if (!opened.ok) return undefined;
  const { f, n, r, iat, exp, b, o = [], j = [], ref } = opened.payload as Packed;
  const version = b.at(-1) ?? '';
  const isBound = JSON.stringify(b) === JSON.stringify(boundOf(call, version));
  const rest = {
    ...(f !== call.flow && { f }),
    ...(!isBound && { b }),
    ...(isBound && version !== '' && { v: version }),
    ...(j.length > 0 && { j }),
    ...(ref !== undefined && { ref }),
  };
  const { since } = call;
  const out = o.map(({ id, kind, label, key, at, due }): BareAsk => [id, kind, label, key, at - since, due - since]);
  const head = [headerOf(text), n, r, iat - since, exp - since, out] as const;
  const bare: BareState = Object.keys(rest).length > 0 ? [...head, rest] : head;
  // This also ensures seal-E6: the inverse is only used for states that were found to rebuild identically.
  return JSON.stringify(packedOf(bare, call)) === JSON.stringify(opened.payload) ? bare : undefined;
}

/** @returns the state as it was sealed; undefined if its key is no longer in the ring */
export const stateAgain = (bare: BareState, call: StateCall, sealer: Sealing): string | undefined =>
  sealer.sealAgain(JSON.stringify(packedOf(bare, call)), bare[0], STATE_PURPOSE);

function packedOf([, n, r, iat, exp, out, rest = {}]: BareState, call: StateCall): Packed {
  const { since, flow } = call;
  const { f = flow, v = '', b = boundOf(call, v), j = [], ref } = rest;
  const head = { f, n, r, iat: iat + since, exp: exp + since, b };
  if (ref !== undefined) return { ...head, ref };
  const o = out.map(([id, kind, label, key, at, due]): SealedAsk => {
    return { id, kind: kind as SealedAsk['kind'], label, key, at: at + since, due: due + since };
  });
  return { ...head, o, j };
}
