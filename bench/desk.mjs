/**
 * How long a person waits for the desk, from wire to wire: from `elicitation/create` leaving a server's standard output
 * to its form on the page, and from the click to the answer on the server's standard input, beside one bare event over
 * server-sent events and the page's own fetch. Then start-up and idle memory beside the official Inspector.
 * `npm run build && node bench/desk.mjs [rounds]`.
 */
import { createServer } from 'node:http';
import { fileURLToPath } from 'node:url';
import { Audit, Connection, Inbox, machineDisk, OfferedRoots, Policy } from '@midcall/host';
import { startDesk } from '@midcall/host/web';
import { chromium } from 'playwright-core';
import { idle } from './desk-idle.mjs';

const rounds = Number(process.argv[2] ?? 40);
const median = all => all.toSorted((a, b) => a - b)[Math.floor(all.length / 2)];
const browser = await chromium.launch({
  executablePath: process.env.MIDCALL_CHROMIUM ?? '/usr/bin/chromium',
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

/** Runs in the page: notes when each new card has been drawn, and clicks its button a little later. */
function answerAll() {
  const known = new Set();
  const now = () => performance.timeOrigin + performance.now();
  window.bench = { seen: [], clicked: [] };
  const look = () => {
    const card = document.querySelector('[data-question]');
    if (!card || known.has(card.id)) return;
    known.add(card.id);
    requestAnimationFrame(() => {
      window.bench.seen.push(now());
      setTimeout(() => {
        window.bench.clicked.push(now());
        card.querySelector('button.primary').click();
      }, 40);
    });
  };
  new MutationObserver(look).observe(document.body, { childList: true, subtree: true });
  look();
}

async function desk() {
  const inbox = new Inbox();
  const policy = new Policy({ limits: { perWindow: 10_000 } });
  const [audit, roots] = [new Audit(), new OfferedRoots({ disk: machineDisk })];
  const client = { name: 'bench', version: '0' };
  const connect = entry => new Connection(entry, { client, inbox, policy, audit, roots });
  const running = await startDesk({ inbox, policy, audit, roots, connect });
  const { workspace } = running;
  const asker = fileURLToPath(new URL('./desk-asker.mjs', import.meta.url));
  await workspace.servers.add({ id: 'asker', target: { kind: 'command', command: process.execPath, args: [asker] } });
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
  const { seen, clicked } = await page.evaluate(() => window.bench);
  await page.close();
  await running.close();
  return {
    shown: median(seen.map((at, round) => at - asked[round])),
    sent: median(answered.map((at, round) => at - clicked[round])),
  };
}

const ms = number => `${number.toFixed(1)} ms`;
const bareTime = await bare();
const { shown, sent } = await desk();
await browser.close();
console.log(`medians of ${rounds}:`);
console.log(`  bare event to the page and a request back           ${ms(bareTime)}`);
console.log(`  question on the wire to its form on the page        ${ms(shown)}`);
console.log(`  click to the answer on the wire                     ${ms(sent)}`);
await idle();
