/**
 * Sealing and opening a 1 KiB journal, beside the SDK's signed state codec (mint and verify) doing the same.
 * CPU of this process per round trip, interleaved rounds, medians and their ratio. Target: at most 0.5.
 * Run after `npm run build`: node tools/bench/seal.mjs [rounds]
 */
import { randomBytes } from 'node:crypto';
import { createRequestStateCodec } from '@modelcontextprotocol/server';
import { keyRing } from '../../packages/server/dist/state/keys.js';
import { createSealer } from '../../packages/server/dist/state/seal.js';

const rounds = Number(process.argv[2] ?? 15);
const perRound = 4_000;

const journal = { v: 1, principal: 'https://id.example|ann', method: 'tools/call', name: 'notes_delete', entries: [] };
while (JSON.stringify(journal).length < 1_024) {
  const content = { note_id: randomBytes(12).toString('hex'), confirm: true };
  journal.entries.push({ id: randomBytes(16).toString('base64url'), action: 'accept', content });
}

const sealer = createSealer(keyRing(randomBytes(32)));
const codec = createRequestStateCodec({ key: randomBytes(32) });
const sides = {
  midcall: async () => {
    const opened = sealer.open(sealer.seal(journal, 'request-state'), 'request-state');
    if (!opened.ok) throw new Error(opened.reason);
  },
  sdk: async () => {
    await codec.verify(await codec.mint(journal));
  },
};

async function cpuPerTrip(side) {
  const before = process.cpuUsage();
  for (let index = 0; index < perRound; index++) await side();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / perRound;
}

const median = values => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)];

const times = { midcall: [], sdk: [] };
for (const side of Object.values(sides)) await cpuPerTrip(side);
for (let round = 0; round < rounds; round++) {
  for (const [name, side] of Object.entries(sides)) times[name].push(await cpuPerTrip(side));
}

const shown = Object.entries(times).map(([name, values]) => {
  const low = Math.min(...values).toFixed(1);
  const high = Math.max(...values).toFixed(1);
  return `${name.padEnd(8)} ${median(values).toFixed(1).padStart(7)} µs CPU per seal + open   (${low} to ${high})`;
});
console.log(`journal: ${JSON.stringify(journal).length} bytes of JSON; node ${process.version}`);
console.log(shown.join('\n'));
console.log(`ratio    ${(median(times.midcall) / median(times.sdk)).toFixed(2)} (target: at most 0.50)`);
