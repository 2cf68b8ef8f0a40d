import { it } from 'vitest';
import { fuzzBodies } from './fuzz-bodies.ts';

it('300 bodies that are almost messages are answered, none with a mistake of ours', { tags: 'thorough' }, () =>
  fuzzBodies(300),
);
