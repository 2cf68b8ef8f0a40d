/** Rules and notes that are written by processes which are killed; the full counts are in `killed-writers.soak.test.ts`. */
import { expect, it } from 'vitest';
import { killWriters, kinds } from './killed-writers.ts';

it.each(kinds)(
  'a process killed with SIGKILL while it writes %s loses none that it has written, and leaves each whole',
  kind => expect(killWriters(kind, 12)).resolves.toBeUndefined(),
);
