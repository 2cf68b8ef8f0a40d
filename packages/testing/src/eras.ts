/** Connected client and server pairs for every era and transport. */

import { listenHttp } from '@midcall/core/node';
import {
  anything,
  checkKind,
  checkOptions,
  flag,
  having,
  type Kinds,
  oneOf,
  positive,
  required,
  serverFactoryKind,
} from '@midcall/core/options';
import { interceptTransport } from '@midcall/core/sdk-seam';
import { type Era, followTasks, outputValidator } from '@midcall/host';
import type { AnyServerFactory } from '@midcall/server';
import { type HttpOptions, mcpEndpoint } from '@midcall/server/http';
import { nodeHandler } from '@midcall/server/node';
import {
  Client,
  type ClientCapabilities,
  StreamableHTTPClientTransport,
  type Transport,
} from '@modelcontextprotocol/client';
import { InMemoryTransport, type McpServerFactory } from '@modelcontextprotocol/server';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import type { ScriptedPerson } from './person.ts';
import { watchedFactory } from './watched-factory.ts';

const kinds: Kinds<PairOptions> = {
  era: required(oneOf('2025-11-25', '2026-07-28')),
  carrier: oneOf('memory', 'http'),
  person: having('a person, such as scriptedPerson([…])', 'attach'),
  capabilities: anything,
  maxRounds: positive,
  tasks: flag,
  http: anything,
};

export type { Era };
/** The transport: in memory, or Streamable HTTP on loopback. */
export type Carrier = 'memory' | 'http';

/**
 * Both eras, 2025-11-25 first; for `describe.each`.
 * @example
 * ```ts
 * it.each(eras)('%s: deletes the note when the person agrees', async era => {
 *   await using pair = await connectPair(() => notesServer(mid), { era });
 * });
 * ```
 */
export const eras: readonly Era[] = ['2025-11-25', '2026-07-28'];

/**
 * Every era over every transport within one process; for `describe.each`.
 * @example
 * ```ts
 * it.each(pairings)('deletes the note on %s over %s', async (era, carrier) => {
 *   await using pair = await connectPair(() => notesServer(mid), { era, carrier });
 * });
 * ```
 */
export const pairings: readonly (readonly [Era, Carrier])[] = eras.flatMap(era => [
  [era, 'memory'] as const,
  [era, 'http'] as const,
]);

/** Which pair to connect. */
export interface PairOptions {
  /** The revision both speak. */
  readonly era: Era;
  /** `memory` if absent. */
  readonly carrier?: Carrier;
  /** The person who answers; without one the client declares no capabilities by itself. */
  readonly person?: ScriptedPerson;
  /** The client's capabilities; if absent, form elicitation with a person, and none without. */
  readonly capabilities?: ClientCapabilities;
  /** Rounds the client goes through for one call (2026); the SDK's own default if absent. */
  readonly maxRounds?: number;
  /**
   * True for a client that knows tasks: a call that the server answers with a task resolves with the task's result, and the
   * person answers its questions. On 2025-11-25, every tool that allows it is called as a task.
   */
  readonly tasks?: boolean;
  /** How the server is served; with `carrier: 'http'` only. */
  readonly http?: HttpOptions;
}

/** One JSON-RPC message and its direction. */
export interface Frame {
  readonly from: 'client' | 'server';
  readonly message: Readonly<Record<string, unknown>>;
}

/** A client and its server, connected. */
export interface Pair extends AsyncDisposable {
  readonly client: Client;
  /** Every message that crossed, in order. */
  readonly frames: readonly Frame[];
  /** Where the server listens; over HTTP only. */
  readonly url?: URL;
  /** Closes both. @throws Error if the person's script ran out, or contained an invalid answer */
  close(): Promise<void>;
}

const warnUnchecked = (why: string): void =>
  process.emitWarning(
    `Structured content was not checked against its output schema, because ${why}.`,
    'MidcallWarning',
  );

/**
 * The `versionNegotiation` of a client of the SDK that speaks this era and no other.
 * @example
 * ```ts
 * const client = new Client({ name: 'test', version: '1.0.0' }, { versionNegotiation: negotiation('2025-11-25') });
 * ```
 */
export const negotiation = (era: Era) => ({ mode: era === '2026-07-28' ? { pin: era } : ('legacy' as const) });

/**
 * Connects a client to a server made by a factory.
 *
 * @param factory - makes the server, as `serveStdio` and `serveHttp` take it; `midcall()` itself belongs outside it
 * @throws what the factory threw; TypeError for an option that is missing, unknown or invalid
 * @example
 * ```ts
 * const person = scriptedPerson([{ action: 'accept', content: { value: true } }]);
 * await using pair = await connectPair(() => notesServer(mid), { era: '2026-07-28', person });
 * const result = await pair.client.callTool({ name: 'note_delete', arguments: { title: 'Soup' } });
 * ```
 */
export async function connectPair(factory: AnyServerFactory, options: PairOptions): Promise<Pair> {
  checkKind('connectPair', 'the first argument', factory, serverFactoryKind);
  checkOptions('connectPair', options, kinds);
  const { era, carrier = 'memory', person, capabilities = person ? { elicitation: {} } : {} } = options;
  const client = new Client(
    { name: 'midcall-testing', version: '1.0.0' },
    {
      capabilities,
      jsonSchemaValidator: outputValidator(warnUnchecked),
      versionNegotiation: negotiation(era),
      ...(options.maxRounds === undefined ? {} : { inputRequired: { maxRounds: options.maxRounds } }),
    },
  );
  person?.attach(client, capabilities);
  const frames: Frame[] = [];
  const { build, failure } = watchedFactory(factory as McpServerFactory);
  const served = carrier === 'memory' ? serveInMemory(build) : await serveOverHttp(build, options.http);
  const transport = recorded(served.transport, frames);
  if (options.tasks) followTasks(transport, { client, answer: person?.answer ?? nobody });
  try {
    await client.connect(transport);
  } catch (error) {
    await served.close();
    const failed = failure();
    throw failed ? failed.error : error;
  }
  const close = async () => {
    await served.leave?.();
    await client.close();
    await served.close();
    if (person?.problem) throw person.problem;
  };
  return { client, frames, ...(served.url ? { url: served.url } : {}), close, [Symbol.asyncDispose]: close };
}

const nobody = (): Promise<never> => Promise.reject(new Error('The pair has no person. Give connectPair one.'));

interface Served {
  readonly transport: Transport;
  readonly url?: URL;
  /** Ends the session of the client, which is still connected. */
  leave?(): Promise<void>;
  close(): Promise<void>;
}

function serveInMemory(factory: McpServerFactory): Served {
  const [near, far] = InMemoryTransport.createLinkedPair();
  const handle = serveStdio(factory, { transport: far });
  return { transport: near, close: () => handle.close() };
}

async function serveOverHttp(factory: McpServerFactory, http: HttpOptions | undefined): Promise<Served> {
  const endpoint = mcpEndpoint(factory, http);
  const { server, port } = await listenHttp(nodeHandler(endpoint), { port: 0 });
  const url = new URL(http?.path ?? '/mcp', `http://127.0.0.1:${port}`);
  const transport = new StreamableHTTPClientTransport(url);
  return {
    transport,
    url,
    // The author's `midcall()` outlives a pair, so its endpoint is not stopped.
    async leave() {
      await transport.terminateSession().catch(() => {});
    },
    async close() {
      server.close();
      server.closeAllConnections();
    },
  };
}

/** Wraps a transport so that every message that crosses it is recorded. */
export function recorded(transport: Transport, frames: Frame[]): Transport {
  const keep = (from: Frame['from'], message: unknown) => frames.push({ from, message: message as Frame['message'] });
  interceptTransport(transport, {
    incoming: (message, deliver) => {
      keep('server', message);
      deliver(message);
    },
    outgoing: (message, send) => {
      keep('client', message);
      return send(message);
    },
  });
  return transport;
}
