/** A server of 2025-11-25 on standard input and output, written by hand: its one tool asks whether the person is sure. */
import { createInterface } from 'node:readline';

const write = message => process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
const [name = 'asker'] = process.argv.slice(2);
const requestedSchema = { type: 'object', properties: { sure: { type: 'boolean' } }, required: ['sure'] };
const waiting = {};
let calls = 0;

const results = {
  initialize: () => ({
    protocolVersion: '2025-11-25',
    capabilities: { tools: {} },
    serverInfo: { name, version: '1.0.0' },
  }),
  ping: () => ({}),
  'tools/list': () => ({ tools: [{ name: 'ask', inputSchema: { type: 'object', properties: {} } }] }),
};

createInterface({ input: process.stdin }).on('line', line => {
  const { id, method, result } = JSON.parse(line);
  if (method === 'tools/call') {
    calls += 1;
    const asked = `${name}-${calls}`;
    waiting[asked] = { id, call: calls };
    write({ id: asked, method: 'elicitation/create', params: { message: `Is ${name} sure?`, requestedSchema } });
  } else if (method === undefined) {
    const text = `${result?.action ?? 'error'} in call ${waiting[id].call} of ${name}`;
    write({ id: waiting[id].id, result: { content: [{ type: 'text', text }] } });
  } else if (id !== undefined) {
    const found = results[method];
    write(found ? { id, result: found() } : { id, error: { code: -32601, message: 'Method not found' } });
  }
});
