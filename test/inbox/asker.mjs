/**
 * A server that asks what its caller wants it to ask, and writes down what it gets: one JSON line for each answer and for each call that
 * changes something. In both eras.
 * Usage: asker.mjs LOG
 */
import { appendFileSync } from 'node:fs';
import { inputRequired, McpServer } from '@modelcontextprotocol/server';
import { serveStdio } from '@modelcontextprotocol/server/stdio';

const log = process.argv[2];
const note = entry => appendFileSync(log, `${JSON.stringify(entry)}\n`);
const anything = { '~standard': { version: 1, vendor: 'any', validate: value => ({ value }) } };
const inputSchema = {
  '~standard': {
    ...anything['~standard'],
    jsonSchema: { input: () => ({ type: 'object' }), output: () => ({ type: 'object' }) },
  },
};
const said = value => ({ content: [{ type: 'text', text: JSON.stringify(value) }] });
const asks = ({ message = 'Which colour?' }) => ({
  method: 'elicitation/create',
  params: {
    mode: 'form',
    message,
    requestedSchema: { type: 'object', properties: { colour: { type: 'string' } }, required: ['colour'] },
  },
});

function build({ era } = {}) {
  const server = new McpServer({ name: 'asker', version: '1.0.0' }, { capabilities: { tools: {} } });
  const ask = async (args, ctx) => {
    const { n } = args;
    if (era === 'modern') {
      const answer = ctx.mcpReq.inputResponses?.['q'];
      if (!answer) return inputRequired({ inputRequests: { q: asks(args) } });
      note({ n, answer });
      return said(answer);
    }
    const answer = await ctx.mcpReq.send(asks(args), anything, { timeout: 2 ** 31 - 1 });
    note({ n, answer });
    return said(answer);
  };
  server.registerTool('ask', { inputSchema }, ask);
  server.registerTool('<img src=x onerror=alert(1)>\u202e', { inputSchema }, ask);
  server.registerTool('erase', { inputSchema, annotations: { destructiveHint: true } }, async ({ name }) => {
    note({ erased: name });
    return said(`erased ${name}`);
  });
  return server;
}

serveStdio(build);
