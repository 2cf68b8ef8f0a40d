/** The Claude API as far as a scripted model needs it: it books a table, and repeats what the tool told it. */
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';

interface Block {
  readonly type: string;
  readonly text?: string;
  readonly content?: string | readonly Block[];
}

/** @returns its address on this machine, and how to close it */
export async function openMessagesApi(): Promise<{ readonly url: string; readonly close: () => void }> {
  const server = createServer(async (request, response) => {
    if (request.method !== 'POST' || !/^\/v1\/messages(\?|$)/.test(request.url ?? '')) {
      response.writeHead(404).end();
      return;
    }
    const { model, messages } = (await json(request)) as Given;
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    for (const event of events(model, said(messages.at(-1)!.content)))
      response.write(`event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`);
    response.end();
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as AddressInfo;
  const close = () => {
    server.close();
    server.closeAllConnections();
  };
  return { url: `http://127.0.0.1:${port}`, close };
}

interface Given {
  readonly model: string;
  readonly messages: readonly { readonly content: string | readonly Block[] }[];
}

/** What the agent adds for the model is in elements of its own. */
const toolText = (result: Block) =>
  (typeof result.content === 'string' ? result.content : (result.content ?? []).map(({ text }) => text ?? '').join(''))
    .replaceAll(/<system-reminder>.*?<\/system-reminder>/gs, '')
    .trim();

function said(content: string | readonly Block[]) {
  const result = typeof content === 'string' ? undefined : content.find(({ type }) => type === 'tool_result');
  if (result) return { type: 'text', text: `The restaurant says: ${toolText(result)}` } as const;
  const id = `toolu_${randomUUID().replaceAll('-', '')}`;
  return { type: 'tool_use', id, name: 'mcp__tables__table_book', input: { guests: 4 } } as const;
}

function events(model: string, block: ReturnType<typeof said>) {
  const start = {
    id: `msg_${randomUUID()}`,
    type: 'message',
    role: 'assistant',
    model,
    content: [],
    stop_reason: null,
  };
  const usage = { input_tokens: 1, output_tokens: 1 };
  const isText = block.type === 'text';
  return [
    { type: 'message_start', message: { ...start, stop_sequence: null, usage } },
    { type: 'content_block_start', index: 0, content_block: isText ? { ...block, text: '' } : { ...block, input: {} } },
    {
      type: 'content_block_delta',
      index: 0,
      delta: isText
        ? { type: 'text_delta', text: block.text }
        : { type: 'input_json_delta', partial_json: JSON.stringify(block.input) },
    },
    { type: 'content_block_stop', index: 0 },
    { type: 'message_delta', delta: { stop_reason: isText ? 'end_turn' : 'tool_use', stop_sequence: null }, usage },
    { type: 'message_stop' },
  ];
}
