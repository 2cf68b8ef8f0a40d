/**
 * The notes server as users start it, in a process of its own, and every kind of client that may call it: the SDK's second
 * version in both protocol revisions and its first version, over standard input and output and over HTTP.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { cp, mkdtemp, readdir, readFile, readlink, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { Client as ClientV1 } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport as StdioV1 } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport as HttpV1 } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { ElicitRequestSchema, ListRootsRequestSchema } from '@modelcontextprotocol/sdk/types.js';

export const main = fileURLToPath(new URL('../../packages/midcall/bin/midcall.js', import.meta.url));
const samples = fileURLToPath(new URL('../../packages/midcall/samples/notes', import.meta.url));

/** What the person does with a form. */
export interface FormParams {
  readonly message: string;
  readonly requestedSchema: {
    readonly properties: Record<string, { type: string; oneOf?: { const: string; title: string }[] }>;
    readonly required?: string[];
  };
}
export type Reply = { action: 'accept' | 'decline' | 'cancel'; content?: Record<string, unknown> };
export type Person = (form: FormParams) => Reply | Promise<Reply>;

export interface ConnectOptions {
  readonly person?: Person;
  readonly capabilities?: Record<string, unknown>;
  readonly roots?: readonly { uri: string; name?: string }[];
  /** Between an HTTP client and its server; SDK v2 only. */
  readonly fetch?: typeof fetch;
}

export interface Result {
  readonly text: string;
  readonly isError: boolean;
  readonly data: Record<string, unknown> | undefined;
}

/** One connected client, whatever its kind. */
export interface Caller {
  call(name: string, args?: Record<string, unknown>): Promise<Result>;
  readonly client: Client | ClientV1;
  close(): Promise<void>;
}

/** A temporary copy of the sample notes in a directory of its own. */
export interface Sandbox {
  readonly top: string;
  readonly root: string;
  /** Puts the sample notes back as they were, in the same directory. */
  reset(): Promise<void>;
  /** Path -> digest of everything below `top`, for before and after. */
  hash(): Promise<Record<string, string>>;
  /** Notes that are there, the trash and the archive included. */
  files(): Promise<string[]>;
  remove(): Promise<void>;
}

export async function sandbox(): Promise<Sandbox> {
  const top = await realpath(await mkdtemp(join(tmpdir(), 'midcall-e2e-')));
  const root = join(top, 'notes');
  await cp(samples, root, { recursive: true });
  const all = async () => {
    const found = await readdir(top, { recursive: true, withFileTypes: true });
    return found
      .filter(entry => !entry.isDirectory())
      .map(entry => ({ entry, path: join(entry.parentPath, entry.name) }));
  };
  return {
    top,
    root,
    async reset() {
      for (const name of await readdir(root)) await rm(join(root, name), { recursive: true });
      await cp(samples, root, { recursive: true });
    },
    async hash() {
      const digests: [string, string][] = [];
      for (const { entry, path } of await all()) {
        const content = entry.isSymbolicLink() ? await readlink(path) : await readFile(path);
        digests.push([path.slice(top.length + 1), createHash('sha256').update(content).digest('hex')]);
      }
      return Object.fromEntries(digests.sort(([a], [b]) => (a < b ? -1 : 1)));
    },
    async files() {
      return (await all()).map(({ path }) => path.slice(root.length + 1)).sort();
    },
    remove: () => rm(top, { recursive: true, force: true }),
  };
}

/** A notes server over HTTP in a process of its own. */
export interface HttpServer {
  readonly url: URL;
  readonly process: ChildProcess;
  close(): Promise<void>;
}

export async function startHttp(args: readonly string[], env: Record<string, string> = {}): Promise<HttpServer> {
  const child = spawn(process.execPath, [main, 'notes', ...args, '--http', '0'], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, ...env },
  });
  for await (const line of createInterface({ input: child.stderr! })) {
    const url = /http:\/\/\S+/u.exec(line)?.[0];
    if (url !== undefined) {
      child.stderr!.resume();
      return { url: new URL(url), process: child, close: () => stop(child) };
    }
  }
  throw new Error('The server ended before it listened.');
}

async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const gone = once(child, 'exit');
  child.kill('SIGTERM');
  await gone;
}

/** Where a client connects to. */
export type Target = { readonly args: readonly string[] } | { readonly url: URL };

const capabilitiesOf = ({ capabilities, roots }: ConnectOptions) => ({
  elicitation: {},
  ...(roots && { roots: { listChanged: true } }),
  ...capabilities,
});

const noGet: typeof fetch = async (input, init) =>
  init?.method === 'GET' ? new Response(null, { status: 405 }) : fetch(input, init);

async function connectV2(
  target: Target,
  era: '2025-11-25' | '2026-07-28',
  options: ConnectOptions,
  httpFetch: typeof fetch = options.fetch ?? fetch,
): Promise<Caller> {
  const client = new Client(
    { name: 'v2', version: '1.0.0' },
    {
      capabilities: capabilitiesOf(options),
      versionNegotiation: { mode: era === '2025-11-25' ? 'legacy' : { pin: era } },
    },
  );
  if (capabilitiesOf(options).elicitation) {
    client.setRequestHandler('elicitation/create', async ({ params }) => (await answer(options, params)) as never);
  }
  if (options.roots) client.setRequestHandler('roots/list', () => ({ roots: [...options.roots!] }));
  const transport =
    'url' in target
      ? new StreamableHTTPClientTransport(target.url, { fetch: httpFetch })
      : new StdioClientTransport({
          command: process.execPath,
          args: [main, 'notes', ...target.args],
          stderr: 'ignore',
        });
  await client.connect(transport);
  return caller(client, (name, args) => client.callTool({ name, arguments: args }, patient));
}

/** The SDKs give a call up after a minute, which a busy machine may need to read 2,000 files. */
const patient = { timeout: 540_000 };

async function connectV1(target: Target, options: ConnectOptions): Promise<Caller> {
  const client = new ClientV1({ name: 'v1', version: '1.0.0' }, { capabilities: capabilitiesOf(options) });
  if (capabilitiesOf(options).elicitation) {
    client.setRequestHandler(ElicitRequestSchema, async ({ params }) => (await answer(options, params)) as never);
  }
  if (options.roots) client.setRequestHandler(ListRootsRequestSchema, () => ({ roots: [...options.roots!] }));
  const transport =
    'url' in target
      ? new HttpV1(target.url)
      : new StdioV1({ command: process.execPath, args: [main, 'notes', ...target.args], stderr: 'ignore' });
  await client.connect(transport as never);
  return caller(client, (name, args) => client.callTool({ name, arguments: args }, undefined, patient));
}

async function answer({ person }: ConnectOptions, params: unknown): Promise<Reply> {
  if (!person) throw new Error('Nobody was expected to be asked.');
  return person(params as FormParams);
}

function caller(
  client: Client | ClientV1,
  send: (name: string, args: Record<string, unknown>) => Promise<unknown>,
): Caller {
  return {
    client,
    async call(name, args = {}) {
      const result = (await send(name, args)) as {
        content: { text: string }[];
        isError?: boolean;
        structuredContent?: Record<string, unknown>;
      };
      return { text: result.content[0]!.text, isError: result.isError === true, data: result.structuredContent };
    },
    close: () => client.close(),
  };
}

/** Every way a client reaches the server. */
export const ways = {
  'SDK v2, 2025-11-25, stdio': { http: false, connect: (to, options) => connectV2(to, '2025-11-25', options) },
  'SDK v2, 2026-07-28, stdio': { http: false, connect: (to, options) => connectV2(to, '2026-07-28', options) },
  'SDK v2, 2025-11-25, HTTP': { http: true, connect: (to, options) => connectV2(to, '2025-11-25', options) },
  'SDK v2, 2025-11-25, HTTP without a GET stream': {
    http: true,
    connect: (to, options) => connectV2(to, '2025-11-25', options, noGet),
  },
  'SDK v2, 2026-07-28, HTTP': { http: true, connect: (to, options) => connectV2(to, '2026-07-28', options) },
  'SDK v1, stdio': { http: false, connect: connectV1 },
  'SDK v1, HTTP': { http: true, connect: connectV1 },
} satisfies Record<string, { http: boolean; connect(target: Target, options: ConnectOptions): Promise<Caller> }>;

export type Way = keyof typeof ways;
export const everyWay = Object.keys(ways) as Way[];

/** A connected client, and the server it talks to, over one sandbox. */
export async function reach(way: Way, root: string, options: ConnectOptions): Promise<Caller> {
  if (!ways[way].http) return ways[way].connect({ args: [root] }, options);
  const server = await startHttp([root]);
  const connected = await ways[way].connect({ url: server.url }, options);
  return {
    ...connected,
    async close() {
      await connected.close();
      await server.close();
    },
  };
}
