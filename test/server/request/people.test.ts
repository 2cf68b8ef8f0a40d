/** Who is asked and who answers: over HTTP, with people told apart by their tokens, in both eras. */

import { type AuditEvent, type Call, midcall, type Principal } from '@midcall/server';
import { serveHttp } from '@midcall/server/node';
import { memoryStore } from '@midcall/server/stores/memory';
import { type Era, eras, negotiation } from '@midcall/testing';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { type AuthInfo, McpServer } from '@modelcontextprotocol/server';
import { afterEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { vault } from '../../../packages/server/src/connect/public.ts';

const issuer = 'https://id.example';
const key = 'vk1N2yLr0Zc0m7B1nPqf3sT5uW8xY+A2bC4dE6gH8iI=';
const headers = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' };
const open: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of open.splice(0).reverse()) await close();
});

/** Knows a person by their token; without one, nobody gets in. */
async function authenticate(request: Request): Promise<AuthInfo | Response> {
  const token = request.headers.get('authorization')?.slice('Bearer '.length);
  if (!token) return new Response('{"error":"invalid_token"}', { status: 401 });
  return { token, clientId: 'app', scopes: [], extra: { sub: token } };
}

type Answer = (params: Record<string, unknown>) => object | Promise<object>;

async function serve(handler: (call: Call, args: Record<string, unknown>) => Promise<string>) {
  const events: AuditEvent[] = [];
  const mid = midcall({
    key,
    suspectBelowMs: 0,
    warn: () => {},
    audit: event => events.push(event),
    principal: ctx => {
      const subject = ctx.http?.authInfo?.extra?.['sub'];
      return typeof subject === 'string' ? { issuer, subject } : undefined;
    },
  });
  const serving = await serveHttp(
    () => {
      const server = new McpServer({ name: 'notes', version: '1.0.0' });
      mid.tool(server, 'act', { inputSchema: z.looseObject({}) }, async (args, call) => ({
        content: [{ type: 'text', text: await handler(call, args as Record<string, unknown>) }],
      }));
      return server;
    },
    { authenticate, port: 0 },
  );
  open.push(() => serving.stop({ within: 0 }));
  return { url: serving.url, events };
}

async function enter(url: URL, era: Era, token: string, answer: Answer, clientName = 'test') {
  const client = new Client(
    { name: clientName, version: '1.0.0' },
    { capabilities: { elicitation: {} }, versionNegotiation: negotiation(era) },
  );
  client.setRequestHandler('elicitation/create', async ({ params }) => (await answer(params as never)) as never);
  const requestInit = { headers: { authorization: `Bearer ${token}` } };
  const transport = new StreamableHTTPClientTransport(url, { requestInit });
  await client.connect(transport);
  open.push(() => client.close());
  const call = async (args: Record<string, unknown> = {}) =>
    ((await client.callTool({ name: 'act', arguments: args })).content[0] as { text: string }).text;
  return { client, transport, call };
}

const yes = { action: 'accept', content: { value: true } };
const sure = async (call: Call) => (await call.elicit({ message: 'Sure?', form: Boolean })).action;

describe.each(eras)('%s', era => {
  it('elicit-34, elicit-47, elicit-48: a person is who their token says, whatever the client, the arguments or an answer say', async () => {
    const { url, events } = await serve(async call => {
      const answer = await call.elicit({ message: 'Your e-mail address?', form: { email: String } });
      await call.step('note', () => 1);
      return `${call.principal?.subject} ${answer.action === 'accept' ? answer.content.email : ''}`;
    });
    const spoof = { action: 'accept', content: { email: 'victim@example.com' } };
    const [alice, bob] = [
      await enter(url, era, 'alice', () => spoof, 'victim'),
      await enter(url, era, 'bob', () => spoof, 'victim'),
    ];
    const args = { user: 'victim', sub: 'victim', principal: { issuer, subject: 'victim' } };
    expect(await alice.call(args)).toBe('alice victim@example.com');
    expect(await bob.call(args)).toBe('bob victim@example.com');
    const who = events.map(({ kind, call }) => [kind, call.principal]);
    const of = (subject: string) =>
      ['asked', 'answered', 'step-begun', 'step-ended', 'ended'].map(kind => [kind, { issuer, subject }]);
    expect(who).toEqual([...of('alice'), ...of('bob')]);
  });

  it('elicit-28, elicit-30, elicit-31: what was collected of one person is there for them, and for nobody else', async () => {
    const kept = vault({ store: memoryStore(), key });
    const asked: string[] = [];
    const { url } = await serve(async call => {
      const owner = call.principal as Principal;
      const known = await kept.get(owner, 'city');
      if (known !== undefined) return known;
      const answer = await call.elicit({ message: 'Which city?', form: String });
      if (answer.action !== 'accept') return answer.action;
      await kept.put(owner, 'city', answer.content);
      return answer.content;
    });
    const lives =
      (who: string, city: string): Answer =>
      () => {
        asked.push(who);
        return { action: 'accept', content: { value: city } };
      };
    const [alice, bob] = [
      await enter(url, era, 'alice', lives('alice', 'Lima')),
      await enter(url, era, 'bob', lives('bob', 'Oslo')),
    ];
    expect([await alice.call(), await alice.call(), await bob.call(), await alice.call()]).toEqual([
      'Lima',
      'Lima',
      'Oslo',
      'Lima',
    ]);
    expect(asked).toEqual(['alice', 'bob']);
  });

  it('elicit-28: a confirmation is never remembered', async () => {
    let asked = 0;
    const { url } = await serve(sure);
    const alice = await enter(url, era, 'alice', () => {
      asked += 1;
      return yes;
    });
    for (let n = 1; n <= 3; n += 1) {
      expect(await alice.call()).toBe('accept');
      expect(asked).toBe(n);
    }
  });

  it('elicit-url-11, elicit-url-43: a caller without a token gets 401, and no question stands in for one', async () => {
    const { url, events } = await serve(sure);
    const _meta = {
      'io.modelcontextprotocol/protocolVersion': era,
      'io.modelcontextprotocol/clientInfo': { name: 'raw', version: '1.0.0' },
      'io.modelcontextprotocol/clientCapabilities': { elicitation: {} },
    };
    const params = { name: 'act', arguments: {}, ...(era === '2026-07-28' && { _meta }) };
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params });
    const version = { 'mcp-protocol-version': era, 'mcp-method': 'tools/call', 'mcp-name': 'act' };
    const answer = await fetch(url, { method: 'POST', headers: { ...headers, ...version }, body });
    expect([answer.status, await answer.text()]).toEqual([401, '{"error":"invalid_token"}']);
    expect(events).toEqual([]);
  });
});

describe('2025-11-25: a question open in a session', () => {
  /** A call of alice's that waits for her; `answered` lets her client answer. */
  async function waiting() {
    const { url, events } = await serve(sure);
    let answer = (_: object): void => {};
    let asked = (): void => {};
    const question = new Promise<void>(resolve => {
      asked = resolve;
    });
    const alice = await enter(url, '2025-11-25', 'alice', () => {
      asked();
      return new Promise<object>(resolve => {
        answer = resolve;
      });
    });
    const result = alice.call();
    await question;
    const session = alice.transport.sessionId!;
    const send = (token: string, message: object, more: Record<string, string> = {}) =>
      fetch(url, {
        method: 'POST',
        headers: { ...headers, authorization: `Bearer ${token}`, 'mcp-session-id': session, ...more },
        body: JSON.stringify({ jsonrpc: '2.0', ...message }),
      });
    return { url, events, result, session, send, answer: (given: object) => answer(given) };
  }

  it('elicit-30, elicit-32, elicit-41: a question open in a session is answered by nobody else, though they know the session and the id', async () => {
    const { result, send, answer, events } = await waiting();
    for (let id = 0; id < 4; id += 1)
      expect((await send('mallory', { id, result: yes })).status, `answering ${id}`).toBe(404);
    expect((await send('mallory', { id: 9, method: 'tools/list' })).status).toBe(404);
    expect(events.map(event => event.kind)).toEqual(['asked']);
    answer({ action: 'decline' });
    expect(await result).toBe('decline');
  });

  it('elicit-32: a question open in a session is not heard of by somebody else who listens to the session', async () => {
    const { url, session, result, answer } = await waiting();
    const accept = 'text/event-stream';
    const listening = await fetch(url, {
      headers: { accept, authorization: 'Bearer mallory', 'mcp-session-id': session },
    });
    expect(listening.status).toBe(404);
    const ending = await fetch(url, {
      method: 'DELETE',
      headers: { authorization: 'Bearer mallory', 'mcp-session-id': session },
    });
    expect(ending.status).toBe(404);
    answer(yes);
    expect(await result).toBe('accept');
  });

  it('elicit-41: a question open in a session is not answered from another connection of the same person', async () => {
    const { url, result, answer, events } = await waiting();
    const other = await enter(url, '2025-11-25', 'alice', () => yes);
    const session = other.transport.sessionId!;
    for (let id = 0; id < 4; id += 1) {
      const body = JSON.stringify({ jsonrpc: '2.0', id, result: yes });
      await fetch(url, {
        method: 'POST',
        headers: { ...headers, authorization: 'Bearer alice', 'mcp-session-id': session },
        body,
      });
    }
    expect(events.map(event => event.kind)).toEqual(['asked']);
    answer({ action: 'decline' });
    expect(await result).toBe('decline');
  });
});
