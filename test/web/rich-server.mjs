/** A stdio server whose tools bring results of every kind, and whose names and texts are long, wide, foreign and right to left. */
import { createInterface } from 'node:readline';

const unbroken = 'anidentifierthatnobodywouldbreak_'.repeat(5);
const rows = Array.from({ length: 6 }, (_, at) => ({
  note_id: `note-4x4fndz${at}`,
  title: 'TPS report',
  folder: 'work/2025',
  date: '2025-06-11',
  path: 'work/2025/a-longer-name-than-most-of-them.md',
  excerpt: 'Runs: 60. Failed: 0. Keep this one: it is the baseline for the migration, and everybody asks for it.',
}));
const picture = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==';
// A hundredth of a second of silence.
const sound =
  'UklGRnQAAABXQVZFZm10IBAAAAABAAEAQB8AAEAfAAABAAgAZGF0YVAAAACAgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgA==';
const markdown = `# Totals

Both **halves** with \`code\`, a [link](https://example.com/a/b) and ${unbroken}.

| Region | First half | Second half | What was said about it at the meeting |
|---|---:|---:|---|
| North | 1,200 | 1,340 | Steady, as in every year since the new people came. |
| South | 80 | ${'9'.repeat(40)} | ${unbroken} |

> Quoted by somebody else.

1. First
2. Second
   - below it

\`\`\`sh
midcall desk --config mcp.json --root ~/notes --root ~/work/a/very/long/path/that/does/not/end/soon
\`\`\``;
const arabic = 'تم حذف التقرير. يمكن استعادته لاحقًا من سلة المحذوفات.';

const text = each => ({ type: 'text', text: each });
const results = {
  report: { content: [text(markdown)] },
  table: {
    content: [text('6 notes found.')],
    structuredContent: { total: 6, notes: rows, more: null, [unbroken]: unbroken },
  },
  media: {
    content: [
      { type: 'image', mimeType: 'image/png', data: picture },
      { type: 'audio', mimeType: 'audio/wav', data: sound },
      {
        type: 'resource_link',
        uri: `things://${unbroken}`,
        name: 'One of the things',
        description: 'As it was last seen.',
      },
      { type: 'resource', resource: { uri: 'things://two', text: 'Second thing.' } },
      { type: 'hologram', depth: 3 },
    ],
  },
  arabic: { content: [text(arabic)], structuredContent: { النتيجة: arabic, العدد: 1 } },
  nothing: { content: [] },
};
const described = {
  report: 'A report in Markdown, with a table that is wider than a phone.',
  table: 'Rows with many columns.',
  media: 'A picture, a sound, a link to a resource, a resource and something of no known kind.',
  arabic: 'حذف تقرير واحد من الملاحظات، مع إمكانية استعادته.',
  nothing: 'Brings nothing.',
};
const schema = {
  type: 'object',
  required: ['title'],
  properties: {
    title: { type: 'string', description: 'The title. '.repeat(12) },
    labels: { type: 'array', items: { type: 'string' } },
    parts: {
      type: 'array',
      items: { type: 'object', properties: { name: { type: 'string' }, [unbroken]: { type: 'integer' } } },
    },
    [unbroken]: { type: 'string', description: unbroken },
  },
};
const tools = [
  ...Object.entries(described).map(([name, description]) => ({
    name,
    description,
    inputSchema: { type: 'object', properties: {} },
    annotations: { readOnlyHint: true },
  })),
  {
    name: 'a_tool_whose_name_has_as_many_letters_as_the_protocol_lets_it_have_and_then_some_more_of_them',
    description: `${unbroken} ${'It says a lot, of which little matters. '.repeat(20)}`,
    inputSchema: schema,
    annotations: { destructiveHint: true, idempotentHint: true, openWorldHint: true },
  },
];

const prompts = ['draft', 'review', 'publish', 'retract'].map(name => ({
  name,
  description: `Helps to ${name} a note.`,
}));
const resources = ['spring', 'summer', 'autumn', 'winter'].map(name => ({
  uri: `things://${name}`,
  name: `Notes of ${name}`,
}));

const send = message => process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
process.stderr.write(`Starting.\n${unbroken}${unbroken}\n`);
for await (const line of createInterface({ input: process.stdin })) {
  const { id, method, params } = JSON.parse(line);
  if (id === undefined) continue;
  const serverInfo = { name: 'rich', version: '1.0.0-next.20261123', title: 'A server with results of every kind' };
  const capabilities = { tools: {}, prompts: {}, resources: {}, logging: {} };
  if (method === 'initialize') send({ id, result: { protocolVersion: '2025-11-25', capabilities, serverInfo } });
  else if (method === 'tools/list') send({ id, result: { tools } });
  else if (method === 'prompts/list') send({ id, result: { prompts } });
  else if (method === 'resources/list') send({ id, result: { resources } });
  else if (method === 'resources/templates/list') send({ id, result: { resourceTemplates: [] } });
  else if (method === 'logging/setLevel') send({ id, result: {} });
  else if (method === 'tools/call' && results[params.name]) {
    const data = { said: unbroken, at: params.name };
    send({ method: 'notifications/message', params: { level: 'warning', logger: 'rich', data } });
    send({ id, result: results[params.name] });
  } else if (method === 'tools/call')
    send({ id, result: { isError: true, content: [text(`It failed: ${unbroken}`)] } });
  else send({ id, error: { code: -32601, message: `There is no ${method}.` } });
}
