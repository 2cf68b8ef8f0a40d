/** The rule by which everything stops, and what stops with what. */
import { type StopPart, stopParts } from '@midcall/core/stop';
import { midcall } from '@midcall/server';
import { serveHttp, serveStdio } from '@midcall/server/node';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { InMemoryTransport, McpServer } from '@modelcontextprotocol/server';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { z } from 'zod';

/** A clock whose only timer is fired by hand. */
function handClock() {
  const timers: (() => void)[] = [];
  return {
    fire: () => timers.shift()?.(),
    after: (_ms: number, fn: () => void) => {
      timers.push(fn);
      return () => void timers.splice(timers.indexOf(fn), 1);
    },
  };
}

const turn = (): Promise<void> => new Promise(setImmediate);

describe('the rule', () => {
  const never = new Promise<void>(() => {});
  const part = (name: string, told: string[], idle: () => Promise<void>, close = async () => {}): StopPart => ({
    begin: () => void told.push(`${name} begins`),
    idle,
    end: () => void told.push(`${name} ends`),
    close: () => {
      told.push(`${name} closes`);
      return close();
    },
  });

  it('stop-S1, stop-S3, stop-S5: all parts begin at once, and are closed in their order when the last is idle', async () => {
    const told: string[] = [];
    let goOn = (): void => {};
    const idle = new Promise<void>(resolve => {
      goOn = resolve;
    });
    const stopping = stopParts([part('a', told, () => idle), part('b', told, async () => {})], {}, handClock());
    await turn();
    expect(told).toEqual(['a begins', 'b begins']);
    goOn();
    await stopping;
    expect(told).toEqual(['a begins', 'b begins', 'a ends', 'b ends', 'a closes', 'b closes']);
  });

  it('stop-S4: a part that never becomes idle is ended when the time is over, and everything is closed all the same', async () => {
    const told: string[] = [];
    const clock = handClock();
    const stopping = stopParts(
      [
        part(
          'a',
          told,
          () => never,
          () => never,
        ),
        part('b', told, async () => {}),
      ],
      { within: 5 },
      clock,
    );
    for (let n = 0; n < 6; n += 1) {
      await turn();
      clock.fire();
    }
    await stopping;
    expect(told.slice(2)).toEqual(['a ends', 'b ends', 'a closes', 'b closes']);
  });

  it('a part that cannot be closed keeps no other from it, and its error is thrown', async () => {
    const told: string[] = [];
    const failing = part(
      'a',
      told,
      async () => {},
      () => Promise.reject(new Error('It stays open.')),
    );
    await expect(stopParts([failing, part('b', told, async () => {})], {}, handClock())).rejects.toThrow(
      'It stays open.',
    );
    expect(told.at(-1)).toBe('b closes');
  });
});

async function clientOver(factory: () => McpServer, onError?: (error: Error) => void) {
  const [near, far] = InMemoryTransport.createLinkedPair();
  const serving = serveStdio(factory, { transport: far, ...(onError && { onError }) });
  const client = new Client({ name: 'stop', version: '1' }, { versionNegotiation: { mode: 'legacy' } });
  return { serving, client, connecting: client.connect(near) };
}

describe('serveStdio', () => {
  const broken = (): McpServer => {
    throw new Error('The shelf is missing.');
  };

  it('serveStdio writes what a factory throws to standard error, with its stack', async () => {
    const lines: string[] = [];
    const spy = vi.spyOn(console, 'error').mockImplementation(text => void lines.push(String(text)));
    onTestFinished(() => spy.mockRestore());
    const { connecting, serving } = await clientOver(broken);
    await expect(connecting).rejects.toThrow(/Internal/u);
    expect(lines).toHaveLength(1);
    expect(lines[0]).toMatch(/the factory of a server failed: Error: The shelf is missing\.\n +at .*stop\.test/su);
    await serving.stop();
  });

  it('serveStdio tells onError instead what a factory throws, if that is set', async () => {
    const spy = vi.spyOn(console, 'error');
    onTestFinished(() => spy.mockRestore());
    const told: string[] = [];
    const { connecting, serving } = await clientOver(broken, error => told.push(error.message));
    await expect(connecting).rejects.toThrow(/Internal/u);
    expect(told).toEqual(['The shelf is missing.']);
    expect(spy).not.toHaveBeenCalled();
    await serving.stop();
  });

  it('stop-S1: serveStdio refuses requests of every kind while it stops, lets a plain tool end, and disconnects', async () => {
    let goOn = (): void => {};
    let begun = (): void => {};
    const began = new Promise<void>(resolve => {
      begun = resolve;
    });
    const { connecting, client, serving } = await clientOver(() => {
      const server = new McpServer({ name: 'plain', version: '1' });
      server.registerTool('work', { inputSchema: z.object({}) }, async () => {
        begun();
        await new Promise<void>(resolve => {
          goOn = resolve;
        });
        return { content: [{ type: 'text', text: 'done' }] };
      });
      return server;
    });
    await connecting;
    const call = client.callTool({ name: 'work', arguments: {} });
    await began;
    const stopping = serving.stop();
    await expect(client.listTools()).rejects.toThrow(
      /stopping and takes no new requests\. This request was not begun/u,
    );
    goOn();
    expect((await call).content).toEqual([{ type: 'text', text: 'done' }]);
    await stopping;
    await expect(client.listTools()).rejects.toThrow();
  });
});

it('an instance of the library stops with the last that serves its servers', async () => {
  const mid = midcall();
  const factory = (): McpServer => {
    const server = new McpServer({ name: 'shared', version: '1' });
    mid.tool(server, 'echo', {}, () => 'echo');
    return server;
  };
  const [one, two] = await Promise.all([serveHttp(factory), serveHttp(factory)]);
  const callAt = async ({ url }: typeof one) => {
    const client = new Client({ name: 'stop', version: '1' }, { versionNegotiation: { mode: 'legacy' } });
    await client.connect(new StreamableHTTPClientTransport(url));
    const { content } = await client.callTool({ name: 'echo' });
    await client.close();
    return content;
  };
  expect(await callAt(one)).toEqual(await callAt(two));
  await one.stop();
  expect(await callAt(two)).toEqual([{ type: 'text', text: 'echo' }]);
  await two.stop();
  const three = await serveHttp(factory);
  onTestFinished(() => three.stop());
  expect(await callAt(three)).toEqual([{ type: 'text', text: expect.stringContaining('stopping') }]);
});
