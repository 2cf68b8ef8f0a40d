/** An upstream server of 2025-11-25 that loses its sessions, as one that is restarted does, behind a bridge. */
import { randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { urlTarget } from '@midcall/host';
import { describe, expect, it, onTestFinished } from 'vitest';
import { connectHost, hosts, httpStage } from './http-stage.ts';
import { textOf } from './stage.ts';
import { stdioStage } from './stdio-stage.ts';

/** A server with sessions and one tool, which says how often it has run. */
async function forgetful() {
  const sessions = new Set<unknown>();
  let [runs, isBroken] = [0, false];
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    if (request.method !== 'POST') return void response.writeHead(405).end();
    const { id, method } = JSON.parse(Buffer.concat(chunks).toString()) as { id?: unknown; method?: string };
    const result = (value: object): void =>
      void response
        .writeHead(200, { 'content-type': 'application/json' })
        .end(JSON.stringify({ jsonrpc: '2.0', id, result: value }));
    if (method === 'initialize' && !isBroken) {
      const session = randomUUID();
      sessions.add(session);
      response.setHeader('mcp-session-id', session);
      const serverInfo = { name: 'forgetful', version: '1' };
      return result({ protocolVersion: '2025-11-25', capabilities: { tools: {} }, serverInfo });
    }
    if (!sessions.has(request.headers['mcp-session-id'])) return void response.writeHead(404).end('Session not found');
    if (id === undefined) return void response.writeHead(202).end();
    if (method === 'tools/list') return result({ tools: [{ name: 'count', inputSchema: { type: 'object' } }] });
    if (method === 'ping') return result({});
    runs += 1;
    result({ content: [{ type: 'text', text: `run ${runs}` }] });
  });
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return {
    target: urlTarget(`http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`),
    /** Its sessions are gone. @param rest - `broken`: it opens no new ones until the next time */
    forget: (rest: 'works' | 'broken' = 'works') => {
      sessions.clear();
      isBroken = rest === 'broken';
    },
  };
}

describe.each(['standard input and output', 'HTTP'])('a bridge over %s', over => {
  it.each(hosts)('a bridge opens a lost session again for a host, and calls once: %s', async kind => {
    const { target, forget } = await forgetful();
    await using http = over === 'HTTP' ? await httpStage({ upstream: '2025-11-25', target }) : undefined;
    await using stdio = http ? undefined : await stdioStage({ upstream: '2025-11-25', target });
    const host = await connectHost(kind, http?.url ?? stdio!.at);
    const renewals = () => (http ?? stdio!).warned.filter(line => line.includes('had lost its session')).length;
    expect(textOf(await host.call('count'))).toBe('run 1');
    forget();
    expect(textOf(await host.call('count'))).toBe('run 2');
    expect(renewals()).toBe(1);
    forget();
    expect(await host.listTools()).toEqual(['count']);
    expect(renewals()).toBe(2);
    // A server that opens no new session is said to be gone, and is reached anew once it is back.
    forget('broken');
    expect(textOf(await host.call('count'))).toMatch(/^The server 'upstream' has stopped\./);
    forget();
    expect(textOf(await host.call('count'))).toBe('run 3');
    await host.close();
  });
});
