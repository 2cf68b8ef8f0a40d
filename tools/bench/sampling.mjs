/**
 * A tool loop of five requests to the model through `call.sampleWithTools`, beside the same loop written by hand on the
 * SDK: on 2025-11-25 with `requestSampling`, on 2026-07-28 with `inputRequired` and the SDK's signed state codec bound to
 * method and arguments. Client, server and model share this process. Interleaved rounds, medians.
 * Target: at least 0.95 of the calls per second with a model that takes 20 ms for a reply, which is ten times faster than
 * hosted ones are. With one that answers at once, what is left is the price of checking both ways, of the journal, and of
 * steps that run once; the loop by hand has none of these. CPU per call is given for both.
 * Run after `npm run build`: node tools/bench/sampling.mjs [rounds] [calls per round]
 */
import { createHash, randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { samplingTool } from '@midcall/core/sampling';
import { midcall } from '@midcall/server';
import { Client } from '@modelcontextprotocol/client';
import { createRequestStateCodec, InMemoryTransport, inputRequired, McpServer } from '@modelcontextprotocol/server';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import { z } from 'zod';

const rounds = Number(process.argv[2] ?? 11);
const most = Number(process.argv[3] ?? 300);
const iterations = 5;

const input = z.object({ a: z.number(), b: z.number() });
const definition = { name: 'add', description: 'Adds two numbers.', inputSchema: z.toJSONSchema(input) };
const question = { messages: [{ role: 'user', content: { type: 'text', text: 'Add them all up.' } }], maxTokens: 200 };

const ours = () => {
  const mid = midcall({ sampling: { askWhereDeprecated: true }, warn: () => {} });
  const { name, description } = definition;
  const add = samplingTool({ name, description, input, run: ({ a, b }) => String(a + b) });
  return () => {
    const server = new McpServer({ name: 'ours', version: '1.0.0' });
    mid.tool(server, 'add_up', { inputSchema: z.object({}) }, async (_, call) => {
      const { result } = await call.sampleWithTools({ ...question, tools: [add], maxIterations: iterations });
      return { content: [{ type: 'text', text: result.content.text }] };
    });
    return server;
  };
};

/** What both hand-written loops share: the next request for a history, and the results of a reply's tools. */
const requestFor = (messages, sent) => ({
  ...question,
  messages,
  tools: [definition],
  toolChoice: { mode: sent + 1 >= iterations ? 'none' : 'auto' },
});
const blocksOf = reply => (Array.isArray(reply.content) ? reply.content : [reply.content]);
const usesOf = reply => blocksOf(reply).filter(block => block.type === 'tool_use');
const resultOf = use => {
  const checked = input.safeParse(use.input);
  const text = checked.success ? String(checked.data.a + checked.data.b) : 'These arguments do not fit.';
  const content = [{ type: 'text', text }];
  return { type: 'tool_result', toolUseId: use.id, content, ...(!checked.success && { isError: true }) };
};
const grown = (messages, reply) => [
  ...messages,
  { role: 'assistant', content: reply.content },
  { role: 'user', content: usesOf(reply).map(resultOf) },
];
const said = reply => ({ content: [{ type: 'text', text: blocksOf(reply)[0].text }] });

const pushedByHand = () => () => {
  const server = new McpServer({ name: 'by-hand', version: '1.0.0' });
  server.registerTool('add_up', { inputSchema: z.object({}) }, async (_, ctx) => {
    let messages = question.messages;
    for (let sent = 0; sent < iterations; sent++) {
      const reply = await ctx.mcpReq.requestSampling(requestFor(messages, sent));
      if (usesOf(reply).length === 0) return said(reply);
      messages = grown(messages, reply);
    }
    throw new Error('The model never finished.');
  });
  return server;
};

const inRoundsByHand = () => {
  const codec = createRequestStateCodec({
    key: randomBytes(32),
    bind: ctx =>
      createHash('sha256')
        .update(JSON.stringify([ctx.mcpReq.method, 'add_up', {}]))
        .digest('base64url'),
  });
  return () => {
    const server = new McpServer({ name: 'by-hand', version: '1.0.0' }, { requestState: { verify: codec.verify } });
    server.registerTool('add_up', { inputSchema: z.object({}) }, async (_, ctx) => {
      let { messages, sent } = ctx.mcpReq.requestState() ?? { messages: question.messages, sent: 0 };
      if (sent > 0) {
        const reply = ctx.mcpReq.inputResponses.sample;
        if (usesOf(reply).length === 0) return said(reply);
        if (sent >= iterations) throw new Error('The model never finished.');
        messages = grown(messages, reply);
      }
      const params = requestFor(messages, sent);
      return inputRequired({
        inputRequests: { sample: { method: 'sampling/createMessage', params } },
        requestState: await codec.mint({ messages, sent: sent + 1 }, ctx),
      });
    });
    return server;
  };
};

/** A model that uses the tool until it may not. */
const model = ({ params }) =>
  params.toolChoice?.mode === 'none'
    ? { role: 'assistant', content: { type: 'text', text: 'Ten.' }, model: 'bench', stopReason: 'endTurn' }
    : {
        role: 'assistant',
        content: [{ type: 'tool_use', id: `use-${params.messages.length}`, name: 'add', input: { a: 1, b: 2 } }],
        model: 'bench',
        stopReason: 'toolUse',
      };

async function connect(factory, era, replyMs) {
  const [near, far] = InMemoryTransport.createLinkedPair();
  serveStdio(factory, { transport: far });
  const mode = era === '2025-11-25' ? 'legacy' : { pin: era };
  const client = new Client(
    { name: 'bench', version: '1.0.0' },
    { capabilities: { sampling: { tools: {} } }, versionNegotiation: { mode } },
  );
  let asked = 0;
  client.setRequestHandler('sampling/createMessage', async request => {
    asked++;
    if (replyMs > 0) await sleep(replyMs);
    return model(request);
  });
  await client.connect(near);
  return {
    async call() {
      asked = 0;
      const result = await client.callTool({ name: 'add_up', arguments: {} });
      if (result.content[0].text !== 'Ten.' || asked !== iterations) throw new Error(JSON.stringify([asked, result]));
    },
    close: () => client.close(),
  };
}

const median = values => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)];

async function measure({ call }, calls) {
  const cpu = process.cpuUsage();
  const begun = performance.now();
  for (let n = 0; n < calls; n++) await call();
  const seconds = (performance.now() - begun) / 1000;
  const { user, system } = process.cpuUsage(cpu);
  return { rate: calls / seconds, cpuMs: (user + system) / 1000 / calls };
}

for (const [era, byHand, replyMs] of [
  ['2025-11-25', pushedByHand, 0],
  ['2026-07-28', inRoundsByHand, 0],
  ['2025-11-25', pushedByHand, 20],
  ['2026-07-28', inRoundsByHand, 20],
]) {
  const calls = replyMs > 0 ? Math.ceil(most / 20) : most;
  const sides = { midcall: await connect(ours(), era, replyMs), sdk: await connect(byHand(), era, replyMs) };
  for (const side of Object.values(sides)) await measure(side, calls);
  const seen = { midcall: [], sdk: [] };
  for (let round = 0; round < rounds; round++) {
    const order = round % 2 === 0 ? ['midcall', 'sdk'] : ['sdk', 'midcall'];
    for (const name of order) seen[name].push(await measure(sides[name], calls));
  }
  const of = (name, what) => median(seen[name].map(each => each[what]));
  const ratio = median(seen.midcall.map((each, round) => each.rate / seen.sdk[round].rate));
  const cpu = median(seen.midcall.map((each, round) => each.cpuMs / seen.sdk[round].cpuMs));
  console.log(
    `${era}, a reply in ${replyMs} ms: midcall ${of('midcall', 'rate').toFixed(1)} calls/s, ` +
      `${of('midcall', 'cpuMs').toFixed(2)} ms CPU per call; by hand ${of('sdk', 'rate').toFixed(1)} calls/s, ` +
      `${of('sdk', 'cpuMs').toFixed(2)} ms CPU; calls per second x ${ratio.toFixed(2)}, CPU x ${cpu.toFixed(2)}`,
  );
  for (const side of Object.values(sides)) await side.close();
}
process.exit(0);
