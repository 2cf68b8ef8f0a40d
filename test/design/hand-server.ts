/**
 * A server written by hand, message by message, in both eras: it says whatever a tool of it says, and nothing checks it.
 * On 2026-07-28 a tool runs again from the top with the answers so far, which travel in the state as they are.
 */

import type { Clock } from '@midcall/host';
import type { Transport } from '@modelcontextprotocol/client';
import { InMemoryTransport } from '@modelcontextprotocol/server';

type Json = Readonly<Record<string, unknown>>;

export interface Reply {
  readonly action?: string;
  readonly content?: Readonly<Record<string, unknown>>;
}

/** What a tool of the hand-made server has. */
export interface Hand {
  readonly era: '2025-11-25' | '2026-07-28';
  readonly args: Json;
  /** What the client declares for elicitation. */
  readonly can: { readonly form: boolean; readonly url: boolean };
  /** Asks, whatever the client can. */
  ask(params: Json, method?: string): Promise<Reply>;
  /** Has the client come again without asking anything (2026-07-28). */
  poll(): Promise<void>;
  /** Sends a request of its own in either era. */
  push(params: Json): Promise<Reply>;
  /** Closes the connection. */
  die(): void;
  /** Ends the call with an error of the protocol. */
  fail(error: Json): Promise<never>;
}

/** One tool: its answer is the text of the result; a thrown error is one with `isError`. */
export interface HandTool {
  readonly inputSchema?: Json;
  readonly description?: string;
  readonly annotations?: Json;
  run(hand: Hand): Promise<string>;
}

const never = new Promise<never>(() => {});
const isJson = (value: unknown): value is Json => typeof value === 'object' && value !== null;

/** Makes a connected transport to a fresh server with these tools. */
export function handServer(
  tools: Readonly<Record<string, HandTool>>,
  eras: readonly string[] = ['2025-11-25', '2026-07-28'],
): Transport {
  const [near, far] = InMemoryTransport.createLinkedPair();
  const waiting = new Map<unknown, (reply: Reply) => void>();
  let declared: Json = {};
  let asked = 0;
  const send = (message: Json): void => void far.send({ jsonrpc: '2.0', ...message } as never);
  const serverInfo = { name: 'by-hand', version: '0.0.1' };
  const listed = Object.entries(tools).map(
    ([name, { inputSchema = { type: 'object' }, annotations, description }]) => ({
      name,
      inputSchema,
      ...(description !== undefined && { description }),
      ...(annotations && { annotations }),
    }),
  );

  const push = (params: Json, method = 'elicitation/create'): Promise<Reply> => {
    asked += 1;
    const id = `ask-${asked}`;
    return new Promise(resolve => {
      waiting.set(id, resolve);
      send({ id, method, params });
    });
  };

  const call = async (id: unknown, params: Json): Promise<void> => {
    const meta = isJson(params['_meta']) ? params['_meta'] : {};
    const era = 'io.modelcontextprotocol/protocolVersion' in meta ? '2026-07-28' : '2025-11-25';
    const client = era === '2025-11-25' ? declared : (meta['io.modelcontextprotocol/clientCapabilities'] as Json);
    const elicitation = client['elicitation'] as { url?: unknown } | undefined;
    const given = (params['inputResponses'] ?? {}) as Record<string, Reply>;
    const before = JSON.parse(String(params['requestState'] ?? '[]')) as Reply[];
    const answers = [...before, ...Object.values(given)];
    let used = 0;
    const complete = era === '2026-07-28' ? { resultType: 'complete' } : {};
    const hand: Hand = {
      era,
      args: (params['arguments'] ?? {}) as Json,
      can: { form: elicitation !== undefined, url: elicitation?.url !== undefined },
      push,
      ask(asking, method = 'elicitation/create') {
        if (era === '2025-11-25') return push(asking, method);
        const answer = answers[used];
        used += 1;
        if (answer) return Promise.resolve(answer);
        const inputRequests = { [`q${used}`]: { method, params: asking } };
        send({ id, result: { resultType: 'input_required', inputRequests, requestState: JSON.stringify(answers) } });
        return never;
      },
      poll() {
        used += 1;
        if (era === '2025-11-25' || answers[used - 1]) return Promise.resolve();
        const requestState = JSON.stringify([...answers, {}]);
        send({ id, result: { resultType: 'input_required', inputRequests: {}, requestState } });
        return never;
      },
      die: () => void far.close(),
      fail(error) {
        send({ id, error });
        return never;
      },
    };
    const result = await tools[String(params['name'])]!.run(hand).then(
      text => ({ content: [{ type: 'text', text }] }),
      error => ({ content: [{ type: 'text', text: String(error) }], isError: true }),
    );
    send({ id, result: { ...result, ...complete } });
  };

  far.onmessage = message => {
    const { id, method, params = {}, result } = message as unknown as { [key: string]: unknown; params?: Json };
    if (method === undefined) {
      waiting.get(id)?.((result ?? {}) as Reply);
      waiting.delete(id);
    } else if (method === 'initialize' && eras.includes('2025-11-25')) {
      declared = params['capabilities'] as Json;
      send({ id, result: { protocolVersion: '2025-11-25', capabilities: { tools: {} }, serverInfo } });
    } else if (method === 'server/discover' && eras.includes('2026-07-28')) {
      const _meta = { 'io.modelcontextprotocol/serverInfo': serverInfo };
      const about = { supportedVersions: ['2026-07-28'], capabilities: { tools: {} }, ttlMs: 0, cacheScope: 'private' };
      send({ id, result: { ...about, resultType: 'complete', _meta } });
    } else if (method === 'tools/list') {
      const complete = params['_meta'] ? { resultType: 'complete', ttlMs: 0, cacheScope: 'private' } : {};
      send({ id, result: { tools: listed, ...complete } });
    } else if (method === 'tools/call') void call(id, params);
    else if (id !== undefined) send({ id, error: { code: -32601, message: 'Method not found' } });
  };
  void far.start();
  return near;
}

/** A clock whose time passes when nothing else happens: what is due fires after the event loop has turned in vain. */
export const idleClock: Clock = {
  now: () => 0,
  after(_, fn) {
    let on = true;
    const turn = (left: number): void => {
      if (on) setImmediate(() => (left > 0 ? turn(left - 1) : on && fn()));
    };
    turn(40);
    return () => {
      on = false;
    };
  },
};
