/** Rules and notes that are written by processes which are killed, in full counts: `MIDCALL_KILLS`. */
import { expect, it } from 'vitest';
import { killWriters, kinds } from './killed-writers.ts';

const kills = Number(process.env['MIDCALL_KILLS'] ?? 500);

it.each(kinds)(
  `${kills} processes killed with SIGKILL while they write %s lose none that they have written, and leave each whole`,
  kind => expect(killWriters(kind, kills)).resolves.toBeUndefined(),
);
