/**
 * The client the official conformance suite tests: an SDK client with our host library behind it and a person who accepts
 * every form as it stands. The suite names the scenario in the environment and appends the server's URL; without a
 * scenario it connects, says who is there and lists the tools.
 */

import { attach, Inbox, type Presenter } from '@midcall/host';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { signedIn } from './sign-in.ts';

const url = process.argv.at(-1) ?? '';
const scenario = process.env['MCP_CONFORMANCE_SCENARIO'] ?? '';
const version = process.env['MCP_CONFORMANCE_PROTOCOL_VERSION'];
const context = JSON.parse(process.env['MCP_CONFORMANCE_CONTEXT'] ?? '{}') as {
  readonly client_id?: string;
  readonly client_secret?: string;
  readonly toolCalls?: readonly { readonly name: string; readonly arguments?: Record<string, unknown> }[];
};

// The suite's servers close a connection that was not used for five seconds. On a busy machine a request may meet that moment.
const { fetch } = globalThis;
globalThis.fetch = (input, init) => {
  const request = new Request(input, init);
  request.headers.set('connection', 'close');
  return fetch(request);
};

/** Accepts every form with its defaults, as a person does who presses the button. */
const agreeable: Presenter = {
  via: 'conformance',
  show(question, { reply }) {
    if (question.kind !== 'form') return void reply({ action: 'decline' });
    const filled = question.fields.flatMap(field => (field.default === undefined ? [] : [[field.name, field.default]]));
    void reply({ action: 'accept', content: Object.fromEntries(filled) });
  },
};

function connected(): { client: Client; connect: () => Promise<void> } {
  const client = new Client(
    { name: 'midcall-conformance', version: '1.0.0' },
    { versionNegotiation: { mode: version === '2025-11-25' ? 'legacy' : 'auto' } },
  );
  const inbox = new Inbox();
  inbox.present(agreeable);
  attach(client, { server: { id: 'conformance', origin: url }, inbox });
  return { client, connect: () => client.connect(new StreamableHTTPClientTransport(new URL(url))) };
}

if (scenario.startsWith('auth/')) {
  await signedIn(url, scenario, version, context);
  process.exit(0);
}

const { client, connect } = connected();
await connect();

const call = (name: string, args: Record<string, unknown> = {}) => client.callTool({ name, arguments: args });
const scenarios: Readonly<Record<string, () => Promise<unknown>>> = {
  initialize: () => client.listTools(),
  tools_call: async () => {
    await client.listTools();
    return call('add_numbers', { a: 5, b: 3 });
  },
  'elicitation-sep1034-client-defaults': () => call('test_client_elicitation_defaults'),
  'sse-retry': () => call('test_reconnection'),
  'request-metadata': () => client.listTools(),
  async 'sep-2322-client-request-state'() {
    await client.listTools();
    for (const name of [
      'test_mrtr_echo_state',
      'test_mrtr_no_state',
      'test_mrtr_unrelated',
      'test_mrtr_no_result_type',
    ])
      await call(name);
  },
  async 'http-standard-headers'() {
    const { tools } = await client.listTools();
    for (const { name } of tools) await call(name);
    const { resources } = await client.listResources();
    for (const { uri } of resources) await client.readResource({ uri });
    const { prompts } = await client.listPrompts();
    for (const { name } of prompts) await client.getPrompt({ name });
  },
  async 'http-custom-headers'() {
    await client.listTools();
    for (const each of context.toolCalls ?? []) await call(each.name, each.arguments);
  },
  async 'http-invalid-tool-headers'() {
    const { tools } = await client.listTools();
    for (const { name } of tools) await call(name, { region: 'us-east1' });
  },
  'json-schema-ref-no-deref': () => client.listTools(),
  async 'json-schema-2020-12-preservation'() {
    const { tools } = await client.listTools();
    const schema = tools.find(tool => tool.name === 'json_schema_2020_12_tool')?.inputSchema;
    return call('json_schema_echo', { schema });
  },
};

if (scenario === '') {
  const { tools } = await client.listTools();
  console.log(`${client.getServerVersion()?.name} speaks ${client.getNegotiatedProtocolVersion()}`);
  for (const { name, description = '' } of tools) console.log(`  ${name}  ${description}`);
} else {
  const run = scenarios[scenario];
  if (!run) throw new Error(`There is nothing to do for '${scenario}'.`);
  await run();
}
await client.close();
