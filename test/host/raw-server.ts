/**
 * A server without a server library: it asks exactly what a test says, in either revision, and keeps every message of the
 * client. Its one tool asks `asks` one after the other and answers with all it was told.
 */
import { type Client, InMemoryTransport } from '@modelcontextprotocol/client';
import type { Era } from 'midcall/host';

export interface Ask {
  readonly method: string;
  readonly params?: Readonly<Record<string, unknown>>;
}

export type Frame = Readonly<Record<string, unknown>> & {
  readonly id?: unknown;
  readonly method?: string;
  readonly params?: Readonly<Record<string, unknown>>;
  readonly result?: Readonly<Record<string, unknown>>;
  readonly error?: { readonly code: number; readonly message: string; readonly data?: unknown };
};

export interface RawServer {
  /** What the tool asks; may be changed between calls. */
  asks: readonly Ask[];
  /** Everything the client sent, in order. */
  readonly received: readonly Frame[];
  /** What came back for each ask of the latest call: a response on 2025-11-25, an input response on 2026-07-28. */
  readonly answers: readonly Frame[];
  /** Sends one request outside any call and gives the response (2025-11-25). */
  ask(ask: Ask): Promise<Frame>;
  connect(client: Client): Promise<void>;
}

const done = (answers: readonly Frame[]) => ({ content: [{ type: 'text', text: JSON.stringify(answers) }] });

/** Makes a server of one revision. */
export function rawServer(era: Era, asks: readonly Ask[] = []): RawServer {
  const [near, far] = InMemoryTransport.createLinkedPair();
  const received: Frame[] = [];
  const answers: Frame[] = [];
  const waiting = new Map<unknown, (response: Frame) => void>();
  let sent = 0;
  const send = (message: object): void => void far.send({ jsonrpc: '2.0', ...message } as never);
  const reply = (id: unknown, result: object): void =>
    send({ id, result: { ...result, ...(era === '2026-07-28' && { resultType: 'complete' }) } });

  const server: RawServer = {
    asks,
    received,
    answers,
    ask: ({ method, params = {} }) =>
      new Promise(resolve => {
        const id = `server-${++sent}`;
        waiting.set(id, resolve);
        send({ id, method, params });
      }),
    async connect(client) {
      await far.start();
      await client.connect(near);
    },
  };

  async function push(id: unknown): Promise<void> {
    for (const ask of server.asks) answers.push(await server.ask(ask));
    reply(id, done(answers));
  }

  /** The round a call is in travels as the state. */
  function round(id: unknown, params: Readonly<Record<string, unknown>>): void {
    const at = Number(params['requestState'] ?? 0);
    if (at > 0) answers.push((params['inputResponses'] as Record<string, Frame>)['q'] as Frame);
    const ask = server.asks[at];
    if (!ask) reply(id, done(answers));
    else send({ id, result: { resultType: 'input_required', inputRequests: { q: ask }, requestState: `${at + 1}` } });
  }

  far.onmessage = message => {
    const frame = message as Frame;
    received.push(frame);
    if (frame.method === undefined) waiting.get(frame.id)?.(frame);
    else if (frame.method === 'initialize')
      reply(frame.id, {
        protocolVersion: era,
        capabilities: { tools: {} },
        serverInfo: { name: 'raw', version: '1.0.0' },
      });
    else if (frame.method === 'server/discover')
      reply(frame.id, {
        supportedVersions: [era],
        capabilities: { tools: {} },
        ttlMs: 0,
        cacheScope: 'private',
        _meta: { 'io.modelcontextprotocol/serverInfo': { name: 'raw', version: '1.0.0' } },
      });
    else if (frame.method === 'tools/call') {
      if (era === '2026-07-28') round(frame.id, frame.params ?? {});
      else {
        answers.length = 0;
        void push(frame.id);
      }
    } else if (frame.id !== undefined) reply(frame.id, frame.method === 'tools/list' ? { tools: [] } : {});
  };
  return server;
}
