/**
 * How long a person waits for the desk: from a question being asked to its form on the page, and from the click to the
 * answer, beside one bare event over server-sent events and the page's own fetch. `npm run build && node bench/desk.mjs [rounds]`.
 */
import { createServer } from 'node:http';
import { chromium } from 'playwright-core';
import { Audit, Connection, Inbox, machineDisk, Policy, RootsManager } from '../dist/host/index.js';
import { startDesk } from '../dist/host/web/index.js';

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
    await new Promise(resolve => setTimeout(resolve, 30));
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

async function desk() {
  const inbox = new Inbox();
  const [policy, audit, roots] = [new Policy(), new Audit(), new RootsManager({ disk: machineDisk })];
  const client = { name: 'bench', version: '0' };
  const connect = entry => new Connection(entry, { client, inbox, policy, audit, roots });
  const running = await startDesk({ inbox, policy, audit, roots, connect });
  const page = await browser.newPage();
  let seen = () => {};
  await page.exposeFunction('benchSeen', () => seen(performance.now()));
  await page.goto(running.startUrl());
  const asker = { id: 'notes', name: 'notes', version: '1', origin: 'node notes.js', era: '2026-07-28' };
  const call = { id: 'call', kind: 'tool', name: 'notes_delete', arguments: { title: 'TPS report' } };
  const ask = id =>
    inbox.ask({
      id,
      asker,
      call,
      askedAt: Date.now(),
      kind: 'form',
      message: 'Delete it?',
      fields: [{ kind: 'boolean', name: 'confirm', required: true, default: true }],
    });
  const first = ask('first');
  await page.goto(`${running.url}calls/call`);
  await page.evaluate(() => {
    const known = new Set();
    const look = () => {
      const card = document.querySelector('[data-question]');
      if (!card || known.has(card.id)) return;
      known.add(card.id);
      requestAnimationFrame(() => window.benchSeen());
    };
    look();
    new MutationObserver(look).observe(document.body, { childList: true, subtree: true });
  });
  await inbox.reply('first', { action: 'decline' }, 'web');
  await first;
  const shown = [];
  const sent = [];
  for (let round = 0; round < rounds; round += 1) {
    await page.waitForFunction(() => !document.querySelector('[data-question]'));
    await new Promise(resolve => setTimeout(resolve, 30));
    const visible = new Promise(resolve => {
      seen = resolve;
    });
    const begun = performance.now();
    const ending = ask(`q${round}`);
    shown.push((await visible) - begun);
    const clicked = page.evaluate(() => {
      document.querySelector('button.primary').click();
    });
    const at = performance.now();
    await ending;
    sent.push(performance.now() - at);
    await clicked;
  }
  await page.close();
  await running.close();
  return { shown: median(shown), sent: median(sent) };
}

const ms = number => `${number.toFixed(1)} ms`;
const bareTime = await bare();
const { shown, sent } = await desk();
console.log(`medians of ${rounds}:`);
console.log(`  bare event to the page and a request back   ${ms(bareTime)}`);
console.log(`  question asked to its form on the page      ${ms(shown)}`);
console.log(`  click to the answer in the host             ${ms(sent)}`);
await browser.close();
