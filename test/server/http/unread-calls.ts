/** Calls whose results nobody reads, to a real server with a bounded heap. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { eventually } from '../../fixtures/grown.ts';

const script = fileURLToPath(new URL('./unread-server.mjs', import.meta.url));
const MIB = 1024 * 1024;

export interface UnreadCalls {
  readonly era: '2025-11-25' | '2026-07-28';
  /** Whether the results come as JSON, or on a stream. */
  readonly tool: 'large' | 'streamed';
  readonly calls: number;
  readonly bytes: number;
  /** The heap of the server, in MiB. */
  readonly heap: number;
}

export interface Unread {
  /** What the server takes once all calls are over, in MiB; undefined if it died of them. */
  readonly rss: number | undefined;
  /** How many responses it has cut. */
  readonly cuts: number;
  /** What somebody else's call is answered meanwhile. */
  readonly other: string;
}

/** Calls on a connection for each, of which nothing is read; then somebody else calls. */
export async function callUnread({ era, tool, calls, bytes, heap }: UnreadCalls): Promise<Unread> {
  const child = spawn(process.execPath, [`--max-old-space-size=${heap}`, script], {
    stdio: ['pipe', 'pipe', 'ignore'],
  });
  const exited = once(child, 'exit').then(() => 'exited' as const);
  const [port] = (await once(createInterface({ input: child.stdout }), 'line')) as [string];
  const at = `http://127.0.0.1:${port}`;
  const sockets: Socket[] = [];
  try {
    const open = era === '2025-11-25' ? await session(at, 'mallory') : {};
    for (let id = 1; id <= calls; id += 1) {
      const socket = connect(Number(port), '127.0.0.1');
      sockets.push(socket);
      const body = JSON.stringify(called(era, id, tool, bytes));
      const headers = {
        host: `127.0.0.1:${port}`,
        ...headersOf(era, 'mallory', tool),
        ...open,
        'content-length': Buffer.byteLength(body),
      };
      const head = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
      socket.write(`POST /mcp HTTP/1.1\r\n${head.join('')}\r\n${body}`);
      // A server gives up a connection that it does not get to for long, and all at once would be too many for a busy machine.
      await new Promise<void>(resolve => {
        socket
          .on('error', () => resolve())
          .on('readable', resolve)
          .on('close', () => resolve());
      });
    }
    const ended = async (): Promise<'ended'> => {
      await eventually(async () => (await memory(at)).over === calls);
      return 'ended';
    };
    // A server that dies refuses the question for its memory, too.
    if ((await Promise.race([exited, ended().catch(() => exited)])) === 'exited')
      return { rss: undefined, cuts: 0, other: '' };
    const theirs = era === '2025-11-25' ? await session(at, 'alice') : {};
    const response = await fetch(`${at}/mcp`, {
      method: 'POST',
      headers: { ...headersOf(era, 'alice', 'large'), ...theirs },
      body: JSON.stringify(called(era, 1, 'large', 10)),
    });
    const { result } = (await response.json()) as { result: { content: { text: string }[] } };
    const { rss, cuts } = await memory(at);
    return { rss: Math.round(rss / MIB), cuts, other: result.content[0]!.text };
  } finally {
    for (const socket of sockets) socket.destroy();
    child.kill('SIGKILL');
    await exited;
  }
}

const memory = async (at: string) =>
  (await (await fetch(`${at}/memory`)).json()) as { over: number; cuts: number; rss: number };

const headersOf = (era: string, person: string, tool: string): Record<string, string> => ({
  authorization: `Bearer ${person}`,
  'content-type': 'application/json',
  accept: 'application/json, text/event-stream',
  'mcp-protocol-version': era,
  ...(era === '2026-07-28' && { 'mcp-method': 'tools/call', 'mcp-name': tool }),
});

const called = (era: string, id: number, name: string, bytes: number) => ({
  jsonrpc: '2.0',
  id,
  method: 'tools/call',
  params: {
    name,
    arguments: { bytes },
    _meta: {
      progressToken: id,
      ...(era === '2026-07-28' && {
        'io.modelcontextprotocol/protocolVersion': era,
        'io.modelcontextprotocol/clientInfo': { name: 'raw', version: '1' },
        'io.modelcontextprotocol/clientCapabilities': {},
      }),
    },
  },
});

/** Opens a session. @returns the header that names it */
async function session(at: string, person: string): Promise<Record<string, string>> {
  const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'raw', version: '1' } };
  const post = (body: object, more: Record<string, string> = {}) =>
    fetch(`${at}/mcp`, {
      method: 'POST',
      headers: { ...headersOf('2025-11-25', person, ''), ...more },
      body: JSON.stringify({ jsonrpc: '2.0', ...body }),
    });
  const first = await post({ id: 0, method: 'initialize', params });
  await first.text();
  const id = { 'mcp-session-id': first.headers.get('mcp-session-id')! };
  await (await post({ method: 'notifications/initialized' }, id)).text();
  return id;
}
