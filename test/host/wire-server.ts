/**
 * A server that is nothing but its frames, in this process: it says on the wire exactly what a test tells it to, in both
 * eras, and everything that crossed is kept in order. No server library stands between, so what a host sends is seen as
 * a server would see it.
 */

import {
  type Attachment,
  type AttachOptions,
  attach,
  type Era,
  Inbox,
  type Presenter,
  type Question,
  type Reply,
} from '@midcall/host';
import { negotiation } from '@midcall/testing';
import { Client, type JSONRPCMessage } from '@modelcontextprotocol/client';
import { InMemoryTransport } from '@modelcontextprotocol/server';
import { onTestFinished } from 'vitest';
import { person } from './person.ts';

export type Params = Readonly<Record<string, unknown>>;
export interface Sent {
  readonly id?: string | number;
  readonly method?: string;
  readonly params?: Params;
  readonly result?: Params;
  readonly error?: WireFailure;
}

/** What a tool of this server may do while it runs. */
export interface Wire {
  /**
   * Asks, pushed or in a round. @returns what came back: a result, or the error that was sent
   * @param method - `elicitation/create` where absent
   */
  ask(params: Params, method?: string): Promise<Params | { readonly error: WireFailure }>;
  /** Sends a notification. */
  notify(method: string, params: Params): Promise<void>;
  /** Sends a request outside any call (2025-11-25). @returns the whole response */
  request(method: string, params?: Params): Promise<Sent>;
}

export interface WireFailure {
  readonly code: number;
  readonly message: string;
  readonly data?: unknown;
}

/** Ends a tool with a JSON-RPC error. */
export class WireError extends Error {
  readonly code: number;
  readonly data: unknown;
  constructor(code: number, data?: unknown) {
    super(`error ${code}`);
    this.code = code;
    this.data = data;
  }
}

export type Tool = (wire: Wire, args: Params) => Promise<unknown>;

export interface Wired {
  readonly attachment: Attachment;
  readonly client: Client;
  readonly inbox: Inbox;
  readonly shown: readonly Question[];
  /** Calls the tool. @returns what it gave, or the error the call ended with */
  call(args?: Params, options?: { readonly id?: string }): Promise<unknown>;
  /** Everything the client sent, in order. */
  readonly sent: readonly Sent[];
  /** Client requests of one method. */
  calls(method?: string): readonly Sent[];
  /** Results and errors the client sent. */
  readonly responses: readonly Sent[];
  readonly wire: Pick<Wire, 'notify' | 'request'>;
  /** The server closes the connection. */
  hangUp(): Promise<void>;
  /** Gives the latest call a result of any shape. */
  respond(result: Params): Promise<void>;
  /** Answers the latest call with a frame of any members. */
  respondBy(members: object): Promise<void>;
}

export type WiredOptions = Partial<AttachOptions> & {
  readonly tool: Tool;
  /** What the person does with each question; nothing where undefined. */
  readonly answer?: (question: Question) => Reply | undefined;
  /** Other views of the questions. */
  readonly present?: readonly Presenter[];
  readonly serverName?: string;
  /** What the server lists, in place of `act`. */
  readonly tools?: () => readonly object[];
};

/** A client with a person, connected to such a server. */
export async function wired(era: Era, options: WiredOptions): Promise<Wired> {
  const { tool, answer = () => undefined, present = [], serverName = 'wire', tools, ...attached } = options;
  const [near, far] = InMemoryTransport.createLinkedPair();
  const sent: Sent[] = [];
  const waiting = new Map<unknown, (response: Sent) => void>();
  const rounds = new Map<string, (retry: Sent) => void>();
  let next = 0;

  const reply = (id: Sent['id'], body: object) => far.send({ jsonrpc: '2.0', id, ...body } as JSONRPCMessage);
  const respondBy = (members: object) => reply(sent.findLast(frame => frame.method === 'tools/call')?.id, members);
  const complete = (result: object) => (era === '2026-07-28' ? { resultType: 'complete', ...result } : result);
  const notify: Wire['notify'] = (method, params) => far.send({ jsonrpc: '2.0', method, params } as JSONRPCMessage);
  const request: Wire['request'] = async (method, params = {}) => {
    const id = `s${next++}`;
    const response = new Promise<Sent>(resolve => waiting.set(id, resolve));
    await far.send({ jsonrpc: '2.0', id, method, params } as JSONRPCMessage);
    return response;
  };

  async function run(call: Sent): Promise<void> {
    let current = call;
    const ask: Wire['ask'] = async (params, method = 'elicitation/create') => {
      if (era === '2025-11-25') {
        const { result, error } = await request(method, params);
        return error ? { error } : result!;
      }
      const requestState = `state-${next++}`;
      const retried = new Promise<Sent>(resolve => rounds.set(requestState, resolve));
      const inputRequests = { q: { method, params } };
      await reply(current.id, { result: { resultType: 'input_required', inputRequests, requestState } });
      current = await retried;
      return (current.params!['inputResponses'] as { q: Params }).q;
    };
    try {
      const value = await tool({ ask, notify, request }, call.params!['arguments'] as Params);
      await reply(current.id, { result: complete({ content: [{ type: 'text', text: JSON.stringify(value) }] }) });
    } catch (error) {
      if (!(error instanceof WireError)) throw error;
      await reply(current.id, { error: { code: error.code, message: error.message, data: error.data } });
    }
  }

  far.onmessage = message => {
    const frame = message as Sent;
    sent.push(frame);
    const { id, method, params } = frame;
    const state = params?.['requestState'] as string | undefined;
    const about = { capabilities: { tools: {} }, serverInfo: { name: serverName, version: '1.0.0' } };
    if (method === undefined) waiting.get(id)?.(frame);
    else if (method === 'initialize') void reply(id, { result: { protocolVersion: '2025-11-25', ...about } });
    else if (method === 'server/discover')
      void reply(id, {
        result: complete({ supportedVersions: ['2026-07-28'], ttlMs: 0, cacheScope: 'private', ...about }),
      });
    else if (method === 'tools/call' && state !== undefined) rounds.get(state)?.(frame);
    else if (method === 'tools/call') void run(frame);
    else if (method === 'tools/list')
      void reply(id, {
        result: complete({
          ttlMs: 0,
          cacheScope: 'private',
          tools: tools?.() ?? [{ name: 'act', inputSchema: { type: 'object' } }],
        }),
      });
    else if (id !== undefined) void reply(id, { result: complete({}) });
  };
  await far.start();

  const client = new Client({ name: 'host-under-test', version: '1.0.0' }, { versionNegotiation: negotiation(era) });
  const inbox = options.inbox ?? new Inbox();
  const attachment = attach(client, { server: { id: 'notes', origin: 'node notes.js' }, inbox, ...attached });
  const me = person(answer);
  inbox.present(me);
  for (const view of present) inbox.present(view);
  await client.connect(near);
  onTestFinished(() => client.close());

  return {
    attachment,
    client,
    inbox,
    shown: me.seen,
    sent,
    wire: { notify, request },
    hangUp: () => far.close(),
    respond: result => respondBy({ result }),
    respondBy,
    calls: (method = 'tools/call') => sent.filter(frame => frame.method === method),
    get responses() {
      return sent.filter(frame => frame.method === undefined);
    },
    async call(args = {}, { id } = {}) {
      const request = { kind: 'tool', name: 'act', arguments: args } as const;
      try {
        const result = await attachment.run(request, id === undefined ? {} : { id });
        return JSON.parse((result['content'] as { text: string }[])[0]!.text);
      } catch (error) {
        return error;
      }
    },
  };
}

/** A call that waits for its answer. @param tools - what the server lists before, in place of `act` @returns its host, and what it ends with */
export async function callOpen(
  era: Era,
  tools?: readonly object[],
): Promise<{ readonly host: Wired; readonly ended: Promise<unknown> }> {
  let begun = (): void => {};
  const running = new Promise<void>(resolve => {
    begun = resolve;
  });
  const host = await wired(era, {
    tool: () => {
      begun();
      return new Promise(() => {});
    },
    ...(tools && { tools: () => tools }),
  });
  if (tools) await host.client.listTools();
  const ended = host.call();
  await running;
  return { host, ended };
}
