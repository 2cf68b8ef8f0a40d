/** A host and a server that are nothing but their frames, so that what a bridge passes on is what the wire had. */
import { createServer } from 'node:http';
import { systemClock } from '@midcall/core/time';
import { type Era, Inbox, machineDisk, OfferedRoots, type ServerEntry, urlTarget } from '@midcall/host';
import { InMemoryTransport, type Transport } from '@modelcontextprotocol/server';
import { type BridgeOptions, startBridge } from '../../packages/midcall/src/bridge/index.ts';
import { noModel } from './stage.ts';
import { ring, until } from './until.ts';

export type Json = Record<string, unknown>;
export interface Frame {
  readonly id?: string | number | null;
  readonly method?: string;
  readonly params?: Json;
  readonly result?: Json;
  readonly error?: Json;
}

/** What a server does with a request: the members of its answer. `tell` sends a frame before it, on the same stream. */
export type Serve = (frame: Frame, tell: (frame: object) => void) => Json | undefined | Promise<Json | undefined>;

const discovered = { supportedVersions: ['2026-07-28'], ttlMs: 0, cacheScope: 'private' };

/** A server of one revision over HTTP; `said` is all that it was sent. */
async function rawServer(era: Era, about: Json & { readonly serverInfo: Json }, serve: Serve) {
  const said: Frame[] = [];
  const { serverInfo, ...rest } = about;
  const isNew = era === '2026-07-28';
  const introduce = ({ method }: Frame): Json | undefined => {
    if (method === 'initialize') return { result: { protocolVersion: '2025-11-25', serverInfo, ...rest } };
    if (method !== 'server/discover') return undefined;
    if (!isNew) return { error: { code: -32601, message: 'Method not found' } };
    return { result: { ...discovered, ...rest, _meta: { 'io.modelcontextprotocol/serverInfo': serverInfo } } };
  };
  const server = createServer(async (request, response) => {
    if (request.method !== 'POST') return void response.writeHead(405).end();
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const frame = JSON.parse(Buffer.concat(chunks).toString()) as Frame;
    said.push(frame);
    ring();
    if (frame.id === undefined) return void response.writeHead(202).end();
    if (frame.method === 'subscriptions/listen')
      return void response.writeHead(404, { 'content-type': 'application/json' }).end('{}');
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    // What JSON.stringify writes of no value is given as a text: 'number:1e400'.
    const written = (each: object): string =>
      JSON.stringify({ jsonrpc: '2.0', ...each }).replaceAll(/"number:([^"]+)"/g, '$1');
    const send = (each: object): void => void response.write(`data: ${written(each)}\n\n`);
    const answer = introduce(frame) ?? (await serve(frame, send)) ?? { error: { code: -32601, message: 'None.' } };
    const result = answer['result'] as Json | undefined;
    send({ id: frame.id, ...answer, ...(result && isNew && { result: { resultType: 'complete', ...result } }) });
    response.end();
  });
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as { port: number }).port}/mcp`,
    said,
    of: (method: string) => said.filter(frame => frame.method === method),
    close() {
      server.closeAllConnections();
      return new Promise(resolve => server.close(resolve));
    },
  };
}

/** A bridge before such a server, and a host in front of it. */
export async function rawStage(
  host: Era,
  upstream: Era,
  options: {
    readonly about: Json & { readonly serverInfo: Json };
    readonly serve: Serve;
    readonly capabilities?: Json;
    readonly bridge?: Partial<BridgeOptions>;
  },
) {
  const server = await rawServer(upstream, options.about, options.serve);
  const [near, far] = InMemoryTransport.createLinkedPair();
  const entry: ServerEntry = { id: 'upstream', target: urlTarget(server.url) };
  const starting = startBridge(entry, {
    host: far,
    client: { name: 'test-bridge', version: '1.0.0' },
    inbox: new Inbox(),
    clock: systemClock,
    era: upstream,
    roots: new OfferedRoots({ disk: machineDisk }),
    ownRoots: false,
    sampling: { model: noModel, always: false },
    desk: { join: () => {}, show: async () => false, tellWait: () => {}, close: async () => {} },
    warn: () => {},
    suspectBelowMs: 0,
    ...options.bridge,
  });
  const wire = rawHost(near, host, options.capabilities ?? {});
  await near.start();
  const introduced = await wire.introduce();
  const bridge = (await starting)!;
  return {
    ...wire,
    server,
    introduced,
    async [Symbol.asyncDispose]() {
      await near.close();
      await bridge.stop({ within: 0 });
      await server.close();
    },
  };
}

/** A host on a transport; `heard` is all that it was sent. */
export function rawHost(transport: Transport, era: Era, capabilities: Json) {
  const heard: Frame[] = [];
  const clientInfo = { name: 'raw host', version: '1' };
  let last = 0;
  let answer: (frame: Frame) => Json = () => ({ error: { code: -32601, message: 'None.' } });
  const send = (frame: object): void => void transport.send({ jsonrpc: '2.0', ...frame } as never);
  transport.onmessage = message => {
    const frame = message as unknown as Frame;
    heard.push(frame);
    if (frame.method !== undefined && frame.id !== undefined) send({ id: frame.id, ...answer(frame) });
    ring();
  };
  const envelope = {
    'io.modelcontextprotocol/protocolVersion': '2026-07-28',
    'io.modelcontextprotocol/clientInfo': clientInfo,
    'io.modelcontextprotocol/clientCapabilities': capabilities,
  };
  const enveloped = (params: Json = {}): Json =>
    era === '2026-07-28' ? { ...params, _meta: { ...envelope, ...(params['_meta'] as Json) } } : params;
  const ask = async (method: string, params?: Json): Promise<Frame> => {
    last += 1;
    const id = last;
    const all = enveloped(params);
    send({ id, method, ...(Object.keys(all).length > 0 && { params: all }) });
    const answered = () => heard.find(frame => frame.method === undefined && frame.id === id);
    await until(() => answered() !== undefined);
    return answered()!;
  };
  return {
    heard,
    ask,
    send,
    tell: (method: string, params?: Json) => send({ method, params: enveloped(params) }),
    told: (method: string) => heard.filter(frame => frame.method === method),
    /** What it answers to requests. */
    answers: (given: typeof answer) => {
      answer = given;
    },
    async introduce(): Promise<Json> {
      if (era === '2026-07-28') return (await ask('server/discover')).result!;
      const { result } = await ask('initialize', { protocolVersion: '2025-11-25', capabilities, clientInfo });
      send({ method: 'notifications/initialized' });
      return result!;
    },
  };
}

const revisions: readonly Era[] = ['2025-11-25', '2026-07-28'];

/** Host and server. */
export const pairsOfFrames = revisions.flatMap(host => revisions.map(upstream => [host, upstream] as const));
