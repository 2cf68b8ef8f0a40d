import { AsyncResource, executionAsyncResource } from 'node:async_hooks';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { expect, it } from 'vitest';
import { AnsweredRequests } from '../../../packages/host/src/sdk-seam/index.ts';

/** Sends a request over a transport of its own. @returns what came back to it */
async function request(
  method = 'tools/list',
  respond: () => Response = () => Response.json({ jsonrpc: '2.0', id: 1, result: { tools: [] } }),
): Promise<readonly unknown[]> {
  const answered = new AnsweredRequests();
  const fetch = answered.noting(async () => respond());
  const transport = new StreamableHTTPClientTransport(new URL('http://127.0.0.1/mcp'), { fetch });
  answered.onto(transport);
  const heard: unknown[] = [];
  transport.onmessage = message => heard.push(message);
  await transport.start();
  await transport.send({ jsonrpc: '2.0', id: 1, method });
  await transport.close();
  return heard;
}

it.each(['application/json', 'text/event-stream'])(
  'a list whose answer has the number of its request as a text is not asked for again, as %s',
  async type => {
    let requests = 0;
    const answer = JSON.stringify({ jsonrpc: '2.0', id: '1', result: { tools: [] } });
    await request('tools/list', () => {
      requests += 1;
      return new Response(type === 'application/json' ? answer : `data: ${answer}\n\n`, {
        headers: { 'content-type': type },
      });
    });
    expect(requests).toBe(1);
  },
);

it('an error of a server is heard in a response that failed where it has the number of the request as a text', async () => {
  const answer = { jsonrpc: '2.0', id: '1', error: { code: -32603, message: 'Nothing was done.' } };
  expect(await request('tools/call', () => Response.json(answer, { status: 500 }))).toEqual([answer]);
});

/** How many values Node hands on to everything that is begun, each promise included; none since Node 24. */
const handedOn = (): number =>
  new AsyncResource('test').runInAsyncScope(() => Object.getOwnPropertySymbols(executionAsyncResource()).length);

it('a process is not slowed by every server that it has sent a request to', async () => {
  await request();
  const before = handedOn();
  for (let n = 0; n < 20; n += 1) await request();
  expect(handedOn()).toBe(before);
});
