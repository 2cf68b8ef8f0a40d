/**
 * A server on standard input and output on the plain SDK, of the revision it is told: one tool for each kind of question, which
 * says what came back.
 */
import { McpServer } from '@modelcontextprotocol/server';
import { serveStdio } from '@modelcontextprotocol/server/stdio';

const [revision] = process.argv.slice(2);
const requests = {
  form: {
    method: 'elicitation/create',
    params: {
      mode: 'form',
      message: 'Which colour?',
      requestedSchema: { type: 'object', properties: { colour: { type: 'string' } }, required: ['colour'] },
    },
  },
  page: {
    method: 'elicitation/create',
    params: { mode: 'url', message: 'Sign in there', url: 'https://example.org/page' },
  },
  sampling: {
    method: 'sampling/createMessage',
    params: { messages: [{ role: 'user', content: { type: 'text', text: 'Hello' } }], maxTokens: 100 },
  },
  roots: { method: 'roots/list', params: {} },
};
const says = value => ({ content: [{ type: 'text', text: JSON.stringify(value) }] });

serveStdio(() => {
  const server = new McpServer({ name: 'process', version: '1.0.0' });
  for (const [name, { method, params }] of Object.entries(requests)) {
    server.registerTool(name, {}, async ({ mcpReq }) => {
      if (revision === '2025-11-25') {
        const elicitationId = name === 'page' ? { elicitationId: 'e-1' } : {};
        return says(await mcpReq.send({ method, params: { ...params, ...elicitationId } }));
      }
      const asked = mcpReq.inputResponses?.asked;
      if (asked) return says(asked);
      return { resultType: 'input_required', inputRequests: { asked: { method, params } }, requestState: 's' };
    });
  }
  return server;
});
