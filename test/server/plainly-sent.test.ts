/**
 * What packages/server/src/sdk-seam/plainly-sent.ts and held-requests.ts promise of messages that need no checks: they are
 * written at once, in order with all others, and by the transport where the stream is its own.
 */
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { midcall } from '@midcall/server';
import { serveHttp } from '@midcall/server/node';
import {
  type JSONRPCMessage,
  McpServer,
  type Transport,
  WebStandardStreamableHTTPServerTransport,
} from '@modelcontextprotocol/server';
import { afterEach, describe, expect, it } from 'vitest';
import { boundedEventStore } from '../../packages/server/src/http/event-store.ts';
import { HeldRequests } from '../../packages/server/src/sdk-seam/held-requests.ts';
import { isPlainlySent, sendPlainly } from '../../packages/server/src/sdk-seam/plainly-sent.ts';

const open: { close(): Promise<void> }[] = [];
afterEach(async () => {
  for (const each of open.splice(0)) await each.close();
});

const related = { relatedRequestId: 1 };
const note = (data: string): JSONRPCMessage => ({
  jsonrpc: '2.0',
  method: 'notifications/message',
  params: { level: 'info', data },
});
const response: JSONRPCMessage = { jsonrpc: '2.0', id: 1, result: { content: [] } };

it('a message is known as plainly sent until the wrappers have passed it on, and a copy of it is not', async () => {
  const known: boolean[] = [];
  const copied = { ...response };
  const transport: Transport = {
    async start() {},
    async close() {},
    async send(message) {
      known.push(isPlainlySent(message), isPlainlySent(copied));
      await null;
      known.push(isPlainlySent(message));
    },
  };
  await sendPlainly(transport, response, undefined);
  await transport.send(response);
  expect(known).toEqual([true, false, false, false, false, false]);
});

/** A request whose stream is written to a list. */
function held() {
  const store = boundedEventStore();
  const transport = new WebStandardStreamableHTTPServerTransport({ sessionIdGenerator: () => 's', eventStore: store });
  const requests = new HeldRequests(transport);
  const written: string[] = [];
  const streams: string[] = [];
  const opened: { readonly stream: WeakRef<object>; readonly ended: () => void }[] = [];
  const opening = {
    canEnd: true,
    open: (id: string, ended: () => void) => {
      streams.push(id);
      const stream = {
        write: (events: string) => void written.push(/"data":"(\w+)"|"result"/u.exec(events)?.[1] ?? 'response'),
        send: (message: JSONRPCMessage, text: string) => {
          store.store(id, message, text);
          written.push(/"data":"(\w+)"/u.exec(text)?.[1] ?? 'response');
        },
        end: () => void written.push('end'),
      };
      opened.push({ stream: new WeakRef(stream), ended });
      return stream;
    },
  };
  transport.onmessage = () => {};
  const answered = requests.give({ jsonrpc: '2.0', id: 1, method: 'tools/call' }, {}, opening, () => {});
  return { transport, written, streams, opened, answered };
}

describe('held-requests-H2: messages for a request', () => {
  it('are written at once where they need no checks, and its stream ends with its response', async () => {
    const { transport, written } = held();
    void sendPlainly(transport, note('one'), related);
    expect(written).toEqual(['one']);
    void sendPlainly(transport, response, undefined);
    expect(written).toEqual(['one', 'response', 'end']);
    // Nothing is left of it.
    await expect(transport.send(note('late'), related)).rejects.toThrow();
  });

  it('never overtake one that the transport has not written yet', async () => {
    const { transport, written } = held();
    const sent = [
      sendPlainly(transport, note('one'), related),
      transport.send(note('two'), related),
      sendPlainly(transport, note('three'), related),
      sendPlainly(transport, response, undefined),
    ];
    await Promise.all(sent);
    expect(written).toEqual(['one', 'two', 'three', 'response', 'end']);
  });

  it('are left to the transport once their stream has ended', async () => {
    const { transport, written, streams } = held();
    await sendPlainly(transport, note('one'), related);
    transport.closeSSEStream(1);
    await sendPlainly(transport, note('two'), related);
    await sendPlainly(transport, response, undefined);
    expect([written, streams.length]).toEqual([['one', 'end'], 1]);
  });

  it('hold their stream no longer than it is open, though a call that was cancelled has no response', async () => {
    setFlagsFromString('--expose-gc');
    const collect = runInNewContext('gc') as () => void;
    const { transport, opened } = held();
    await sendPlainly(transport, note('one'), related);
    const stream = (() => {
      const [one] = opened.splice(0);
      one!.ended();
      return one!.stream;
    })();
    // What a weak reference was made for or asked of in this turn is not collected before the next.
    await new Promise(resolve => setImmediate(resolve));
    collect();
    expect(stream.deref()).toBeUndefined();
    expect(transport.onmessage).toBeDefined();
  });
});

it('a client that lost its connection while it was asked gets the question again, and then the result', async () => {
  const mid = midcall({ warn: () => {}, suspectBelowMs: 0 });
  const serving = await serveHttp(() => {
    const server = new McpServer({ name: 'plain', version: '1.0.0' });
    mid.tool(server, 'asks', {}, async (_, call) => {
      const { action } = await call.elicit({ message: 'Go on?', form: Boolean });
      return action;
    });
    return server;
  });
  open.push(serving);
  let known: Readonly<Record<string, string>> = {};
  const send = (body: object | undefined, headers = {}, init: RequestInit = {}) =>
    fetch(serving.url, {
      method: 'POST',
      ...(body && { body: JSON.stringify({ jsonrpc: '2.0', ...body }) }),
      headers: {
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        ...known,
        ...headers,
      },
      ...init,
    });
  const revision = '2025-11-25';
  const clientInfo = { name: 'raw', version: '1' };
  const params = { protocolVersion: revision, capabilities: { elicitation: {} }, clientInfo };
  const first = await send({ id: 0, method: 'initialize', params });
  await first.text();
  known = { 'mcp-session-id': first.headers.get('mcp-session-id')!, 'mcp-protocol-version': revision };
  await (await send({ method: 'notifications/initialized' })).text();
  /** Reads a stream up to a part of it. */
  const readTo = async (response: Response, part: string): Promise<string> => {
    let text = '';
    for await (const chunk of response.body!.pipeThrough(new TextDecoderStream())) {
      text += chunk;
      if (text.includes(part)) break;
    }
    return text;
  };
  const gone = new AbortController();
  const calling = await send({ id: 1, method: 'tools/call', params: { name: 'asks' } }, {}, { signal: gone.signal });
  const primed = /^id: (\S+)$/mu.exec(await readTo(calling, 'Go on?'))![1]!;
  gone.abort();
  const resumed = await send(undefined, { 'last-event-id': primed }, { method: 'GET' });
  const ids: string[] = [];
  let rest = '';
  for await (const chunk of resumed.body!.pipeThrough(new TextDecoderStream())) {
    rest += chunk;
    const asked = /"id":(\d+),"method":"elicitation\/create"/u.exec(rest)?.[1];
    if (asked !== undefined && ids.push(asked) === 1) {
      const content = { value: true };
      await (await send({ id: Number(asked), result: { action: 'accept', content } })).text();
    }
  }
  expect(rest.match(/Go on\?/gu)).toHaveLength(1);
  expect(rest).toContain('{"result":{"content":[{"type":"text","text":"accept"}]},"jsonrpc":"2.0","id":1}');
});
