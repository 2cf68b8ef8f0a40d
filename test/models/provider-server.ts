/** A loopback server that speaks the two chat APIs most providers speak, with replies a test scripts. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

/** One request a provider's package made. */
export interface Received {
  readonly path: string;
  readonly headers: IncomingMessage['headers'];
  // biome-ignore lint/suspicious/noExplicitAny: the body of a foreign API, asserted on member by member
  readonly body: any;
}

export type Respond = (response: ServerResponse, received: Received) => void;

export interface ProviderServer extends AsyncDisposable {
  readonly url: string;
  readonly received: Received[];
  /** What the next requests get; the last one stays. */
  respond(...responses: Respond[]): void;
  /** Resolves when the peer has closed the connection of a request that was under way. */
  readonly hungUp: Promise<void>;
}

export async function providerServer(): Promise<ProviderServer> {
  const received: Received[] = [];
  let queue: Respond[] = [];
  let tellHungUp = (): void => {};
  const hungUp = new Promise<void>(resolve => {
    tellHungUp = resolve;
  });
  const server = createServer(async (request, response) => {
    response.on('close', () => response.writableFinished || tellHungUp());
    const one: Received = { path: request.url ?? '', headers: request.headers, body: JSON.parse(await text(request)) };
    received.push(one);
    const respond = queue.length > 1 ? queue.shift()! : queue[0]!;
    respond(response, one);
  });
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    received,
    respond: (...responses) => {
      queue = responses;
    },
    hungUp,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise(resolve => server.close(resolve));
    },
  };
}

export const json =
  (body: unknown, status = 200, headers: Record<string, string> = {}): Respond =>
  response =>
    response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body));

const begin = (response: ServerResponse): ServerResponse =>
  response.writeHead(200, { 'content-type': 'text/event-stream' });

/** A whole stream of events. */
export const events =
  (...parts: readonly string[]): Respond =>
  response =>
    begin(response).end(parts.join(''));

/** A stream whose connection is cut after some events. */
export const cutEvents =
  (...parts: readonly string[]): Respond =>
  response => {
    begin(response).write(parts.join(''), () => response.destroy());
  };

/** A stream that says something and then nothing more; `begun` is called once the first part has left. */
export const stalledEvents =
  (begun: () => void, ...parts: readonly string[]): Respond =>
  response => {
    begin(response).write(parts.join(''), begun);
  };

interface Use {
  readonly id: string;
  readonly name: string;
  readonly input: string;
}

/** The OpenAI chat completions API. */
export const openai = {
  reply: (content: string | null, finish_reason: string, uses: readonly Use[] = []) => ({
    id: 'chatcmpl-1',
    object: 'chat.completion',
    created: 1,
    model: 'local-1-0814',
    choices: [
      {
        index: 0,
        finish_reason,
        message: {
          role: 'assistant',
          content,
          ...(uses.length > 0 && {
            tool_calls: uses.map(({ id, name, input }) => ({
              id,
              type: 'function',
              function: { name, arguments: input },
            })),
          }),
        },
      },
    ],
    usage: { prompt_tokens: 11, completion_tokens: 5, total_tokens: 16 },
  }),
  delta: (delta: object, finish_reason: string | null = null): string =>
    `data: ${JSON.stringify({ id: 'chatcmpl-1', object: 'chat.completion.chunk', created: 1, model: 'local-1-0814', choices: [{ index: 0, delta, finish_reason }] })}\n\n`,
  usage: `data: ${JSON.stringify({ id: 'chatcmpl-1', object: 'chat.completion.chunk', created: 1, model: 'local-1-0814', choices: [], usage: { prompt_tokens: 11, completion_tokens: 5, total_tokens: 16 } })}\n\n`,
  done: 'data: [DONE]\n\n',
};

/** The Anthropic messages API. */
export const anthropic = {
  reply: (content: readonly object[], stop_reason: string, stop_sequence: string | null = null) => ({
    id: 'msg_1',
    type: 'message',
    role: 'assistant',
    model: 'claude-test-20260101',
    content,
    stop_reason,
    stop_sequence,
    usage: { input_tokens: 11, output_tokens: 5 },
  }),
  event: (type: string, more: object = {}): string => `event: ${type}\ndata: ${JSON.stringify({ type, ...more })}\n\n`,
  start: (): string =>
    anthropic.event('message_start', {
      message: { ...anthropic.reply([], ''), stop_reason: null, usage: { input_tokens: 11, output_tokens: 1 } },
    }),
  text: (index: number, ...parts: readonly string[]): string =>
    anthropic.event('content_block_start', { index, content_block: { type: 'text', text: '' } }) +
    parts.map(text => anthropic.event('content_block_delta', { index, delta: { type: 'text_delta', text } })).join('') +
    anthropic.event('content_block_stop', { index }),
  use: (index: number, { id, name, input }: Use): string =>
    anthropic.event('content_block_start', { index, content_block: { type: 'tool_use', id, name, input: {} } }) +
    anthropic.event('content_block_delta', { index, delta: { type: 'input_json_delta', partial_json: input } }) +
    anthropic.event('content_block_stop', { index }),
  stop: (stop_reason: string, stop_sequence: string | null = null): string =>
    anthropic.event('message_delta', { delta: { stop_reason, stop_sequence }, usage: { output_tokens: 5 } }) +
    anthropic.event('message_stop'),
};
