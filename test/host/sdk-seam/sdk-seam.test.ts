/**
 * What the host knows of the insides of the SDK's client, each fact by itself, against the SDK that is installed. A title
 * that fails after an update of the SDK names what moved, and which file of packages/host/src/sdk-seam/ or
 * packages/core/src/sdk-seam/ is to follow it.
 */
import { interceptTransport, invalidResultIssue, negotiationReason, notOfferedRevision } from '@midcall/core/sdk-seam';
import { attach, Inbox } from '@midcall/host';
import { type Era, eras, negotiation } from '@midcall/testing';
import {
  Client,
  parseErrorResponse,
  SdkErrorCode,
  StreamableHTTPClientTransport,
  type Transport,
} from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { InMemoryTransport } from '@modelcontextprotocol/server';
import { describe, expect, it, onTestFinished } from 'vitest';
import {
  aroundConnect,
  replaceDefaultValidator,
  sendRootsChanged,
} from '../../../packages/host/src/sdk-seam/client-members.ts';
import {
  isConnectionGone,
  isUnreadableOAuthAnswer,
  redirectTarget,
} from '../../../packages/host/src/sdk-seam/error-prose.ts';
import { placeholders } from '../../../packages/host/src/sdk-seam/stand-ins.ts';

type Frame = { readonly id?: unknown; readonly method?: string; readonly params?: Record<string, unknown> } & Record<
  string,
  unknown
>;

/** A promise, and what settles it. */
function settling<T>() {
  let resolve = (_value: T): void => {};
  const promise = new Promise<T>(settle => {
    resolve = settle;
  });
  return { promise, resolve };
}

const info = { name: 'host', version: '1.0.0' };
const about = { capabilities: { tools: {}, prompts: {}, resources: {} }, serverInfo: { name: 's', version: '1' } };
const flat = { type: 'object', properties: { colour: { type: 'string', pattern: '^a' } } };
const nested = { type: 'object', properties: { colour: { type: 'object', properties: {} } } };

/** A server that offers one revision and answers the rest as a test says. */
async function serverOf(era: Era, answer: (frame: Frame, send: (frame: object) => void) => void = () => {}) {
  const [near, far] = InMemoryTransport.createLinkedPair();
  const seen: Frame[] = [];
  const send = (frame: object): void => void far.send({ jsonrpc: '2.0', ...frame } as never);
  far.onmessage = message => {
    const frame = message as unknown as Frame;
    seen.push(frame);
    const { id, method } = frame;
    if (method === 'initialize') send({ id, result: { protocolVersion: '2025-11-25', ...about } });
    else if (method === 'server/discover' && era === '2026-07-28') {
      const cache = { resultType: 'complete', ttlMs: 0, cacheScope: 'private' };
      send({ id, result: { supportedVersions: ['2026-07-28'], ...cache, ...about } });
    } else if (method === 'server/discover') send({ id, error: { code: -32601, message: 'Method not found' } });
    else answer(frame, send);
  };
  await far.start();
  return { near, far, seen, send };
}

function clientOf(era: Era): Client {
  const client = new Client(info, { versionNegotiation: negotiation(era) });
  onTestFinished(() => client.close());
  return client;
}

/** Asks a client one form, by request or in a round. @returns the params its handler was given, or what was refused */
async function askedBy(era: Era, params: object): Promise<{ handler?: unknown; refused?: unknown }> {
  let handler: unknown;
  const client = clientOf(era);
  client.registerCapabilities({ elicitation: { form: {}, url: {} } });
  client.setRequestHandler('elicitation/create', request => {
    handler = request.params;
    return { action: 'decline' };
  });
  const refused = settling<unknown>();
  const server = await serverOf(era, ({ id, method, params: sent, error }, send) => {
    const done = { content: [], ...(era === '2026-07-28' && { resultType: 'complete' }) };
    const ask = { method: 'elicitation/create', params };
    if (method === undefined) {
      refused.resolve(error);
      send({ id: call, result: done });
    } else if (method !== 'tools/call') return;
    else if (era === '2025-11-25') {
      call = id;
      send({ id: 'ask', ...ask });
    } else if (sent?.['requestState'] !== undefined) send({ id, result: done });
    else send({ id, result: { resultType: 'input_required', requestState: 's', inputRequests: { q: ask } } });
  });
  let call: unknown;
  await client.connect(server.near);
  const failed = await client.callTool({ name: 'act', arguments: {} }).then(
    () => undefined,
    (error: unknown) => error,
  );
  return { handler, refused: failed ?? (era === '2025-11-25' ? await refused.promise : undefined) };
}

describe('messages on their way (core/sdk-seam/intercept-transport.ts)', () => {
  it('the SDK calls the onmessage it finds from its own, which is why a message comes by twice', async () => {
    const client = clientOf('2025-11-25');
    const { near, send } = await serverOf('2025-11-25');
    const found: unknown[] = [];
    near.onmessage = message => found.push(message);
    await client.connect(near);
    found.length = 0;
    send({ method: 'notifications/message', params: { level: 'info', data: 1 } });
    expect(found).toHaveLength(1);
  });

  it.each(eras)('each message is seen once, both ways, from the first on, %s', async era => {
    const client = clientOf(era);
    const { near, seen, send } = await serverOf(era);
    const ways: string[] = [];
    const note = (way: string, { id, method }: Frame): void => void ways.push(`${way} ${method ?? `answer ${id}`}`);
    interceptTransport(near, {
      incoming: (message, deliver) => {
        note('in', message as Frame);
        deliver(message);
      },
      outgoing: async (message, pass) => {
        note('out', message as Frame);
        await pass(message);
      },
    });
    await client.connect(near);
    send({ method: 'notifications/message', params: { level: 'info', data: 1 } });
    expect(ways.filter(way => way.startsWith('out'))).toEqual(seen.map(({ method }) => `out ${method}`));
    expect(ways[0]).toBe(era === '2025-11-25' ? 'out initialize' : 'out server/discover');
    expect(ways.filter(way => way.startsWith('in'))).toHaveLength(2);
  });

  it('a transport is a stdio transport by having `stderr` and `pid`, and its own class is looked at', () => {
    const transport = new StdioClientTransport({ command: 'true', stderr: 'pipe' });
    interceptTransport(transport, { incoming: (message, deliver) => deliver(message) });
    expect(transport.constructor).toBe(StdioClientTransport);
    expect('stderr' in transport && 'pid' in transport).toBe(true);
  });
});

describe('questions hidden from the SDK (host/calls/tap.ts, stand-ins.ts)', () => {
  it.each(eras)('the SDK shows a handler no pattern, which is why the wire is looked at, %s', async era => {
    const { handler } = await askedBy(era, { mode: 'form', message: 'm', requestedSchema: flat });
    expect(handler).toMatchObject({ requestedSchema: { properties: { colour: { type: 'string' } } } });
    expect(JSON.stringify(handler)).not.toContain('pattern');
  });

  it.each(eras)('the SDK refuses a nested schema before a handler sees it, %s', async era => {
    const { handler, refused } = await askedBy(era, { mode: 'form', message: 'm', requestedSchema: nested });
    expect(handler).toBeUndefined();
    expect(refused).toBeDefined();
  });

  it.each(eras.flatMap(era => (['form', 'url'] as const).map(mode => [era, mode] as const)))(
    'a placeholder passes the SDK with its _meta, %s, %s',
    async (era, mode) => {
      const { handler, refused } = await askedBy(era, { ...placeholders[mode], _meta: { 'midcall/question': 'q' } });
      expect(refused).toBeUndefined();
      expect(handler).toMatchObject({ mode, message: '' });
    },
  );

  it.each(eras)('an attached client finds the id of a question again in what its handler is given, %s', async era => {
    const client = clientOf(era);
    const inbox = new Inbox();
    attach(client, { server: { id: 's', origin: 's' }, inbox });
    const shown = settling<unknown>();
    inbox.present({ via: 'test', show: (question: unknown) => shown.resolve(question), hide: () => {} } as never);
    const server = await serverOf(era, ({ id, method }, send) => {
      if (method !== 'tools/call') return;
      const ask = { method: 'elicitation/create', params: { mode: 'form', message: 'm', requestedSchema: flat } };
      if (era === '2025-11-25') send({ id: 'ask', ...ask });
      else send({ id, result: { resultType: 'input_required', requestState: 's', inputRequests: { q: ask } } });
    });
    await client.connect(server.near);
    client.callTool({ name: 'act', arguments: {} }).catch(() => {});
    expect(await shown.promise).toMatchObject({ message: 'm', fields: [{ name: 'colour', pattern: '^a' }] });
  });
});

describe('methods of the client that ours stand around', () => {
  it('aroundConnect: connect may be replaced, and is what connects', async () => {
    const client = clientOf('2025-11-25');
    const { near } = await serverOf('2025-11-25');
    const steps: unknown[] = [];
    aroundConnect(client, async (transport, connect) => {
      steps.push(transport);
      await connect();
      steps.push(client.getNegotiatedProtocolVersion());
    });
    await client.connect(near);
    expect(steps).toEqual([near, '2025-11-25']);
  });

  it.each([
    ['callTool', 'tools/call', (client: Client, more: object) => client.callTool({ name: 'n', ...more })],
    ['getPrompt', 'prompts/get', (client: Client, more: object) => client.getPrompt({ name: 'n', ...more })],
    ['readResource', 'resources/read', (client: Client, more: object) => client.readResource({ uri: 'a:b', ...more })],
  ])('client-calls: %s sends the answers and the state of a round that it is given', async (_, method, call) => {
    const client = clientOf('2026-07-28');
    const sent = settling<Frame>();
    const server = await serverOf('2026-07-28', frame => frame.method === method && sent.resolve(frame));
    await client.connect(server.near);
    const round = { inputResponses: { q: { action: 'decline' } }, requestState: 'state' };
    call(client, round).catch(() => {});
    expect((await sent.promise).params).toMatchObject(round);
  });

  it('default-validator: the default is a private member of the class that the SDK names for Ajv', async () => {
    const { AjvJsonSchemaValidator } = await import('@modelcontextprotocol/client/validators/ajv');
    const validator = {
      getValidator: () => () => ({ valid: true, data: undefined as never, errorMessage: undefined }),
    };
    const plain = new Client(info);
    const chosen = new Client(info, { jsonSchemaValidator: new AjvJsonSchemaValidator({} as never) });
    expect(replaceDefaultValidator(plain, validator as never)).toBe(true);
    expect(replaceDefaultValidator(plain, validator as never)).toBe(false);
    expect(replaceDefaultValidator(chosen, validator as never)).toBe(false);
  });

  it('roots-changed: the SDK sends no list_changed that was not registered, and its transport does', async () => {
    const client = clientOf('2025-11-25');
    client.registerCapabilities({ roots: {} });
    const { near, seen } = await serverOf('2025-11-25');
    await client.connect(near);
    await expect(client.sendRootsListChanged()).rejects.toThrow();
    const changed = () => seen.filter(({ method }) => method === 'notifications/roots/list_changed');
    expect(changed()).toEqual([]);
    await sendRootsChanged(client);
    expect(changed()).toHaveLength(1);
  });
});

describe('words that say what no code does (error-prose.ts, core/sdk-seam/sdk-errors.ts)', () => {
  it('isConnectionGone knows a client that was never connected, and one that is closed', async () => {
    const client = clientOf('2025-11-25');
    const errorOf = (call: Promise<unknown>) => call.catch((error: { code?: unknown; message: string }) => error);
    const judged = async (call: Promise<unknown>) => {
      const { code, message } = (await errorOf(call)) as { code?: unknown; message: string };
      return isConnectionGone(code, message);
    };
    expect(await judged(client.ping())).toBe(true);
    const { near, far } = await serverOf('2025-11-25');
    await client.connect(near);
    const waiting = judged(client.ping());
    await far.close();
    expect([await waiting, await judged(client.ping())]).toEqual([true, true]);
  });

  it('invalidResultIssue says where a result that the protocol does not allow differs', async () => {
    const client = clientOf('2025-11-25');
    const answer = { content: [{ type: 'text', text: 1 }] };
    const server = await serverOf('2025-11-25', ({ id, method }, send) => {
      if (method === 'tools/call') send({ id, result: answer });
    });
    await client.connect(server.near);
    const error = await client.callTool({ name: 'n' }).catch((cause: { code: unknown; message: string }) => cause);
    expect((error as { code: unknown }).code).toBe(SdkErrorCode.InvalidResult);
    expect(invalidResultIssue((error as { message: string }).message)).toEqual({
      path: expect.stringContaining('content'),
      says: expect.any(String),
    });
  });

  it('redirectTarget says where a redirect to another origin leads, which is not followed', async () => {
    const elsewhere = 'https://elsewhere.example/mcp';
    const fetch = async () => new Response(null, { status: 302, headers: { location: elsewhere } });
    const transport = new StreamableHTTPClientTransport(new URL('http://127.0.0.1/mcp'), { fetch });
    const error = await clientOf('2025-11-25')
      .connect(transport)
      .catch((cause: Error) => cause);
    expect(redirectTarget((error as Error).message)).toBe(elsewhere);
  });

  it('isUnreadableOAuthAnswer: what the SDK cannot read is a server error that quotes it; what it can read is not', async () => {
    const judged = async (text: string) => {
      const { code, message } = await parseErrorResponse(text);
      return isUnreadableOAuthAnswer(code, message);
    };
    expect(await judged('<html>Bad gateway</html>')).toBe(true);
    expect(await judged('{"error":"server_error","error_description":"Down for an hour."}')).toBe(false);
    expect(await judged('{"error":"invalid_grant"}')).toBe(false);
  });

  it('notOfferedRevision and negotiationReason know a server that does not offer the revision that was demanded', async () => {
    const client = clientOf('2026-07-28');
    const { near } = await serverOf('2025-11-25');
    const error = (await client.connect(near as Transport).catch((cause: unknown) => cause)) as {
      code: unknown;
      message: string;
    };
    expect(error.code).toBe(SdkErrorCode.EraNegotiationFailed);
    expect(notOfferedRevision(error.message)).toBe('2026-07-28');
    expect(negotiationReason(error.message)).toBe(
      'the server did not offer pinned protocol version 2026-07-28 via server/discover',
    );
  });
});
