/**
 * A handler with N questions: rounds it takes, and what a round costs the server's side as N grows from 1 to 100, over
 * memory on 2026-07-28. Target: rounds grow with N, and the time per round by less than 3x.
 * Run after `npm run build`: node tools/bench/rounds.mjs
 */
import { performance } from 'node:perf_hooks';
import { midcall } from '@midcall/server';
import { Client } from '@modelcontextprotocol/client';
import { InMemoryTransport, McpServer } from '@modelcontextprotocol/server';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import { z } from 'zod';

const mid = midcall({ warn: () => {}, suspectBelowMs: 0, maxRounds: 200, maxStateLength: 1_000_000 });
const client = new Client(
  { name: 'bench', version: '1.0.0' },
  {
    capabilities: { elicitation: {} },
    versionNegotiation: { mode: { pin: '2026-07-28' } },
    inputRequired: { maxRounds: 200 },
  },
);
let rounds = 0;
client.setRequestHandler('elicitation/create', () => {
  rounds++;
  return { action: 'accept', content: { value: true } };
});
const [near, far] = InMemoryTransport.createLinkedPair();
serveStdio(
  () => {
    const server = new McpServer({ name: 'bench', version: '1.0.0' });
    mid.tool(server, 'ask', { inputSchema: z.object({ n: z.number() }) }, async ({ n }, call) => {
      for (let index = 1; index <= n; index++) await call.elicit({ message: `Question ${index}?`, form: Boolean });
      return { content: [{ type: 'text', text: 'done' }] };
    });
    return server;
  },
  { transport: far },
);
await client.connect(near);

const median = values => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)];
async function perRound(n) {
  const times = [];
  for (let repeat = 0; repeat < Math.max(5, Math.ceil(200 / n)); repeat++) {
    rounds = 0;
    const begun = performance.now();
    await client.callTool({ name: 'ask', arguments: { n } });
    times.push((performance.now() - begun) / rounds);
    if (rounds !== n) throw new Error(`${n} questions took ${rounds} rounds`);
  }
  return median(times);
}

await perRound(10);
const one = await perRound(1);
for (const n of [1, 3, 10, 30, 100]) {
  const ms = n === 1 ? one : await perRound(n);
  console.log(
    `${String(n).padStart(3)} questions: ${n} rounds, ${ms.toFixed(2)} ms per round, ${(ms / one).toFixed(2)}x of one`,
  );
}
process.exit(0);
