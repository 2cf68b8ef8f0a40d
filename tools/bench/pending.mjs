/**
 * Questions that wait: what 10,000 of them cost one process over HTTP, beside the SDK's own elicitInput (2025-11-25), and
 * beside nothing at all on 2026-07-28, where a process without a key and a store holds the state. The server is a process of
 * its own; RSS after garbage collection.
 *
 * The target on 2025-11-25 is the SDK's own memory; tools/bench/RESULTS.md says what is reached. A waiting call of ours holds its run,
 * its journal, its handle and what it is bound by, which the SDK has not; and it has neither the frames of the SDK's functions
 * that wait nor its AbortController, its context of five functions with a hidden class of its own, and its schema of the answer.
 * Run after `npm run build`: node tools/bench/pending.mjs [questions] [rounds]
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { figure, median } from './figure.mjs';
import { quietFetch } from './quiet-fetch.mjs';

const questions = Number(process.argv[2] ?? 10_000);
const rounds = Number(process.argv[3] ?? 3);
const perClient = 500;
const serverFile = fileURLToPath(new URL('ask-server.mjs', import.meta.url));

const rss = pid => Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))[1]);

/** Starts a server, opens questions nobody answers, and says how many KB each holds. */
async function measure(side, era) {
  const args = ['--expose-gc', serverFile, side, 'http', 'gc'];
  const child = spawn(process.execPath, args, { stdio: ['pipe', 'pipe', 'ignore'] });
  const lines = [];
  let heard;
  child.stdout.setEncoding('utf8').on('data', text => {
    lines.push(...text.split('\n').filter(Boolean));
    heard?.();
  });
  const nextLine = async () => {
    while (lines.length === 0) await new Promise(resolve => (heard = resolve));
    return lines.shift();
  };
  const collected = async () => {
    child.stdin.write('gc\n');
    await nextLine();
    return rss(child.pid);
  };
  const url = new URL(/http:\S+/.exec(await nextLine())[0]);
  const clients = [];
  let asked = 0;
  let reached;
  for (let made = 0; made < questions; made += perClient) {
    const client = new Client(
      { name: 'bench', version: '1.0.0' },
      {
        capabilities: { elicitation: {} },
        versionNegotiation: { mode: era === '2026-07-28' ? { pin: era } : 'legacy' },
      },
    );
    client.setRequestHandler('elicitation/create', () => {
      if (++asked === reached.count) reached.resolve();
      return new Promise(() => {});
    });
    await client.connect(new StreamableHTTPClientTransport(url, { fetch: quietFetch }));
    clients.push(client);
  }
  const before = await collected();
  for (const client of clients) {
    // One client at a time: more connections at once than the server's backlog holds would be reset.
    const thisMany = new Promise(resolve => (reached = { count: asked + perClient, resolve }));
    for (let index = 0; index < perClient; index++) {
      client.callTool({ name: 'delete', arguments: { title: 'x' } }, { timeout: 0x7fffffff }).catch(() => {});
    }
    await thisMany;
  }
  const after = await collected();
  child.kill('SIGKILL');
  await once(child, 'exit');
  return (after - before) / questions;
}

const pairs = {
  '2026-07-28': ['midcall', 'SDK v2, no state'],
  '2025-11-25': ['midcall', 'SDK v2, elicitInput'],
};
for (const [era, sides] of Object.entries(pairs)) {
  const held = sides.map(() => []);
  for (let round = 0; round < rounds; round++) {
    for (const [index, side] of sides.entries()) held[index].push(await measure(side, era));
  }
  for (const [index, side] of sides.entries()) {
    const range = `${Math.min(...held[index]).toFixed(1)} to ${Math.max(...held[index]).toFixed(1)}`;
    console.log(`${era}  ${side.padEnd(22)} ${median(held[index]).toFixed(1)} KB per pending question (${range})`);
  }
  if (era === '2025-11-25') {
    const [own, theirs] = held.map(each => `${median(each).toFixed(1)} KB`);
    const values = held[0].map((each, round) => each / held[1][round]);
    figure({
      work: `waiting question, ${era}, RSS of the server`,
      beside: sides[1],
      unit: 'times',
      values,
      most: 1.2,
      also: `${own} against ${theirs}, ${questions} waiting`,
    });
  }
}
process.exit(0);
