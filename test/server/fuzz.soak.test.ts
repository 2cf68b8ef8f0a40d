import { it } from 'vitest';
import { fuzzBodies } from './fuzz-bodies.ts';
import { fuzzStates } from './fuzz-states.ts';

it('100,000 bodies that are almost messages are answered, none with a mistake of ours', () => fuzzBodies(100_000));

it('200,000 texts that are almost states, and 200,000 things of any kind, open for no call but their own', () =>
  fuzzStates(200_000));
