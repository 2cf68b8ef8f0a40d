/** A server of 2025-11-25 on standard input and output that says too much, by what its one tool is called with. */
import { createInterface } from 'node:readline';

const write = message => process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
const requestedSchema = { type: 'object', properties: { sure: { type: 'boolean' } } };
const answers = {};
let asked = 0;

const ask = times => {
  for (let n = 0; n < times; n += 1) {
    const params = { message: `Question ${asked}`, requestedSchema };
    write({ id: `q-${asked++}`, method: 'elicitation/create', params });
  }
};

/** Writes as much as is taken, and goes on when that has been read. */
async function log(times, characters) {
  const data = 'x'.repeat(characters);
  for (let n = 0; n < times; n += 1) {
    if (!write({ method: 'notifications/message', params: { level: 'info', data } }))
      await new Promise(resolve => process.stdout.once('drain', resolve));
  }
}

async function say({ what, times, characters }, token) {
  if (what === 'logs') await log(times, characters);
  if (what === 'progress')
    for (let progress = 1; progress <= times; progress += 1)
      write({ method: 'notifications/progress', params: { progressToken: token, progress } });
}

createInterface({ input: process.stdin }).on('line', async line => {
  const { id, method, params, result } = JSON.parse(line);
  const reply = result => write({ id, result });
  if (method === 'initialize') {
    const capabilities = { tools: {}, logging: {} };
    reply({ protocolVersion: '2025-11-25', capabilities, serverInfo: { name: 'flood', version: '1.0.0' } });
  } else if (method === 'tools/list') reply({ tools: [{ name: 'say', inputSchema: { type: 'object' } }] });
  else if (method === 'tools/call') {
    const { what, times } = params.arguments;
    if (what === 'inside') return ask(times);
    await say(params.arguments, params._meta?.progressToken);
    reply({ content: [{ type: 'text', text: JSON.stringify(answers) }] });
  } else if (method === 'notifications/ask') ask(params.times);
  else if (method === undefined) {
    const how = result?.action ?? 'error';
    answers[how] = (answers[how] ?? 0) + 1;
    if (answers[how] % 1_000 === 0) await log(1, 1);
  } else if (id !== undefined) write({ id, error: { code: -32601, message: 'Method not found' } });
});
