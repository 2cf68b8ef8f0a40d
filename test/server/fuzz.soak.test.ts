import { it } from 'vitest';
import { fuzzBodies } from './fuzz-bodies.ts';

it('100,000 bodies that are almost messages are answered, none with a mistake of ours', () => fuzzBodies(100_000));
