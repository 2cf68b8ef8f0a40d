/** What holds for whatever comes back as a state; a fixed number of cases in `npm test`, many in the soak. */
import { memoryStore } from '@midcall/server/stores/memory';
import fc from 'fast-check';
import { expect } from 'vitest';
import { keyRing } from '../../packages/server/src/state/keys.ts';
import {
  type Binding,
  openState,
  type RoundState,
  type StateOptions,
  sealState,
} from '../../packages/server/src/state/request-state.ts';
import { createSealer } from '../../packages/server/src/state/seal.ts';

const now = () => 1_500_000;
const binding: Binding = {
  principal: 'ann',
  client: 'app',
  method: 'tools/call',
  name: 'book',
  arguments: 'digest',
  audience: 'travel',
  version: '1',
};
const stateOf = (nonce: string): RoundState => ({
  flow: 'f',
  nonce,
  round: 1,
  issuedAt: 1_000_000,
  expiresAt: 2_000_000,
  journal: [{ id: 'a.1', kind: 'elicit', label: 'Sure?', value: nonce }],
  out: [{ id: 'a.2', kind: 'elicit', label: 'Which?', key: 'which', at: 1_000_000, due: 1_900_000 }],
});
const maxLength = 100_000;

/** Two states that travel, and one whose journal lies in the store. */
async function sealed(
  options: StateOptions,
): Promise<readonly { readonly text: string; readonly state: RoundState }[]> {
  const made = [stateOf('one'), stateOf('two'), stateOf('apart')];
  return Promise.all(
    made.map(async (state, at) => ({ state, text: await sealState(state, binding, options, at < 2 ? maxLength : 1) })),
  );
}

const position = fc.nat({ max: 1_000 });
const letter = fc.oneof(fc.constantFrom(...'ABab01-_=+/. \n\0é😀'), fc.string({ unit: 'binary', maxLength: 3 }));
type Damage = (text: string, other: string) => string;
/** What becomes of a text that was good. */
const damage = fc.oneof<fc.Arbitrary<Damage>[]>(
  fc.constant(text => text),
  position.map(at => text => text.slice(0, at)),
  position.map(at => text => text.slice(at)),
  fc.tuple(position, position, letter).map(
    ([at, count, put]) =>
      text =>
        text.slice(0, at) + put + text.slice(at + (count % 4)),
  ),
  // The head of one and the tail of another.
  position.map(at => (text, other) => text.slice(0, at) + other.slice(at)),
  fc.tuple(position, fc.nat({ max: 7 })).map(([at, bit]) => text => {
    const bytes = Buffer.from(text.slice(3), 'base64url');
    bytes[at % bytes.length]! ^= 1 << bit;
    return `m1.${bytes.toString('base64url')}`;
  }),
  fc.constant(text => Buffer.from(text, 'utf8').toString('base64')),
  fc.constant(text => text.toUpperCase()),
);
const part = fc.constantFrom(undefined, ...(Object.keys(binding) as (keyof Binding)[]));

/** Opens what is no state of ours, what once was one, and ours for another call. */
export async function fuzzStates(runs: number): Promise<void> {
  const sealer = createSealer(keyRing(new Uint8Array(32).fill(7)));
  const options: StateOptions = { sealer, store: memoryStore({ clock: { now } }), clock: { now } };
  const made = await sealed(options);
  const pick = fc.nat({ max: made.length - 1 });
  await fc.assert(
    fc.asyncProperty(
      pick,
      pick,
      fc.array(damage, { minLength: 1, maxLength: 3 }),
      part,
      async (at, other, all, bent) => {
        const text = all.reduce((each, change) => change(each, made[other]!.text), made[at]!.text);
        const call = bent === undefined ? binding : { ...binding, [bent]: `${binding[bent]}x` };
        const opened = await openState(text, call, options, maxLength);
        // Ours, letter by letter, for the call it was made for: nothing else opens, and nothing throws.
        const ours = made.find(each => each.text === text);
        if (ours && bent === undefined) expect(opened).toMatchObject({ ok: true, state: ours.state });
        else expect(opened).toMatchObject({ ok: false, kind: ours && bent === 'version' ? 'changed' : 'invalid' });
      },
    ),
    { numRuns: runs },
  );
  await fc.assert(
    fc.asyncProperty(fc.anything(), async given => {
      expect(await openState(given, binding, options, maxLength)).toMatchObject({ ok: false, kind: 'invalid' });
    }),
    { numRuns: runs },
  );
}
