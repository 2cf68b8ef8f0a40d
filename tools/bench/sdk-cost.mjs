/**
 * What the SDK spends on finding out what kind of message a frame is, in processor time: its guards, each of which parses the
 * whole frame with a Zod schema, in the order in which a request and its result pass them on 2026-07-28 over standard input and
 * output (server 2.4.0), beside a look at the members that tell the kinds apart. See docs/sdk-cost.md.
 * Run: node tools/bench/sdk-cost.mjs [rounds]
 */
import {
  isJSONRPCErrorResponse,
  isJSONRPCNotification,
  isJSONRPCRequest,
  isJSONRPCResultResponse,
} from '@modelcontextprotocol/server';
import { median } from './figure.mjs';

const rounds = Number(process.argv[2] ?? 9);
const perRound = 4_000;

const request = {
  jsonrpc: '2.0',
  id: 7,
  method: 'tools/call',
  params: {
    name: 'delete',
    arguments: { title: 'TPS report' },
    _meta: {
      'io.modelcontextprotocol/protocolVersion': '2026-07-28',
      'io.modelcontextprotocol/clientInfo': { name: 'bench', version: '1.0.0' },
      'io.modelcontextprotocol/clientCapabilities': { elicitation: { form: {} } },
    },
  },
};
const result = {
  jsonrpc: '2.0',
  id: 7,
  result: { resultType: 'complete', content: [{ type: 'text', text: 'Deleted.' }] },
};

// processMessage, tryServeListen (twice), deliver, then onmessage asks for each kind until one fits.
const inbound = [
  isJSONRPCRequest,
  isJSONRPCRequest,
  isJSONRPCNotification,
  isJSONRPCRequest,
  isJSONRPCResultResponse,
  isJSONRPCErrorResponse,
  isJSONRPCRequest,
];
// send, then the intercept of notifications.
const outbound = [isJSONRPCResultResponse, isJSONRPCNotification];
const guards = () => inbound.filter(is => is(request)).length + outbound.filter(is => is(result)).length;

const kindOf = message => ('method' in message ? ('id' in message ? 'request' : 'notification') : 'response');
const members = () =>
  inbound.filter(() => kindOf(request) === 'request').length +
  outbound.filter(() => kindOf(result) === 'response').length;

function microseconds(work) {
  const before = process.cpuUsage();
  for (let each = 0; each < perRound; each += 1) work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / perRound;
}

const taken = { guards: [], members: [] };
for (let round = -1; round < rounds; round += 1) {
  for (const [name, work] of Object.entries({ guards, members })) {
    const each = microseconds(work);
    if (round >= 0) taken[name].push(each);
  }
}
console.log(`CPU for one request and its result; ${rounds} rounds; node ${process.version}`);
for (const [name, values] of Object.entries(taken)) {
  const range = `${Math.min(...values).toFixed(1)} to ${Math.max(...values).toFixed(1)}`;
  console.log(`  ${name.padEnd(8)} ${median(values).toFixed(1)} µs (${range})`);
}
