/**
 * A host that reads lines from its terminal and asks questions in between: node terminal-host.mjs READER PLAIN. READER is how it
 * reads: `readline`, `data`, or `later` if it only begins to after the questions. Prints what it hears, and how it found its input
 * before and after. Ends when it hears `end`.
 */
import { createInterface } from 'node:readline';
import { Inbox } from '@midcall/host';
import { Terminal } from '@midcall/host/terminal';

const [reader, plain] = process.argv.slice(2);
const { stdin } = process;
const hear = line => {
  console.log(`heard <${line.trim()}>`);
  if (line.trim() === 'end') process.exit(0);
};
const read = () => {
  if (reader === 'data') stdin.setEncoding('utf8').on('data', hear);
  else createInterface({ input: stdin, output: process.stdout }).on('line', hear);
};
if (reader !== 'later') read();

const events = ['data', 'readable', 'keypress', 'end', 'close', 'error', 'newListener'];
const state = () =>
  JSON.stringify([
    stdin.isRaw,
    stdin.readableFlowing,
    events.map(event => stdin.rawListeners(event).map(listener => listener.name)),
  ]);
const before = state();
const terminal = new Terminal({ input: stdin, output: process.stdout, plain: plain === 'true' });
const secret = await terminal.ask({ message: 'Your key', secret: true });
console.log(`\ngot <${secret?.length}>`);
console.log(`as found: ${state() === before}`);
const inbox = new Inbox();
inbox.present(terminal);
const { content } = await inbox.ask({
  id: 'color',
  kind: 'form',
  asker: { id: 'paint', name: 'paint', version: '1.0.0', origin: 'paint-server', era: '2026-07-28' },
  message: 'Which color?',
  fields: [{ kind: 'text', name: 'color', required: true }],
  askedAt: 0,
});
await terminal.idle();
console.log(`\nchose <${content?.color}>`);
console.log(`as found: ${state() === before}`);
if (reader === 'later') read();
console.log('listening');
