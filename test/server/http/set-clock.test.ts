/** What a server measures while somebody sets the clock of its machine. */
import { midcall } from '@midcall/server';
import { connectPair } from '@midcall/testing';
import { McpServer } from '@modelcontextprotocol/server';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { HttpSessions } from '../../../packages/server/src/http/sessions.ts';
import { UnreadBytes } from '../../../packages/server/src/http/unread-bytes.ts';

beforeEach(() => void vi.useFakeTimers({ toFake: ['Date', 'performance'] }));
afterEach(() => void vi.useRealTimers());

const hour = 3_600_000;

it.each([
  [-hour, 5_000, ''],
  [hour, 10, 'too-fast'],
])('a clock that is set by %d ms makes no answer of %d ms slower or faster', async (jump, tookMs, suspect) => {
  const mid = midcall({ warn: () => {} });
  const factory = () => {
    const server = new McpServer({ name: 'test', version: '1.0.0' });
    mid.tool(server, 'act', {}, async (_, call) => {
      const { by } = await call.elicit({ message: 'Sure?', form: Boolean });
      return { content: [{ type: 'text', text: JSON.stringify([by.elapsedMs, by.suspect ?? '']) }] };
    });
    return server;
  };
  const capabilities = { elicitation: {} };
  await using pair = await connectPair(factory, { era: '2025-11-25', capabilities });
  pair.client.setRequestHandler('elicitation/create', () => {
    vi.setSystemTime(Date.now() + jump);
    vi.advanceTimersByTime(tookMs);
    return { action: 'accept' as const, content: { value: true } };
  });
  const { content } = await pair.client.callTool({ name: 'act' });
  expect(content).toEqual([{ type: 'text', text: JSON.stringify([tookMs, suspect]) }]);
});

it.each([-hour, hour])('a clock that is set by %d ms leaves a session the time it may lie unused', async jump => {
  const factory = () => new McpServer({ name: 'test', version: '1.0.0' });
  const all = new UnreadBytes({ path: '/mcp', limits: undefined, tellsOwnersApart: false, onCut: () => {} });
  const sessions = new HttpSessions(factory, { idleMs: 60_000, tellsOwnersApart: false });
  const open = () => {
    const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 't', version: '1' } };
    const body = { jsonrpc: '2.0', id: 1, method: 'initialize', params };
    const headers = { accept: 'application/json, text/event-stream', 'content-type': 'application/json' };
    const request = new Request('http://127.0.0.1/mcp', { method: 'POST', headers, body: JSON.stringify(body) });
    return sessions.serve({ request, body, owner: '', auth: undefined, unread: all.of('', undefined) });
  };
  const used = async () => {
    const opened = await open();
    if (opened instanceof Response) await opened.text();
    return sessions.size;
  };
  expect(await used()).toBe(1);
  vi.setSystemTime(Date.now() + jump);
  vi.advanceTimersByTime(59_999);
  expect(await used()).toBe(2);
  vi.advanceTimersByTime(1);
  expect(await used()).toBe(2);
  await sessions.close();
});
