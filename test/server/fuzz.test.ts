import { it } from 'vitest';
import { fuzzBodies } from './fuzz-bodies.ts';
import { fuzzStates } from './fuzz-states.ts';

it('300 bodies that are almost messages are answered, none with a mistake of ours', { tags: 'thorough' }, () =>
  fuzzBodies(300),
);

it(
  '300 texts that are almost states, and 300 things of any kind, open for no call but their own',
  { tags: 'thorough' },
  () => fuzzStates(300),
);
