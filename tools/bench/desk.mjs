/**
 * How long a person waits for the desk, from wire to wire: from `elicitation/create` leaving a server's standard output
 * to its form on the page, and from the click to the answer on the server's standard input, beside one bare event over
 * server-sent events and the page's own fetch; then the same while 1,000 other questions are open. Then start-up and idle
 * memory beside the official Inspector.
 * `npm run build && node tools/bench/desk.mjs [rounds]`.
 */
import { createServer } from 'node:http';
import { fileURLToPath } from 'node:url';
import { Audit, Connection, Inbox, machineDisk, OfferedRoots, Policy } from '@midcall/host';
import { chromium } from 'playwright-core';
import { serveDesk } from '../../packages/host/dist/web/desk.js';
import { Workspace } from '../../packages/host/dist/web/workspace/workspace.js';
import { browserPath } from '../places.ts';
import { idle } from './desk-idle.mjs';
import { figure, median } from './figure.mjs';

const rounds = Number(process.argv[2] ?? 40);
const browser = await chromium.launch({
  executablePath: browserPath(),
  args: ['--no-sandbox', '--disable-gpu'],
});

/** Server to page and back, with nothing in between: an event, then a request that answers it. */
async function bare() {
  let send = () => {};
  let answered = () => {};
  const server = createServer((request, response) => {
    if (request.url === '/events') {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.write('retry: 1000\n\n');
      send = () => response.write('data: x\n\n');
      return;
    }
    if (request.url === '/answer') {
      answered(performance.now());
      response.end();
      return;
    }
    response.setHeader('content-type', 'text/html');
    response.end("<script>new EventSource('/events').onmessage = () => fetch('/answer', { method: 'POST' });</script>");
  });
  await new Promise(resolve => server.listen(0, '127.0.0.1', resolve));
  const page = await browser.newPage();
  await page.goto(`http://127.0.0.1:${server.address().port}/`);
  await page.waitForFunction(() => document.readyState === 'complete');
  const times = [];
  for (let round = 0; round < rounds; round += 1) {
    await new Promise(resolve => setTimeout(resolve, 60));
    const answer = new Promise(resolve => {
      answered = resolve;
    });
    const begun = performance.now();
    send();
    times.push((await answer) - begun);
  }
  await page.close();
  server.closeAllConnections();
  server.close();
  return median(times);
}

/**
 * Runs in the page: notes when each new card is there, laid out, and when the next frame of the screen begins, which has it; and
 * clicks its button a little later.
 */
function answerAll() {
  const known = new Set();
  const now = () => performance.timeOrigin + performance.now();
  window.bench = { seen: [], framed: [], clicked: [] };
  const look = () => {
    const card = document.querySelector('[data-question]');
    if (!card || known.has(card.id)) return;
    known.add(card.id);
    card.getBoundingClientRect();
    window.bench.seen.push(now());
    requestAnimationFrame(() => {
      window.bench.framed.push(now());
      setTimeout(() => {
        window.bench.clicked.push(now());
        card.querySelector('button.primary').click();
      }, 40);
    });
  };
  new MutationObserver(look).observe(document.body, { childList: true, subtree: true });
  look();
}

/** @param crowd - how many questions of another server are open; @param rounds - how many questions are measured */
async function desk(crowd, rounds) {
  const inbox = new Inbox();
  const policy = new Policy({ limits: { open: 10_000, perWindow: 10_000 } });
  const [audit, roots] = [new Audit(), new OfferedRoots({ disk: machineDisk })];
  const client = { name: 'bench', version: '0' };
  const connect = entry => new Connection(entry, { client, inbox, policy, audit, roots });
  const workspace = new Workspace({ inbox, policy, audit, roots, connect });
  const running = await serveDesk(workspace, {});
  const asker = fileURLToPath(new URL('./desk-asker.mjs', import.meta.url));
  const target = { kind: 'command', command: process.execPath, args: [asker] };
  for (const id of ['asker', 'crowd']) await workspace.servers.add({ id, target });
  if (crowd > 0) {
    await workspace.calls.run('crowd', { kind: 'tool', name: 'ask', arguments: { atOnce: crowd } });
    while (inbox.list().length < crowd) await new Promise(resolve => setTimeout(resolve, 50));
  }
  const page = await browser.newPage();
  await page.goto(running.startUrl());
  const id = await workspace.calls.run('asker', {
    kind: 'tool',
    name: 'ask',
    arguments: { rounds, firstAfterMs: 1_500 },
  });
  await page.goto(`${running.url}calls/${id}`);
  await page.evaluate(answerAll);
  await new Promise(resolve => {
    const stop = workspace.subscribe(() => {
      if (!workspace.calls.get(id)?.outcome) return;
      stop();
      resolve();
    });
  });
  const { asked, answered } = JSON.parse(workspace.calls.get(id).outcome.result.content[0].text);
  const { seen, framed, clicked } = await page.evaluate(() => window.bench);
  await page.close();
  await running.stop({ within: 0 });
  return {
    shown: seen.map((at, round) => at - asked[round]),
    framed: framed.map((at, round) => at - asked[round]),
    sent: answered.map((at, round) => at - clicked[round]),
  };
}

const ms = number => `${number.toFixed(1)} ms`;
const bareTime = await bare();
// Alone and crowded take turns, so that what else the machine does falls on both.
const turns = [];
for (const crowd of [0, 1_000, 1_000, 0]) turns.push(await desk(crowd, Math.ceil(rounds / 2)));
const joined = (one, other) => Object.fromEntries(Object.keys(one).map(key => [key, [...one[key], ...other[key]]]));
const alone = joined(turns[0], turns[3]);
const crowded = joined(turns[1], turns[2]);
await browser.close();
console.log(`medians of ${rounds}:                                     alone   1,000 open`);
console.log(`  bare event to the page and a request back           ${ms(bareTime)}`);
for (const [key, what, most] of [
  ['shown', 'question on the wire to its form on the page', 13],
  ['framed', 'the same to the next frame of a 60 Hz screen'],
  ['sent', 'click to the answer on the wire', 6],
]) {
  const [own, among] = [alone[key], crowded[key]].map(median);
  console.log(`  ${what.padEnd(51)} ${ms(own)}   ${ms(among)}`);
  if (most === undefined) continue;
  const also = `a bare event and a request back: ${ms(bareTime)}`;
  figure({ work: `desk: ${what}`, beside: 'itself before', unit: 'ms', values: alone[key], most, also });
  figure({
    work: 'the same, with 1,000 other questions open',
    beside: 'the desk with none',
    unit: 'ms',
    values: crowded[key],
    // What differs by less differs between two runs of the same.
    most: 1.1 * own,
  });
}
await idle();
