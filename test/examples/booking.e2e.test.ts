/**
 * The booking server of examples/booking, with clients of three generations over everything that carries messages: they see
 * the same questions in the same order, and the same comes of them.
 */
import { randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { midcall } from '@midcall/server';
import { mcpEndpoint } from '@midcall/server/http';
import { nodeHandler } from '@midcall/server/node';
import { type Era, negotiation } from '@midcall/testing';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { Client as FirstClient } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport as FirstStdio } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport as FirstHttp } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { ElicitRequestSchema } from '@modelcontextprotocol/sdk/types.js';
import type { Miniflare } from 'miniflare';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { badDay } from '../../examples/booking/bad-day.ts';
import { bookingServer } from '../../examples/booking/server.ts';
import { few, some } from '../fixtures/soak.ts';
import { startWorker } from './worker-bundle.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const names = 'Ada Ben Cleo Dan Eve Finn Gus Hana Ivo June Kai Lea Max Nia Oto Pia Quin Rosa Sol Tess'.split(' ');
const capabilities = { elicitation: {} };
const info = { name: 'test', version: '1.0.0' };

interface Question {
  readonly message: string;
  readonly requestedSchema: { readonly properties: Readonly<Record<string, Property>> };
}
interface Property {
  readonly enum?: readonly string[];
  readonly oneOf?: readonly { readonly const: string; readonly title: string }[];
}
type Answer = { readonly action: 'accept' | 'decline'; readonly content?: Record<string, string | boolean> };

/** A person who answers by what a question says, and everything that was asked and said, a line each. */
function traveller(pays: boolean) {
  const lines: string[] = [];
  const answer = ({ message, requestedSchema: { properties } }: Question): Answer => {
    const [, nth] = /^Passenger (\d+)/.exec(message) ?? [];
    const seat = properties['seat']?.enum;
    // Each takes a seat of their own; some choose one that a stranger is about to take.
    const index = Number(nth) - 1;
    const wished = [seat?.includes('3C') && index === 6 && '3C', seat?.includes('5D') && index === 12 && '5D'].find(
      Boolean,
    );
    const own = seats.filter(each => each !== '3C' && each !== '5D')[index];
    const again = message.includes('just been taken');
    const content = seat
      ? { name: names[index]!, seat: (!again && wished) || own! }
      : 'return' in properties
        ? { day: '2027-03-01', return: true }
        : 'day' in properties
          ? { day: message.includes('Choose a day after') ? '2027-03-08' : '2027-02-28' }
          : 'next' in properties
            ? { next: properties['next']!.oneOf![0]!.const }
            : { value: pays };
    const title = properties['next']?.oneOf?.[0]?.title;
    lines.push(`${message.replace(/\n+/g, ' ')} → ${title ?? Object.values(content).join(', ')}`);
    return { action: 'accept', content };
  };
  return { lines, answer };
}
const seats = [1, 2, 3, 4, 5, 6].flatMap(row => ['A', 'B', 'C', 'D'].map(letter => `${row}${letter}`));

/** What a client of any generation can do here. */
interface AnyClient {
  callTool(request: { name: string; arguments?: Record<string, unknown> }): Promise<{ content?: unknown }>;
  close(): Promise<void>;
}

async function transcript(connect: (answer: (question: Question) => Answer) => Promise<AnyClient>): Promise<string> {
  let person = traveller(false);
  const client = await connect(question => person.answer(question));
  const said = async (name: string, args: Record<string, unknown> = {}) => {
    const { content } = await client.callTool({ name, arguments: args });
    person.lines.push(`${name}: ${(content as { text: string }[])[0]!.text}`);
  };
  try {
    await said('trip_book', { to: 'Porto', passengers: 2 });
    await said('seats_taken');
    const { lines } = person;
    person = traveller(true);
    await said('trip_book', { to: 'Lisbon', passengers: 20 });
    await said('seats_taken');
    return `${[...lines, ...person.lines].join('\n')}\n`;
  } finally {
    await client.close();
  }
}

type Connect = (answer: (question: Question) => Answer, where: Where) => Promise<AnyClient>;
/** How a client reaches the server: a command, or a URL. */
type Where = { readonly args: readonly string[] } | { readonly url: URL; readonly fetch?: typeof fetch };

const current =
  (era: Era): Connect =>
  async (answer, where) => {
    const client = new Client(info, { capabilities, versionNegotiation: negotiation(era) });
    client.setRequestHandler('elicitation/create', ({ params }) => answer(params as Question) as never);
    await client.connect(
      'args' in where
        ? new StdioClientTransport({ command: process.execPath, args: [...where.args], cwd: root, stderr: 'ignore' })
        : new StreamableHTTPClientTransport(where.url, where.fetch && { fetch: where.fetch }),
    );
    return client;
  };

const first: Connect = async (answer, where) => {
  const client = new FirstClient(info, { capabilities });
  client.setRequestHandler(ElicitRequestSchema, ({ params }) => answer(params as unknown as Question) as never);
  await client.connect(
    ('args' in where
      ? new FirstStdio({ command: process.execPath, args: [...where.args], cwd: root, stderr: 'ignore' })
      : new FirstHttp(where.url, where.fetch && { fetch: where.fetch })) as never,
  );
  return client as AnyClient;
};

const clients: readonly (readonly [string, Connect])[] = [
  ['SDK v1', first],
  ['SDK v2 on 2025-11-25', current('2025-11-25')],
  ['SDK v2 on 2026-07-28', current('2026-07-28')],
];

const endpoint = () => {
  const mid = midcall({ warn: () => {} });
  const world = badDay();
  return mcpEndpoint(() => bookingServer(mid, world));
};

/** Where the server runs; each client has a world of its own. */
const carriers: Readonly<Record<string, () => Promise<Where & { readonly close?: () => Promise<unknown> }>>> = {
  stdio: async () => ({
    args: ['--import', './tools/load-typescript.mjs', './examples/main.ts', 'booking'],
  }),
  'Node HTTP': async () => {
    const served = endpoint();
    const server: Server = createServer(nodeHandler(served));
    await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    const close = async () => {
      server.closeAllConnections();
      await new Promise(resolve => server.close(resolve));
      await served.stop({ within: 0 });
    };
    return { url: new URL(`http://127.0.0.1:${port}/mcp`), close };
  },
  fetch: async () => {
    const served = endpoint();
    return {
      url: new URL('http://localhost/mcp'),
      fetch: (url, init) => served.fetch(new Request(url, init)),
      close: () => served.stop({ within: 0 }),
    };
  },
};

describe.each(clients)('%s', (client, connect) => {
  const all = Object.entries(carriers);
  it.each(few(all, all[clients.findIndex(([name]) => name === client) % all.length]!))(
    'a booking over %s is the transcript of the example',
    async (_carrier, start) => {
      const { close, ...where } = await start();
      try {
        const expected = await readFile(join(root, 'examples/booking/transcript.txt'), 'utf8');
        expect(await transcript(answer => connect(answer, where))).toBe(expected);
      } finally {
        await close?.();
      }
    },
  );
});

describe.each(some(clients))('%s in workerd', (_client, connect) => {
  let worker: Miniflare;
  beforeAll(async () => {
    const key = { MIDCALL_KEY: randomBytes(32).toString('base64') };
    worker = await startWorker('examples/booking/worker.ts', key, { BOOKING: 'BookingObject' });
  });
  afterAll(() => worker.dispose());
  it('a booking in workerd is the transcript of the example', async () => {
    const expected = await readFile(join(root, 'examples/booking/transcript.txt'), 'utf8');
    const inWorker = (async (url: string | URL, init?: RequestInit) =>
      worker.dispatchFetch(String(url), init as never)) as unknown as typeof fetch;
    const where = { url: new URL('http://localhost/mcp'), fetch: inWorker };
    expect(await transcript(answer => connect(answer, where))).toBe(expected);
  });
});
