/** A bridge over HTTP before a server of the test's own, and hosts of three kinds that connect to it. */
import { systemClock } from '@midcall/core/time';
import { type Inbox, machineDisk, OfferedRoots, type ServerEntry, type ServerTarget, urlTarget } from '@midcall/host';
import { type Midcall, midcall } from '@midcall/server';
import { serveHttp } from '@midcall/server/node';
import { type Era, negotiation, type Scripted, scriptedPerson } from '@midcall/testing';
import {
  Client,
  type ClientCapabilities,
  StreamableHTTPClientTransport,
  type Transport,
} from '@modelcontextprotocol/client';
import { Client as Client1 } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport as Transport1 } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import {
  CreateMessageRequestSchema,
  ElicitRequestSchema,
  ListRootsRequestSchema,
} from '@modelcontextprotocol/sdk/types.js';
import { McpServer } from '@modelcontextprotocol/server';
import { type HttpBridgeOptions, startHttpBridge } from '../../packages/midcall/src/bridge/http/index.ts';
import { noModel } from './stage.ts';
import { ring, ringing } from './until.ts';

/** Who made the host, and which revision it speaks. */
export const hosts = ['SDK 1, 2025-11-25', 'SDK 2, 2025-11-25', 'SDK 2, 2026-07-28'] as const;
export type HostKind = (typeof hosts)[number];

export interface HostOptions {
  readonly capabilities?: ClientCapabilities;
  readonly answers?: readonly Scripted[];
  readonly roots?: () => readonly { readonly uri: string; readonly name?: string }[];
  readonly token?: string;
}

/** What a test does with a host, whoever made it. */
export interface ConnectedHost {
  call(name: string, args?: Record<string, unknown>): Promise<object>;
  listTools(): Promise<readonly string[]>;
  readonly asked: readonly { readonly method: string }[];
  /** Of 2025-11-25. */
  sessionId(): string | undefined;
  close(): Promise<void>;
}

/** Connects a host. @param at - the address of a bridge, or a transport to it */
export async function connectHost(
  kind: HostKind,
  at: URL | Transport,
  options: HostOptions = {},
): Promise<ConnectedHost> {
  const capabilities = options.capabilities ?? {};
  const requestInit = options.token === undefined ? {} : { headers: { authorization: `Bearer ${options.token}` } };
  if (kind === 'SDK 1, 2025-11-25') {
    const client = new Client1({ name: 'host-1', version: '1.0.0' }, { capabilities: capabilities as object });
    const asked: { method: string }[] = [];
    let used = 0;
    const answer = (request: { method: string; params?: unknown }): never => {
      asked.push(request);
      const scripted = options.answers?.[used++];
      return (typeof scripted === 'function' ? scripted(request as never) : scripted) as never;
    };
    if (capabilities.elicitation) client.setRequestHandler(ElicitRequestSchema, answer);
    if (capabilities.sampling) client.setRequestHandler(CreateMessageRequestSchema, answer);
    if (capabilities.roots) {
      client.setRequestHandler(ListRootsRequestSchema, request => {
        asked.push(request);
        return { roots: [...(options.roots?.() ?? [])] };
      });
    }
    const transport = at instanceof URL ? new Transport1(at, { requestInit }) : at;
    await client.connect(transport as never);
    return {
      call: (name, args = {}) => client.callTool({ name, arguments: args }),
      listTools: async () => (await client.listTools()).tools.map(tool => tool.name),
      asked,
      sessionId: () => transport.sessionId,
      close: () => client.close(),
    };
  }
  const era: Era = kind === 'SDK 2, 2025-11-25' ? '2025-11-25' : '2026-07-28';
  const person = scriptedPerson(options.answers ?? [], { roots: () => options.roots?.() ?? [] });
  const client = new Client(
    { name: 'host-2', version: '1.0.0' },
    { capabilities, versionNegotiation: negotiation(era), inputRequired: { maxRounds: 40 } },
  );
  person.attach(client, capabilities);
  const transport = at instanceof URL ? new StreamableHTTPClientTransport(at, { requestInit }) : at;
  await client.connect(transport);
  return {
    call: (name, args = {}) => client.callTool({ name, arguments: args }),
    listTools: async () => (await client.listTools()).tools.map(tool => tool.name),
    asked: person.asked,
    sessionId: () => transport.sessionId,
    close: () => client.close(),
  };
}

export interface HttpStageOptions {
  readonly upstream: Era;
  /** Registers what the upstream server has. */
  readonly serve?: (mid: Midcall, server: McpServer) => void;
  /** An upstream server of the test's own, in place of one that `serve` makes. */
  readonly target?: ServerTarget;
  /** What the person at the desk does when it is shown; there is no desk where absent. */
  readonly atDesk?: (inbox: Inbox) => unknown;
  readonly options?: Partial<HttpBridgeOptions>;
  /** In place of the one server at `/mcp`. */
  readonly entries?: (entry: ServerEntry) => HttpBridgeOptions['entries'];
}

/** Starts the upstream server and the bridge; disposing of it ends both. */
export async function httpStage({ upstream, serve, target, atDesk, entries, options }: HttpStageOptions) {
  const mid = midcall({
    roots: { askWhereDeprecated: true },
    sampling: { askWhereDeprecated: true },
    suspectBelowMs: 0,
    warn: () => {},
  });
  const served = await serveHttp(
    () => {
      const server = new McpServer({ name: 'upstream', version: '7.0.0' }, { instructions: 'Ask.' });
      serve?.(mid, server);
      return server;
    },
    { port: 0 },
  );
  const warned: string[] = [];
  const entry: ServerEntry = { id: 'upstream', target: target ?? urlTarget(served.url.href) };
  const bridge = await startHttpBridge({
    client: { name: 'test-bridge', version: '1.0.0' },
    clock: ringing(systemClock),
    era: upstream,
    entries: entries?.(entry) ?? [{ path: '/mcp', entry }],
    port: 0,
    roots: undefined,
    hostRoots: () => new OfferedRoots({ disk: machineDisk, lookEveryMs: 0 }),
    sampling: { model: noModel, always: false },
    makeDesk: inbox => {
      inbox.subscribe(ring);
      return {
        join: () => {},
        tellWait: () => {},
        show: async () => {
          await atDesk?.(inbox);
          return atDesk !== undefined && { seen: true, place: 'at their desk' };
        },
        close: async () => {},
      };
    },
    warn: message => void warned.push(message),
    suspectBelowMs: 0,
    ...options,
  });
  return {
    bridge,
    warned,
    url: new URL('/mcp', bridge.url),
    async [Symbol.asyncDispose]() {
      await bridge.stop({ within: 0 });
      await served.stop({ within: 0 });
      await mid.stop();
    },
  };
}
