/** What packages/server/src/sdk-seam/cancellation.ts promises, and that it stands where the SDK's own controller would. */
import { midcall } from '@midcall/server';
import { Client } from '@modelcontextprotocol/client';
import { InMemoryTransport, McpServer, Server, type ServerContext } from '@modelcontextprotocol/server';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { isGone, reasonGone, whenGone } from '../../packages/server/src/eras/when-gone.ts';
import { Cancellation } from '../../packages/server/src/sdk-seam/cancellation.ts';

type RequestContext = ServerContext['mcpReq'];

function attached() {
  const cancellation = new Cancellation();
  const mcpReq = { id: 1 } as unknown as RequestContext;
  cancellation.attach(mcpReq);
  return { cancellation, mcpReq };
}

describe('a cancellation', () => {
  it('is the signal of its context, whether that was read before or is read after', () => {
    const [before, after] = [attached(), attached()];
    const { signal } = before.mcpReq;
    const heard: unknown[] = [];
    signal.addEventListener('abort', () => heard.push(signal.reason));
    for (const { cancellation } of [before, after]) {
      cancellation.abort('first');
      cancellation.abort('second');
    }
    expect([signal.aborted, heard, before.mcpReq.signal === signal]).toEqual([true, ['first'], true]);
    expect([after.mcpReq.signal.aborted, after.mcpReq.signal.reason]).toEqual([true, 'first']);
  });

  it('has the reason that a signal has where none is given', () => {
    const { cancellation, mcpReq } = attached();
    cancellation.abort();
    expect((mcpReq.signal.reason as Error).name).toBe('AbortError');
  });

  it('is told to whoever watches its context, once, and to nobody who has stopped', () => {
    const [watched, left] = [attached(), attached()];
    const told: unknown[] = [];
    whenGone(watched, reason => told.push(reason));
    whenGone(left, reason => told.push(reason))();
    expect(isGone(watched)).toBe(false);
    for (const { cancellation } of [watched, left]) cancellation.abort('gone');
    expect([told, isGone(watched), reasonGone(watched)]).toEqual([['gone'], true, 'gone']);
    whenGone(watched, reason => told.push(reason));
    expect(told).toEqual(['gone', 'gone']);
  });

  it('gives a copy of its context an ordinary signal, which fires with it', () => {
    const { cancellation, mcpReq } = attached();
    const copy = { ...mcpReq };
    expect(Cancellation.of(copy)).toBeUndefined();
    cancellation.abort('gone');
    expect([isGone({ mcpReq: copy }), reasonGone({ mcpReq: copy })]).toEqual([true, 'gone']);
  });
});

const open: { close(): Promise<void> }[] = [];
afterEach(async () => {
  for (const each of open.splice(0)) await each.close();
});

/** What the context of a call has that its client cancels while it runs. */
async function cancelled(make: () => Server | undefined) {
  const mid = midcall({ warn: () => {} });
  const server = new McpServer({ name: 'notes', version: '1.0.0' });
  const lowLevel = make();
  if (lowLevel) Object.assign(server, { server: lowLevel });
  let began = (): void => {};
  const begun = new Promise<void>(resolve => {
    began = resolve;
  });
  let ended: (reason: unknown) => void = () => {};
  const reason = new Promise<unknown>(resolve => {
    ended = resolve;
  });
  mid.tool(server, 'waits', {}, async (_, call) => {
    began();
    await new Promise<void>(resolve => call.signal.addEventListener('abort', () => resolve()));
    ended(call.signal.reason);
    return 'never';
  });
  const [near, far] = InMemoryTransport.createLinkedPair();
  open.push(server);
  await server.connect(far);
  await near.start();
  const answered = new Promise<unknown>(resolve => {
    near.onmessage = resolve;
  });
  const send = (message: object) => near.send({ jsonrpc: '2.0', ...message } as never);
  const clientInfo = { name: 'raw', version: '1' };
  const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo };
  await send({ id: 0, method: 'initialize', params });
  await answered;
  await send({ id: 1, method: 'tools/call', params: { name: 'waits' } });
  await begun;
  await send({ method: 'notifications/cancelled', params: { requestId: 1, reason: 'no longer' } });
  return reason;
}

it('a call that its client cancels hears of it', async () => {
  expect(await cancelled(() => undefined)).toBe('no longer');
});

it('a server of another class that looks at the signal of a call is given one', async () => {
  const seen: unknown[] = [];
  class Watching extends Server {
    protected override buildContext(...given: Parameters<Server['buildContext']>): ServerContext {
      seen.push(given[0].mcpReq.signal);
      return super.buildContext(...given);
    }
  }
  const reason = await cancelled(() => new Watching({ name: 'notes', version: '1.0.0' }));
  expect([reason, seen.at(-1)]).toEqual(['no longer', expect.objectContaining({ aborted: true })]);
});

describe.each(['2025-11-25', '2026-07-28'])('on %s', revision => {
  it('a call that asks, and is not cancelled, makes no signal', async () => {
    const mid = midcall({ warn: () => {}, suspectBelowMs: 0 });
    const factory = () => {
      const server = new McpServer({ name: 'notes', version: '1.0.0' });
      mid.tool(server, 'ask', {}, async (_, call) => (await call.elicit({ message: 'Sure?', form: Boolean })).action);
      return server;
    };
    const [near, far] = InMemoryTransport.createLinkedPair();
    open.push(serveStdio(factory, { transport: far }));
    const client = new Client(
      { name: 'raw', version: '1' },
      {
        capabilities: { elicitation: {} },
        versionNegotiation: { mode: revision === '2026-07-28' ? { pin: revision } : 'legacy' },
      },
    );
    client.setRequestHandler('elicitation/create', () => ({ action: 'accept', content: { value: true } }));
    await client.connect(near);
    open.push(client);
    const called = async () => (await client.callTool({ name: 'ask', arguments: {} })).content;
    // The first call of a connection goes the SDK's way.
    expect(await called()).toEqual([{ type: 'text', text: 'accept' }]);
    const attached = vi.spyOn(Cancellation.prototype, 'attach');
    const read = vi.spyOn(Cancellation.prototype, 'signal', 'get');
    try {
      expect(await called()).toEqual([{ type: 'text', text: 'accept' }]);
      expect(attached).toHaveBeenCalledTimes(revision === '2026-07-28' ? 2 : 1);
      expect(read).not.toHaveBeenCalled();
    } finally {
      attached.mockRestore();
      read.mockRestore();
    }
  });
});
