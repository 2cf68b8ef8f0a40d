/** A `midcall()` inside the function that makes servers: each server then has its own memory of what it accepted. */
import { randomBytes } from 'node:crypto';
import { type MidcallOptions, midcall } from '@midcall/server';
import { memoryStore } from '@midcall/server/stores/memory';
import { connectPair, eras } from '@midcall/testing';
import { McpServer } from '@modelcontextprotocol/server';
import { expect, it } from 'vitest';

const key = randomBytes(32).toString('hex');
const otherKey = randomBytes(32).toString('hex');

/** @returns what is warned of while a tool is called over HTTP several times, at two endpoints */
async function warnings(era: (typeof eras)[number], make: (options: MidcallOptions) => () => McpServer) {
  const warned: string[] = [];
  const factory = make({ key, warn: text => void warned.push(text) });
  for (let n = 0; n < 2; n += 1) {
    await using pair = await connectPair(factory, { era, carrier: 'http' });
    for (let times = 0; times < 4; times += 1) await pair.client.callTool({ name: 'hello', arguments: {} });
  }
  return warned;
}

const serverOf = (mid: ReturnType<typeof midcall>) => {
  const server = new McpServer({ name: 'test', version: '1.0.0' });
  mid.tool(server, 'hello', {}, () => 'Hello.');
  return server;
};

it('a midcall() for each server of 2026-07-28 is warned of, once at each endpoint', async () => {
  const warned = await warnings('2026-07-28', options => () => serverOf(midcall(options)));
  expect(warned[0]).toMatch(
    /^midcall: midcall\(\) seems to be called anew for each server\. .*outside the function that makes servers\.$/,
  );
  expect(warned).toEqual([warned[0], warned[0]]);
});

const store = memoryStore();

it.each<[string, (options: MidcallOptions) => () => McpServer]>([
  [
    'one for all servers',
    options => {
      const mid = midcall(options);
      return () => serverOf(mid);
    },
  ],
  [
    'two that take turns',
    options => {
      const mids = [midcall(options), midcall(options)];
      let n = 0;
      return () => serverOf(mids[n++ % 2]!);
    },
  ],
  ['one for each server, with a store', options => () => serverOf(midcall({ ...options, store }))],
  [
    'one for each server, with a key of its own',
    options => {
      let n = 0;
      return () => serverOf(midcall({ ...options, key: n++ % 2 === 0 ? key : otherKey }));
    },
  ],
])('nothing is warned of with %s', async (_, make) => {
  for (const era of eras) expect(await warnings(era, make)).toEqual([]);
});
