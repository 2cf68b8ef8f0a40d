/** The part of the fixture that asks nobody anything: plain tools, prompts and resources of the SDK. */
import {
  type CallToolResult,
  completable,
  fromJsonSchema,
  type McpServer,
  ResourceTemplate,
  type ServerContext,
  type ServerNotifier,
} from '@modelcontextprotocol/server';
import { z } from 'zod';

const png = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
const wav = 'UklGRiQAAABXQVZFZm10IBAAAAABAAEAQB8AAEAfAAABAAgAZGF0YQAAAAA=';

export const words = (text: string): CallToolResult => ({ content: [{ type: 'text', text }] });
const image = { type: 'image', data: png, mimeType: 'image/png' } as const;
const audio = { type: 'audio', data: wav, mimeType: 'audio/wav' } as const;
const embedded = (uri: string, mimeType: string, text: string) =>
  ({ type: 'resource', resource: { uri, mimeType, text } }) as const;
const between = () => new Promise(resolve => setTimeout(resolve, 50));

/** @param notify - tells 2026-07-28 clients that listen, whichever server served them */
export function registerPlain(server: McpServer, notify: () => ServerNotifier): void {
  const tool = (
    name: string,
    description: string,
    run: (ctx: ServerContext) => CallToolResult | Promise<CallToolResult>,
  ) => server.registerTool(name, { description }, run);

  tool('test_simple_text', 'Answers with text.', () => words('This is a simple text response for testing.'));
  tool('test_image_content', 'Answers with an image.', () => ({ content: [image] }));
  tool('test_audio_content', 'Answers with sound.', () => ({ content: [audio] }));
  tool('test_embedded_resource', 'Answers with a resource.', () => ({
    content: [embedded('test://embedded-resource', 'text/plain', 'This is an embedded resource content.')],
  }));
  tool('test_multiple_content_types', 'Answers with one of each.', () => ({
    content: [
      { type: 'text', text: 'Multiple content types test:' },
      image,
      embedded('test://mixed-content-resource', 'application/json', '{"test":"data","value":123}'),
    ],
  }));
  tool('test_error_handling', 'Fails.', () => {
    throw new Error('This tool intentionally returns an error for testing');
  });
  tool('test_tool_with_progress', 'Tells how far it is.', async ctx => {
    const progressToken = ctx.mcpReq._meta?.progressToken;
    for (const progress of [0, 50, 100]) {
      if (progressToken !== undefined)
        await ctx.mcpReq.notify({ method: 'notifications/progress', params: { progressToken, progress, total: 100 } });
      await between();
    }
    return words(String(progressToken));
  });
  tool('test_tool_with_logging', 'Logs what it does.', async ctx => {
    for (const line of ['Tool execution started', 'Tool processing data', 'Tool execution completed']) {
      await ctx.mcpReq.log('info', line);
      await between();
    }
    return words('Logged.');
  });
  tool('test_logging_tool', 'Logs where the client wants to hear it.', async ctx => {
    await ctx.mcpReq.log('info', 'A line of the log.');
    return words('Logged.');
  });
  tool('test_streaming_elicitation', 'Answers without asking.', () => words('Nothing was asked.'));
  tool('test_trigger_tool_change', 'Says that the tools have changed.', () => {
    notify().toolsChanged();
    return words('Told.');
  });
  tool('test_trigger_prompt_change', 'Says that the prompts have changed.', () => {
    notify().promptsChanged();
    return words('Told.');
  });
  server.registerTool(
    'json_schema_2020_12_tool',
    {
      description: 'Has a schema with the keywords of JSON Schema 2020-12.',
      inputSchema: fromJsonSchema({
        $schema: 'https://json-schema.org/draft/2020-12/schema',
        type: 'object',
        $defs: {
          address: {
            $anchor: 'addressDef',
            type: 'object',
            properties: { street: { type: 'string' }, city: { type: 'string' } },
          },
        },
        properties: {
          name: { type: 'string' },
          address: { $ref: '#/$defs/address' },
          contactMethod: { type: 'string', enum: ['phone', 'email'] },
          phone: { type: 'string' },
          email: { type: 'string' },
        },
        allOf: [{ anyOf: [{ required: ['phone'] }, { required: ['email'] }] }],
        if: { properties: { contactMethod: { const: 'phone' } }, required: ['contactMethod'] },
        // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
        then: { required: ['phone'] },
        else: { required: ['email'] },
        additionalProperties: false,
      }),
    },
    () => words('Fits.'),
  );
  server.registerTool(
    'test_x_mcp_header',
    {
      description: 'Has an argument that is repeated in a header.',
      inputSchema: fromJsonSchema({
        type: 'object',
        properties: { region: { type: 'string', ...{ 'x-mcp-header': 'Region' } } },
      }),
    },
    () => words('Repeated.'),
  );
  registerPrompts(server);
  registerResources(server);
}

function registerPrompts(server: McpServer): void {
  const said = (
    ...content: readonly ({ type: 'text'; text: string } | typeof image | ReturnType<typeof embedded>)[]
  ) => ({
    messages: content.map(each => ({ role: 'user' as const, content: each })),
  });
  const text = (line: string) => ({ type: 'text' as const, text: line });
  server.registerPrompt('test_simple_prompt', { description: 'One line.' }, () =>
    said(text('This is a simple prompt for testing.')),
  );
  server.registerPrompt(
    'test_prompt_with_arguments',
    {
      description: 'Repeats its arguments.',
      argsSchema: z.object({
        arg1: completable(z.string(), value => ['test', 'testing'].filter(each => each.startsWith(value))),
        arg2: z.string(),
      }),
    },
    ({ arg1, arg2 }) => said(text(`Prompt with arguments: arg1='${arg1}', arg2='${arg2}'`)),
  );
  server.registerPrompt(
    'test_prompt_with_embedded_resource',
    { description: 'Holds a resource.', argsSchema: z.object({ resourceUri: z.string() }) },
    ({ resourceUri }) =>
      said(
        embedded(resourceUri, 'text/plain', 'Embedded resource content for testing.'),
        text('Please process the embedded resource above.'),
      ),
  );
  server.registerPrompt('test_prompt_with_image', { description: 'Holds an image.' }, () =>
    said(image, text('Please analyze the image above.')),
  );
}

function registerResources(server: McpServer): void {
  const resource = (name: string, mimeType: string, content: { text: string } | { blob: string }) =>
    server.registerResource(name, `test://${name}`, { description: `A ${mimeType} resource.`, mimeType }, uri => ({
      contents: [{ uri: uri.href, mimeType, ...content }],
    }));
  resource('static-text', 'text/plain', { text: 'This is the content of the static text resource.' });
  resource('static-binary', 'image/png', { blob: png });
  resource('watched-resource', 'text/plain', { text: 'Watched.' });
  server.registerResource(
    'template',
    new ResourceTemplate('test://template/{id}/data', { list: undefined }),
    { description: 'Data by id.', mimeType: 'application/json' },
    (uri, { id }) => {
      const text = JSON.stringify({ id, templateTest: true, data: `Data for ID: ${id}` });
      return { contents: [{ uri: uri.href, mimeType: 'application/json', text }] };
    },
  );
  server.server.setRequestHandler('resources/subscribe', () => ({}));
  server.server.setRequestHandler('resources/unsubscribe', () => ({}));
}
