/**
 * A client that is nothing but its frames, in this process and in both eras: it declares what a test says, answers a
 * server's questions with whatever a test says, right or wrong, and keeps everything that crossed.
 */

import type { Era } from '@midcall/testing';
import { InMemoryTransport, type JSONRPCMessage, type McpServerFactory } from '@modelcontextprotocol/server';
import { serveStdio } from '@modelcontextprotocol/server/stdio';

export type Params = Readonly<Record<string, unknown>>;

/** An input request of 2026-07-28, or a request of 2025-11-25. */
export interface Question {
  readonly method: string;
  readonly params?: Params;
  readonly id?: unknown;
  readonly jsonrpc?: string;
}

export interface Frame extends Partial<Question> {
  readonly result?: Params & { readonly content?: readonly { readonly text: string }[]; readonly isError?: boolean };
  readonly error?: { readonly code: number; readonly message: string };
}

export interface WireClient extends AsyncDisposable {
  /** Every question of the server, as it crossed. */
  readonly questions: readonly Question[];
  /** Everything the server sent, in order. */
  readonly received: readonly Frame[];
  /** Calls the tool `act` and answers what it asks. @returns its text, or the error's */
  act(options?: { readonly capabilities?: Params }): Promise<string>;
  /** Sends a notification. */
  notify(method: string, params?: Params): Promise<void>;
  /** Sends a response, whether anybody asked for it or not. */
  respond(id: unknown, result: Params): Promise<void>;
}

export interface WireClientOptions {
  readonly capabilities?: Params;
  /** Gives a result, or `{ error }`: on 2026-07-28, where there is no error to send, the call is then left as it is. */
  readonly answer?: (question: Question) => Params | Promise<Params>;
  /** Sent with every retry of 2026-07-28, beside the answers. */
  readonly unasked?: Params;
}

/** Connects to a server made by a factory. */
export async function wireClient(
  era: Era,
  factory: McpServerFactory,
  { capabilities = {}, answer = () => ({}), unasked = {} }: WireClientOptions = {},
): Promise<WireClient> {
  const [near, far] = InMemoryTransport.createLinkedPair();
  const served = serveStdio(factory, { transport: far });
  const received: Frame[] = [];
  const questions: Question[] = [];
  const waiting = new Map<unknown, (response: Frame) => void>();
  const clientInfo = { name: 'wire', version: '1.0.0' };
  let id = 0;

  const send = (message: object) => near.send({ jsonrpc: '2.0', ...message } as JSONRPCMessage);
  const request = (method: string, params: Params): Promise<Frame> =>
    new Promise(resolve => {
      id += 1;
      waiting.set(id, resolve);
      void send({ id, method, params });
    });
  const put = (question: Question) => {
    questions.push(question);
    return answer(question);
  };

  near.onmessage = async message => {
    const frame = message as Frame;
    received.push(frame);
    if (frame.method === undefined) waiting.get(frame.id)?.(frame);
    else if (frame.id !== undefined) {
      const given = await put(frame as Question);
      await send({ id: frame.id, ...('error' in given ? given : { result: given }) });
    }
  };
  await near.start();
  if (era === '2025-11-25') {
    await request('initialize', { protocolVersion: era, capabilities, clientInfo });
    await send({ method: 'notifications/initialized' });
  }

  return {
    questions,
    received,
    async act(own = {}) {
      const _meta = {
        'io.modelcontextprotocol/protocolVersion': era,
        'io.modelcontextprotocol/clientInfo': clientInfo,
        'io.modelcontextprotocol/clientCapabilities': own.capabilities ?? capabilities,
      };
      const about = { name: 'act', arguments: {}, ...(era === '2026-07-28' && { _meta }) };
      for (let round: Params = {}; ; ) {
        const { result, error } = await request('tools/call', { ...about, ...round });
        if (result?.['resultType'] !== 'input_required') return result?.content?.[0]?.text ?? error?.message ?? '';
        const inputResponses: Record<string, Params> = { ...(unasked as Record<string, Params>) };
        for (const [key, question] of Object.entries((result['inputRequests'] ?? {}) as Record<string, Question>))
          inputResponses[key] = await put(question);
        if (Object.values(inputResponses).some(given => 'error' in given)) return 'given up';
        round = { inputResponses, requestState: result['requestState'] };
      }
    },
    notify: (method, params) => send({ method, ...(params && { params }) }),
    respond: (respondTo, result) => send({ id: respondTo, result }),
    [Symbol.asyncDispose]: async () => {
      await near.close();
      await served.close();
    },
  };
}
