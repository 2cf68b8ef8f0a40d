/**
 * A stdio server for tools/bench/desk.mjs: its one tool asks again and again, and tells when each question left and each answer came;
 * or it asks so many things at once and waits.
 */
import { createInterface } from 'node:readline';

const now = () => performance.timeOrigin + performance.now();
const send = message => process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
const form = {
  type: 'object',
  properties: { confirm: { type: 'boolean', default: true } },
  required: ['confirm'],
};
const stamps = { asked: [], answered: [] };
let call;
let rounds = 0;

function ask() {
  const params = { mode: 'form', message: 'Delete it?', requestedSchema: form };
  stamps.asked.push(now());
  send({ id: `ask-${stamps.asked.length}`, method: 'elicitation/create', params });
}

for await (const line of createInterface({ input: process.stdin })) {
  const { id, method, params, result } = JSON.parse(line);
  if (method === 'initialize') {
    const serverInfo = { name: 'asker', version: '1' };
    send({ id, result: { protocolVersion: '2025-11-25', capabilities: { tools: {} }, serverInfo } });
  } else if (method === 'tools/list') {
    send({ id, result: { tools: [{ name: 'ask', inputSchema: { type: 'object' } }] } });
  } else if (method === 'tools/call') {
    call = id;
    rounds = params.arguments.rounds;
    if (params.arguments.atOnce) for (let n = 0; n < params.arguments.atOnce; n += 1) ask();
    else setTimeout(ask, params.arguments.firstAfterMs);
  } else if (result && String(id).startsWith('ask-')) {
    stamps.answered.push(now());
    // At every moment between two frames of the screen alike: otherwise each question would wait equally long for the next.
    if (stamps.asked.length < rounds) setTimeout(ask, 60 + ((stamps.asked.length * 7) % 17));
    else send({ id: call, result: { content: [{ type: 'text', text: JSON.stringify(stamps) }] } });
  } else if (method && id !== undefined) send({ id, error: { code: -32601, message: 'none' } });
}
