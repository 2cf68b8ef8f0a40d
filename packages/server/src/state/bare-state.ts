/**
 * A state that never travels, since the call that it belongs to is kept beside it: without its seal, and without what that call
 * says already. It is made again bit for bit, so whatever is done with a state that came back is done with this one. Pure.
 */
import { type Binding, bound, type OutAsk, type Packed, STATE_PURPOSE } from './request-state.ts';
import { headerOf, type Sealer } from './seal.ts';

/** What the call says of itself. */
export interface StateCall extends Omit<Binding, 'version'> {
  readonly flow: string;
  /** Milliseconds since the epoch; times are kept as they differ from it. */
  readonly since: number;
}

type BareAsk = readonly [id: string, kind: string, label: string, key: string, at: number, due: number];

/** How it lies in a store: by position, and last what is not as the call says, or seldom there. */
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

/** @returns undefined for what is no state of ours, or could not be made again */
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
  // Also what keeps seal-E6: the other way is only gone for what was found to lead back here.
  return JSON.stringify(packedOf(bare, call)) === JSON.stringify(opened.payload) ? bare : undefined;
}

/** @returns the state as it was sealed; undefined where its key is not in the ring any more */
export const stateAgain = (bare: BareState, call: StateCall, sealer: Sealing): string | undefined =>
  sealer.sealAgain(JSON.stringify(packedOf(bare, call)), bare[0], STATE_PURPOSE);

function packedOf([, n, r, iat, exp, out, rest = {}]: BareState, call: StateCall): Packed {
  const { since, flow } = call;
  const { f = flow, v = '', b = boundOf(call, v), j = [], ref } = rest;
  const head = { f, n, r, iat: iat + since, exp: exp + since, b };
  if (ref !== undefined) return { ...head, ref };
  const o = out.map(([id, kind, label, key, at, due]): OutAsk => {
    return { id, kind: kind as OutAsk['kind'], label, key, at: at + since, due: due + since };
  });
  return { ...head, o, j };
}
